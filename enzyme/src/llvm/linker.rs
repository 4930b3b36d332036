//! LLVM's IR linker.

use llvm_sys::linker::LLVMLinkModules2;

use super::{Context, LlvmError, Module};

/// Moves into `into` what it declares and `from` defines, with all that those definitions refer to.
/// Definitions with external linkage come whether needed or not.
pub(crate) fn link<'c>(context: &'c Context, into: &Module<'c>, from: Module<'c>) -> Result<(), LlvmError> {
    // SAFETY: both are live and in one context; the linker consumes `from` also when it fails.
    let failed = unsafe { LLVMLinkModules2(into.raw(), from.into_raw()) != 0 };
    let errors = context.take_errors();
    if failed || !errors.is_empty() {
        return Err(LlvmError(errors.join("; ")));
    }
    Ok(())
}
