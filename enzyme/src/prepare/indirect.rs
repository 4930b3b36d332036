//! Calls through function pointers.

use std::collections::HashSet;

use super::flow::{Flow, is_called_indirectly};
use super::state;
use crate::class::Class;
use crate::llvm::{Function, Module, Value};
use crate::reason::Reason;
use crate::{derivative, symbol};

/// Finds a call of a function pointer that comes from constant data: Enzyme takes such a call for
/// constant too, and its derivative for zero, whatever is passed to it. And one that may be of a function
/// that takes a derivative, of which Enzyme makes no derivative in turn.
pub(super) fn check<'c>(module: &Module<'c>, flow: &mut Flow<'c>) -> Option<Reason> {
    let inner = any_takes_derivative(module);
    let functions = module.functions().filter(|function| !state::is_native(*function));
    functions.flat_map(Function::instructions).find_map(|call| {
        let outside = call.is_call()
            && call.callee().is_none()
            && !call.is_inline_asm()
            && (inner || flow.is_from_constants(call.called()));
        outside.then(|| Reason::at(Class::Indirect, call))
    })
}

/// Whether a function whose address is taken takes a derivative, or calls one that does.
fn any_takes_derivative(module: &Module<'_>) -> bool {
    let entries = module.functions().filter(|function| derivative::is_enzyme(&function.name()));
    let mut found: HashSet<_> = HashSet::new();
    let mut left: Vec<_> = entries.collect();
    while let Some(function) = left.pop() {
        let users = function.users().into_iter().filter_map(Value::as_instruction);
        let callers = users.filter(|user| user.is_call() && user.callee() == Some(function));
        let callers = callers.map(|call| call.block().function());
        left.extend(callers.filter(|caller| !symbol::is_derivative(&caller.name()) && found.insert(*caller)));
    }
    found.into_iter().any(is_called_indirectly)
}
