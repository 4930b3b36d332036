//! What is known of types, in the form that Enzyme reads.

use crate::llvm::{Attribute, Context, Function, Instruction, Module, Opcode, Place};
use crate::prepare::flow::Flow;

/// Annotates bulk memory operations and values whose type Enzyme might not find out.
pub(super) fn values<'c>(context: &'c Context, module: &Module<'c>, flow: &mut Flow<'c>) {
    let functions = module.functions().filter(|function| !function.is_declaration());
    for instruction in functions.flat_map(Function::instructions) {
        bulk(context, instruction, flow);
        value(context, instruction, flow);
    }
}

/// Says what a memcpy, memmove or memset moves.
fn bulk<'c>(context: &'c Context, call: Instruction<'c>, flow: &mut Flow<'c>) {
    let Some(name) = call.callee().map(|callee| callee.name()) else { return };
    let pointers: &[u32] = match () {
        () if name.starts_with("llvm.memcpy") || name.starts_with("llvm.memmove") => &[0, 1],
        () if name.starts_with("llvm.memset") => &[0],
        () => return,
    };
    for index in pointers {
        if let Some(kind) = flow.of_contents(call.operand(*index)).name() {
            // The type of all bytes from the first one on.
            let start = context.metadata_value(context.int(64).constant(0));
            let node = context.metadata_node(&[context.metadata_string(kind), start]);
            call.set_metadata(context.metadata_kind("enzyme_truetype"), Some(node));
            let tree = format!("{{[-1]:Pointer, [-1,-1]:{kind}}}");
            call.add_call_attribute(context, Place::Param(*index), Attribute::Text("enzyme_type", &tree));
        }
    }
}

/// Says of a value what it is: of a floating-point value the obvious, of an integer that LLVM made
/// of a copied float or pointer what it was.
fn value<'c>(context: &'c Context, instruction: Instruction<'c>, flow: &mut Flow<'c>) {
    if !matches!(instruction.opcode(), Opcode::Load | Opcode::Phi | Opcode::Select) {
        return;
    }
    let kind = match (instruction.ty().float_name(), instruction.ty().int_bits()) {
        (Some(name), _) => format!("Float@{name}"),
        (None, Some(bits)) => match (flow.of_value(instruction.value()).name(), bits) {
            (Some(kind @ ("Float@double" | "Pointer")), 64) | (Some(kind @ "Float@float"), 32) => {
                kind.to_owned()
            }
            _ => return,
        },
        (None, None) => return,
    };
    let leaf = context.metadata_node(&[context.metadata_string(&kind)]);
    let everywhere = context.metadata_value(context.int(32).constant(u64::from(u32::MAX)));
    let tree = context.metadata_node(&[context.metadata_string("Unknown"), everywhere, leaf]);
    instruction.set_metadata(context.metadata_kind("enzyme_type"), Some(tree));
}
