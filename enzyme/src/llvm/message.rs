//! Strings that LLVM hands over.

use std::ffi::{CStr, c_char};

use llvm_sys::core::LLVMDisposeMessage;
use llvm_sys::error::{LLVMDisposeErrorMessage, LLVMErrorRef, LLVMGetErrorMessage};

/// What LLVM had to say.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{0}")]
pub(crate) struct LlvmError(pub(crate) String);

/// Takes over a message from an out-parameter; it is disposed of here.
///
/// # Safety
/// `raw` is null or a message that the caller owns.
pub(super) unsafe fn take_message(raw: *mut c_char) -> String {
    if raw.is_null() {
        return String::new();
    }
    // SAFETY: non-null messages are NUL-terminated and owned by the caller.
    unsafe {
        let text = CStr::from_ptr(raw).to_string_lossy().into_owned();
        LLVMDisposeMessage(raw);
        text
    }
}

/// Turns an error reference into a result; LLVM consumes the reference.
///
/// # Safety
/// `raw` is null or an error that the caller owns.
pub(super) unsafe fn take_error(raw: LLVMErrorRef) -> Result<(), LlvmError> {
    if raw.is_null() {
        return Ok(());
    }
    // SAFETY: `LLVMGetErrorMessage` consumes the error; its text has a dispose function of its own.
    unsafe {
        let message = LLVMGetErrorMessage(raw);
        let text = CStr::from_ptr(message).to_string_lossy().into_owned();
        LLVMDisposeErrorMessage(message);
        Err(LlvmError(text))
    }
}

/// Borrows a string given as pointer and length.
///
/// # Safety
/// `data` points to `length` bytes that live for `'a`, or `length` is 0.
pub(super) unsafe fn text<'a>(data: *const c_char, length: usize) -> std::borrow::Cow<'a, str> {
    if length == 0 {
        return "".into();
    }
    // SAFETY: as promised by the caller.
    String::from_utf8_lossy(unsafe { std::slice::from_raw_parts(data.cast(), length) })
}
