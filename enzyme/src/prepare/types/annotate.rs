//! What is known of values, in the form that Enzyme reads.

use crate::llvm::{Context, Function, Instruction, Module, Opcode};
use crate::prepare::flow::{Cell, Flow};

/// Says of values whose type Enzyme might not find out what they are: of a floating-point value the
/// obvious, of an integer that LLVM made of a copied float or pointer what it was.
pub(super) fn values<'c>(context: &'c Context, module: &Module<'c>, flow: &mut Flow<'c>) {
    let functions = module.functions().filter(|function| !function.is_declaration());
    for instruction in functions.flat_map(Function::instructions) {
        value(context, instruction, flow);
    }
}

fn value<'c>(context: &'c Context, instruction: Instruction<'c>, flow: &mut Flow<'c>) {
    if !matches!(instruction.opcode(), Opcode::Load | Opcode::Phi | Opcode::Select) {
        return;
    }
    let kind = match (instruction.ty().float_name(), instruction.ty().int_bits()) {
        (Some(name), _) => format!("Float@{name}"),
        (None, Some(bits)) => match flow.cell_of_value(instruction.value()) {
            Cell::Whole(float) => float.name().to_owned(),
            Cell::Plain => match flow.of_value(instruction.value()).name() {
                Some(kind @ "Pointer") if bits == 64 => kind.to_owned(),
                Some(kind @ "Integer") => kind.to_owned(),
                _ => return,
            },
            Cell::Within(..) | Cell::Unclear => return,
        },
        (None, None) => return,
    };
    let leaf = context.metadata_node(&[context.metadata_string(&kind)]);
    let everywhere = context.metadata_value(context.int(32).constant(u64::from(u32::MAX)));
    let tree = context.metadata_node(&[context.metadata_string("Unknown"), everywhere, leaf]);
    instruction.set_metadata(context.metadata_kind("enzyme_type"), Some(tree));
}
