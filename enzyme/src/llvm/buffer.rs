//! Memory buffers.

use std::ffi::CStr;
use std::marker::PhantomData;

use llvm_sys::core::{LLVMCreateMemoryBufferWithMemoryRange, LLVMDisposeMemoryBuffer};
use llvm_sys::prelude::LLVMMemoryBufferRef;

/// Bytes lent to LLVM without a copy.
pub(super) struct Buffer<'b> {
    raw: LLVMMemoryBufferRef,
    bytes: PhantomData<&'b [u8]>,
}

impl<'b> Buffer<'b> {
    pub(super) fn new(bytes: &'b [u8], name: &CStr) -> Self {
        // SAFETY: the range is valid for `'b`; no terminator is asked for.
        let raw = unsafe {
            LLVMCreateMemoryBufferWithMemoryRange(bytes.as_ptr().cast(), bytes.len(), name.as_ptr(), 0)
        };
        Buffer { raw, bytes: PhantomData }
    }

    /// For calls that leave the buffer with us.
    pub(super) fn raw(&self) -> LLVMMemoryBufferRef {
        self.raw
    }

    /// For calls that take the buffer over.
    pub(super) fn into_raw(self) -> LLVMMemoryBufferRef {
        let raw = self.raw;
        std::mem::forget(self);
        raw
    }
}

impl Drop for Buffer<'_> {
    fn drop(&mut self) {
        // SAFETY: still ours, see `into_raw`.
        unsafe { LLVMDisposeMemoryBuffer(self.raw) }
    }
}
