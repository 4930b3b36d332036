//! What `core::hint::black_box` becomes: empty assembly that is given an address. It keeps the
//! optimiser from looking, and Enzyme as well.

use crate::llvm::{Function, Module};

/// Removes assembly that has neither text nor results.
pub(super) fn remove(module: &Module<'_>) {
    let functions = module.functions().filter(|function| !function.is_declaration());
    for call in functions.flat_map(Function::instructions).filter(|it| it.is_call()) {
        if call.ty().is_void() && call.assembly().is_some_and(|text| text.is_empty()) {
            call.erase();
        }
    }
}
