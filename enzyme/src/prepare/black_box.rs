//! `black_box`: inline assembly without instructions. It has kept the optimiser from looking through
//! it; Enzyme would ask for the derivative of assembly.

use crate::llvm::{Function, Module};

/// Removes what only pretends to use a value.
pub(super) fn open(module: &Module<'_>) {
    let functions = module.functions().filter(|function| !function.is_declaration());
    let calls = functions.flat_map(Function::instructions).filter(|it| it.is_empty_asm());
    for call in calls.filter(|call| call.ty().is_void()).collect::<Vec<_>>() {
        call.erase();
    }
}
