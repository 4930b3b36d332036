//! Memory that does not vary, in Enzyme's eyes: it marks what it reads in the forward and again in the reverse sweep
//! as being the same, by `invariant.group`. That is true of these loads. But LLVM hands the mark on to loads that it
//! joins with them, also earlier ones, and then no longer sees what is stored in between.

use crate::llvm::{Context, Function, Module, Opcode};

/// Takes the marks away.
pub(super) fn forget<'c>(context: &'c Context, module: &Module<'c>) {
    let kind = context.metadata_kind("invariant.group");
    let instructions = module.functions().flat_map(Function::instructions);
    for access in instructions.filter(|it| matches!(it.opcode(), Opcode::Load | Opcode::Store)) {
        access.set_metadata(kind, None);
    }
}
