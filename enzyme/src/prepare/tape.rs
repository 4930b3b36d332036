//! Where tapes are. Enzyme takes their memory from the C library; the runtime crate has an
//! allocator that keeps it between calls.

use crate::llvm::{Attribute, Context, Module, Place, Value};
use crate::symbol::Tape;

/// The C library's functions that Enzyme uses, and what LLVM makes of them.
const MALLOC: &str = "malloc";
const CALLOC: &str = "calloc";
const REALLOC: &str = "realloc";
const FREE: &str = "free";

/// Attribute of functions that are called without Enzyme as well.
const FOREIGN: &str = "autodiff-foreign";

/// Remembers which of the C library's functions the program calls itself: what it takes from there
/// it may give back elsewhere.
pub(super) fn mark_foreign<'c>(context: &'c Context, module: &Module<'c>) {
    for function in [MALLOC, CALLOC, REALLOC, FREE].into_iter().filter_map(|name| module.function(name)) {
        if function.has_users() {
            function.add_attribute(context, Place::Function, Attribute::Text(FOREIGN, ""));
        }
    }
}

/// Has tapes use the functions of the runtime crate.
pub(super) fn redirect(module: &Module<'_>, tape: &Tape<'_>) {
    let functions = [
        (MALLOC, tape.allocate),
        (CALLOC, tape.allocate_zeroed),
        (REALLOC, tape.reallocate),
        (FREE, tape.free),
    ];
    let found = functions.into_iter().filter_map(|(name, ours)| Some((module.function(name)?, ours)));
    let found: Vec<_> = found.collect();
    if found.iter().any(|(function, _)| function.text_attribute(Place::Function, FOREIGN).is_some()) {
        return;
    }
    for (function, ours) in found {
        let replacement: Value<'_> = *module.declare(ours, function.signature());
        function.replace_uses(replacement);
    }
}
