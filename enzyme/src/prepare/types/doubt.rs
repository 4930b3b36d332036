//! Marks on what may be a number and is moved as an integer. Where Enzyme does not know what it is it
//! takes it for an address and says so in a remark; with such a mark in the remark, that is refused.

use crate::llvm::{Context, Function, Instruction, Module, Opcode};
use crate::prepare::flow::{Cell, Flow};
use crate::words::DOUBT;

/// Marks stores of integers that may be numbers.
pub(super) fn mark<'c>(context: &'c Context, module: &Module<'c>, flow: &mut Flow<'c>) {
    let node = context.metadata_node(&[]);
    let functions = module.functions().filter(|function| !function.is_declaration());
    for access in functions.flat_map(Function::instructions) {
        if may_be_number(access, flow) {
            access.set_metadata(context.metadata_kind(DOUBT), Some(node));
        }
    }
}

fn may_be_number<'c>(access: Instruction<'c>, flow: &mut Flow<'c>) -> bool {
    // Enzyme knows of constants what they are. What is read is stored elsewhere, or used as what it is.
    if access.opcode() != Opcode::Store || access.operand(0).is_constant() {
        return false;
    }
    let (value, pointer) = (access.operand(0), access.operand(1));
    let Some(bits) = value.ty().int_bits().filter(|bits| *bits >= 16 && bits % 8 == 0) else { return false };
    flow.cell_behind(pointer, u64::from(bits / 8)) != Cell::Plain && flow.of_value(value).is_used_as_float()
}
