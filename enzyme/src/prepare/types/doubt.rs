//! Marks on what may be a number and is moved as an integer. Where Enzyme does not know what it is it
//! takes it for an address and says so in a remark; with such a mark in the remark, that is refused.

use crate::llvm::{Context, Function, Instruction, Module, Opcode};
use crate::prepare::flow::{Cell, Flow};
use crate::words::DOUBT;

/// Marks loads and stores of integers that may be numbers.
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
    let (value, pointer) = match access.opcode() {
        Opcode::Load => (access.value(), access.operand(0)),
        // Enzyme knows of constants what they are.
        Opcode::Store if !access.operand(0).is_constant() => (access.operand(0), access.operand(1)),
        _ => return false,
    };
    let Some(bits) = value.ty().int_bits().filter(|bits| *bits >= 16 && bits % 8 == 0) else { return false };
    flow.cell_behind(pointer, u64::from(bits / 8)) != Cell::Plain && flow.cell_of_value(value) != Cell::Plain
}
