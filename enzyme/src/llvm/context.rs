//! The context that everything else lives in.

use std::cell::RefCell;
use std::ffi::c_void;

use llvm_sys::LLVMDiagnosticSeverity;
use llvm_sys::core::{
    LLVMContextCreate, LLVMContextDispose, LLVMContextSetDiagnosticHandler, LLVMGetDiagInfoDescription,
    LLVMGetDiagInfoSeverity,
};
use llvm_sys::prelude::{LLVMContextRef, LLVMDiagnosticInfoRef};

use super::message::take_message;

/// Owns types, constants and modules. Errors that LLVM reports are collected, never printed.
pub(crate) struct Context {
    raw: LLVMContextRef,
    // Boxed: its address is known to LLVM.
    errors: Box<RefCell<Vec<String>>>,
}

impl Context {
    pub(crate) fn new() -> Self {
        let errors = Box::new(RefCell::new(Vec::new()));
        // SAFETY: the handler's data outlives the context, which is disposed of first in `drop`.
        let raw = unsafe {
            let raw = LLVMContextCreate();
            // Without a handler LLVM exits the process on the first malformed module.
            LLVMContextSetDiagnosticHandler(raw, Some(collect), (&raw const *errors).cast_mut().cast());
            raw
        };
        Context { raw, errors }
    }

    /// The errors reported since the last call.
    pub(crate) fn take_errors(&self) -> Vec<String> {
        self.errors.take()
    }

    pub(super) fn raw(&self) -> LLVMContextRef {
        self.raw
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: created in `new`; everything in it borrows `self`.
        unsafe { LLVMContextDispose(self.raw) }
    }
}

extern "C" fn collect(info: LLVMDiagnosticInfoRef, data: *mut c_void) {
    // SAFETY: LLVM passes a live diagnostic and the data given in `Context::new`.
    unsafe {
        if matches!(LLVMGetDiagInfoSeverity(info), LLVMDiagnosticSeverity::LLVMDSError) {
            let text = take_message(LLVMGetDiagInfoDescription(info));
            (*data.cast::<RefCell<Vec<String>>>()).borrow_mut().push(text);
        }
    }
}
