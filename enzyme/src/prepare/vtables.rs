//! Vtables, and other constant data that holds addresses of functions.

use std::collections::HashSet;

use crate::llvm::{Context, Global, Module, Value};
use crate::targets::functions_in;

/// Tells Enzyme that addresses of functions in constant data have no shadows: those of vtables, say.
/// Data that leads on to mutable memory is left alone.
pub(super) fn mark_inactive<'c>(context: &'c Context, module: &Module<'c>) {
    for global in module.globals().filter(|global| global.is_constant_global()) {
        if !functions_in(global).is_empty() && leads_to_constants(global, &mut HashSet::new()) {
            let node = context.metadata_node(&[]);
            global.set_metadata(context.metadata_kind("enzyme_inactive"), node);
        }
    }
}

/// Whether all that can be reached from a global is constant.
fn leads_to_constants<'c>(global: Global<'c>, seen: &mut HashSet<Global<'c>>) -> bool {
    if !seen.insert(global) {
        return true;
    }
    let parts = global.initializer().map(globals_in).unwrap_or_default();
    global.is_constant_global() && parts.into_iter().all(|part| leads_to_constants(part, seen))
}

/// The globals whose addresses are parts of a constant.
fn globals_in(constant: Value<'_>) -> Vec<Global<'_>> {
    if let Some(global) = constant.as_global() {
        return vec![global];
    }
    let parts = constant.operands().filter(|part| part.as_function().is_none());
    parts.flat_map(globals_in).collect()
}
