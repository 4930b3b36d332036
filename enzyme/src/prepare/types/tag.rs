//! Every load and store of a floating-point value says so by an alias tag.

use crate::llvm::{Context, Function, Instruction, Metadata, Module, Opcode, Type};

/// Tags loads and stores of floating-point values.
pub(super) fn accesses<'c>(context: &'c Context, module: &Module<'c>) {
    let kind = context.metadata_kind("tbaa");
    let functions = module.functions().filter(|function| !function.is_declaration());
    for instruction in functions.flat_map(Function::instructions) {
        if let Some(name) = accessed_type(instruction).and_then(Type::float_name)
            && !instruction.has_metadata(kind)
        {
            instruction.set_metadata(kind, Some(tag_of(context, name)));
        }
    }
}

/// The type of what a load or store moves.
fn accessed_type(instruction: Instruction<'_>) -> Option<Type<'_>> {
    match instruction.opcode() {
        Opcode::Load => Some(instruction.ty()),
        Opcode::Store => Some(instruction.operand(0).ty()),
        _ => None,
    }
}

/// A tag for scalars of one type. Each type has a root of its own: accesses of different types may
/// then still alias, as they may in Rust.
fn tag_of<'c>(context: &'c Context, name: &str) -> Metadata<'c> {
    let zero = context.metadata_value(context.int(64).constant(0));
    let root = context.metadata_node(&[context.metadata_string(&format!("autodiff {name}"))]);
    let ty = context.metadata_node(&[context.metadata_string(name), root, zero]);
    context.metadata_node(&[ty, ty, zero])
}
