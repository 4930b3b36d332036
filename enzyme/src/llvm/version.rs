//! Which LLVM this is.

use llvm_sys::core::LLVMGetVersion;

/// The version of rustc's LLVM, such as `22.1.2`.
pub(crate) fn version() -> String {
    let (mut major, mut minor, mut patch) = (0, 0, 0);
    // SAFETY: it writes three numbers.
    unsafe { LLVMGetVersion(&raw mut major, &raw mut minor, &raw mut patch) }
    format!("{major}.{minor}.{patch}")
}
