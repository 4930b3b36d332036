//! Global variables. Enzyme asks for a shadow of each one it meets, and there is none.

use super::flow::Flow;
use crate::llvm::{Context, Module};

/// Tells Enzyme of mutable global variables that no derivative flows through. Where floating-point
/// values may be stored in one it is left alone: Enzyme then refuses, where a zero would be wrong.
pub(super) fn mark_inactive<'c>(context: &'c Context, module: &Module<'c>, flow: &mut Flow<'c>) {
    let node = context.metadata_node(&[]);
    for global in module.globals().filter(|global| !global.is_constant_global()) {
        let marker = global.name().starts_with("enzyme_");
        if !marker && !flow.stores_floats_behind(*global) {
            global.set_metadata(context.metadata_kind("enzyme_inactive"), node);
            flow.treat_as_constant(*global);
        }
    }
}
