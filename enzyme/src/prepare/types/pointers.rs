//! Marks on pointers to floating-point numbers: calls that say what they are given and do nothing,
//! and that Enzyme removes.

use crate::llvm::{Attribute, Builder, Context, Function, Instruction, Module, Opcode, Place, Value};
use crate::prepare::flow::Flow;

/// Marks parameters and loaded pointers.
pub(super) fn mark<'c>(context: &'c Context, module: &Module<'c>, flow: &mut Flow<'c>) {
    let functions = module.functions().filter(|function| !function.is_declaration());
    let pointers: Vec<_> = functions.flat_map(pointers_of).collect();
    for (pointer, before) in pointers {
        let (name, kind) = match flow.of_contents(pointer).name() {
            Some(kind @ "Float@double") => ("__enzyme_double", kind),
            Some(kind @ "Float@float") => ("__enzyme_float", kind),
            _ => continue,
        };
        let mark = module.declare(name, context.function(context.void(), &[context.ptr()], false));
        mark.add_attribute(context, Place::Function, Attribute::Enum("nounwind", 0));
        let call = Builder::before(context, before).call(mark, &[pointer]);
        // By its name it would speak of the first number only.
        let tree = format!("{{[-1]:Pointer, [-1,-1]:{kind}}}");
        call.add_call_attribute(context, Place::Param(0), Attribute::Text("enzyme_type", &tree));
    }
}

/// Pointers that come into a function, and where each can be used first.
fn pointers_of(function: Function<'_>) -> Vec<(Value<'_>, Instruction<'_>)> {
    let params = (0..function.param_count()).map(|index| function.param(index));
    let entry = function.instructions().next();
    let params = params.filter_map(|param| Some((param, entry?)));
    let all: Vec<_> = function.instructions().collect();
    let loads = all.windows(2).filter(|pair| pair[0].opcode() == Opcode::Load);
    let loads = loads.map(|pair| (pair[0].value(), pair[1]));
    params.chain(loads).filter(|(pointer, _)| pointer.ty().is_pointer()).collect()
}
