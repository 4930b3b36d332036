//! Calls through function pointers.

use super::flow::Flow;
use super::state;
use crate::class::Class;
use crate::llvm::{Function, Module};
use crate::reason::Reason;

/// Finds a call of a function pointer that comes from constant data. Enzyme takes such a call for
/// constant too, and its derivative for zero, whatever is passed to it.
pub(super) fn check<'c>(module: &Module<'c>, flow: &mut Flow<'c>) -> Option<Reason> {
    let functions = module.functions().filter(|function| !state::is_native(*function));
    functions.flat_map(Function::instructions).find_map(|call| {
        let outside = call.is_call()
            && call.callee().is_none()
            && !call.is_inline_asm()
            && flow.is_from_constants(call.called());
        outside.then(|| Reason::at(Class::Indirect, call))
    })
}
