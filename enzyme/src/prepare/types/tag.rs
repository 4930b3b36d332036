//! Every load and store of a floating-point value says so by an alias tag, which lasts longer in
//! Enzyme's hands than what else is said of an instruction.

use crate::llvm::{Context, Function, Instruction, Metadata, Module, Opcode, Type};
use crate::prepare::flow::{Cell, Float, Flow};

/// Tags loads and stores of floating-point values, also of those that travel as integers.
pub(super) fn accesses<'c>(context: &'c Context, module: &Module<'c>, flow: &mut Flow<'c>) {
    let kind = context.metadata_kind("tbaa");
    let functions = module.functions().filter(|function| !function.is_declaration());
    for instruction in functions.flat_map(Function::instructions) {
        let name = accessed_type(instruction).and_then(Type::float_name);
        if let Some(name) = name.or_else(|| accessed_bits(instruction, flow))
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

/// The type of the number whose bits a load or store moves.
fn accessed_bits<'c>(instruction: Instruction<'c>, flow: &mut Flow<'c>) -> Option<&'static str> {
    let (ty, pointer) = match instruction.opcode() {
        Opcode::Load => (instruction.ty(), instruction.operand(0)),
        Opcode::Store => (instruction.operand(0).ty(), instruction.operand(1)),
        _ => return None,
    };
    let bits = ty.int_bits().filter(|bits| bits % 8 == 0)?;
    match flow.cell_behind(pointer, u64::from(bits / 8)) {
        Cell::Whole(Float::Half) => Some("half"),
        Cell::Whole(Float::Single) => Some("float"),
        Cell::Whole(Float::Double) => Some("double"),
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
