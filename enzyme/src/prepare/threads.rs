//! Threads. The reverse sweep would have to start them again, the other way round.

use crate::llvm::Module;
use crate::reason::Reason;
use crate::symbol::{self, Threads};

/// Finds functions that start threads.
pub(super) fn check(module: &Module<'_>) -> Option<Reason> {
    let functions = module.functions().map(|function| function.name());
    let starters = functions.filter_map(|name| Some((symbol::starts_threads(&name)?, name)));
    // The outermost of those that call each other is what the user wrote.
    let first = starters.min_by_key(|(kind, name)| (*kind, name.len()));
    first.map(|(kind, function)| Reason::Threads { function, kind })
}

impl Threads {
    /// What to call it in messages.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Threads::Rayon => "`rayon`",
            Threads::Scope => "`std::thread::scope`",
            Threads::Spawn => "`std::thread::spawn`",
            Threads::Builder => "`std::thread::Builder`",
        }
    }
}
