//! Threads. The reverse sweep would have to start them again, the other way round.

use super::custom;
use crate::class::Class;
use crate::llvm::{Module, Value};
use crate::reason::Reason;
use crate::symbol::{self, Threads};

/// Finds functions that start threads.
pub(super) fn check(module: &Module<'_>) -> Option<Reason> {
    let functions = module.functions().filter(|function| !custom::is_own(*function));
    let starters = functions.filter_map(|function| {
        let name = function.name();
        Some((symbol::starts_threads(&name)?, name.len(), function))
    });
    // The outermost of those that call each other is what the user wrote.
    let (kind, _, function) = starters.min_by_key(|(kind, length, _)| (*kind, *length))?;
    let mut calls = function.users().into_iter().filter_map(Value::as_instruction);
    let call = calls.find(|user| user.callee() == Some(function));
    let reason = call
        .map_or_else(|| Reason::within(Class::Threads, function), |call| Reason::at(Class::Threads, call));
    Some(reason.about(kind.name()))
}

impl Threads {
    /// What to call it in messages.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Threads::Rayon => "rayon",
            Threads::Scope => "std::thread::scope",
            Threads::Spawn => "std::thread::spawn",
            Threads::Builder => "std::thread::Builder",
        }
    }
}
