//! Modules.

use std::ffi::{CStr, CString};
use std::marker::PhantomData;
use std::path::Path;
use std::ptr::null_mut;

use llvm_sys::analysis::{LLVMVerifierFailureAction, LLVMVerifyModule};
use llvm_sys::bit_reader::{LLVMGetBitcodeModuleInContext2, LLVMParseBitcodeInContext2};
use llvm_sys::bit_writer::LLVMWriteBitcodeToFile;
use llvm_sys::core::{
    LLVMAddFunction, LLVMAddGlobal, LLVMCloneModule, LLVMDisposeModule, LLVMGetDataLayoutStr,
    LLVMGetFirstFunction, LLVMGetFirstGlobal, LLVMGetFirstGlobalAlias, LLVMGetNamedFunctionWithLength,
    LLVMGetNamedGlobalWithLength, LLVMGetNextGlobalAlias, LLVMGetTarget, LLVMModuleCreateWithNameInContext,
    LLVMPrintModuleToFile, LLVMPrintModuleToString, LLVMSetDataLayout, LLVMSetModuleInlineAsm2,
    LLVMSetTarget,
};
use llvm_sys::debuginfo::LLVMStripModuleDebugInfo;
use llvm_sys::ir_reader::LLVMParseIRInContext2;
use llvm_sys::prelude::LLVMModuleRef;

use super::buffer::Buffer;
use super::function::Functions;
use super::global::Globals;
use super::message::take_message;
use super::{Context, Function, Global, LlvmError, Type, Value};

/// A module: functions, global variables and aliases.
pub(crate) struct Module<'c>(LLVMModuleRef, PhantomData<&'c Context>);

impl Context {
    pub(crate) fn create_module(&self, name: &CStr) -> Module<'_> {
        // SAFETY: LLVM copies the name; the module is disposed of in `drop`.
        Module(unsafe { LLVMModuleCreateWithNameInContext(name.as_ptr(), self.raw()) }, PhantomData)
    }

    /// Reads bitcode without the bodies of functions, which are read when they are linked.
    /// `bytes` must outlive the module, hence the lifetime.
    pub(crate) fn parse_lazily<'c>(&'c self, bytes: &'c [u8]) -> Result<Module<'c>, LlvmError> {
        let buffer = Buffer::new(bytes, c"bitcode");
        let mut raw = null_mut();
        // SAFETY: the reader takes the buffer over only when it succeeds.
        let failed = unsafe { LLVMGetBitcodeModuleInContext2(self.raw(), buffer.raw(), &raw mut raw) != 0 };
        if failed {
            return Err(self.parse_error());
        }
        let _ = buffer.into_raw();
        Ok(Module(raw, PhantomData))
    }

    /// Reads bitcode.
    pub(crate) fn parse_bitcode(&self, bytes: &[u8]) -> Result<Module<'_>, LlvmError> {
        let buffer = Buffer::new(bytes, c"bitcode");
        let mut raw = null_mut();
        // SAFETY: the buffer stays ours.
        let failed = unsafe { LLVMParseBitcodeInContext2(self.raw(), buffer.raw(), &raw mut raw) != 0 };
        if failed { Err(self.parse_error()) } else { Ok(Module(raw, PhantomData)) }
    }

    /// Reads LLVM's text form, NUL-terminated.
    pub(crate) fn parse_text(&self, source: &CStr) -> Result<Module<'_>, LlvmError> {
        let buffer = Buffer::new(source.to_bytes(), c"text");
        let (mut raw, mut message) = (null_mut(), null_mut());
        // SAFETY: this version of the call leaves the buffer with us.
        unsafe {
            if LLVMParseIRInContext2(self.raw(), buffer.raw(), &raw mut raw, &raw mut message) != 0 {
                return Err(LlvmError(take_message(message)));
            }
        }
        Ok(Module(raw, PhantomData))
    }

    fn parse_error(&self) -> LlvmError {
        let errors = self.take_errors();
        LlvmError(if errors.is_empty() { "malformed bitcode".to_owned() } else { errors.join("; ") })
    }
}

impl<'c> Module<'c> {
    pub(super) fn raw(&self) -> LLVMModuleRef {
        self.0
    }

    /// For calls that take the module over.
    pub(super) fn into_raw(self) -> LLVMModuleRef {
        let raw = self.0;
        std::mem::forget(self);
        raw
    }

    pub(crate) fn triple(&self) -> String {
        // SAFETY: LLVM's string is copied; likewise below.
        unsafe { CStr::from_ptr(LLVMGetTarget(self.0)).to_string_lossy().into_owned() }
    }

    pub(crate) fn data_layout(&self) -> String {
        // SAFETY: see `triple`.
        unsafe { CStr::from_ptr(LLVMGetDataLayoutStr(self.0)).to_string_lossy().into_owned() }
    }

    pub(crate) fn set_machine(&self, triple: &str, data_layout: &str) {
        let c = |text: &str| CString::new(text).unwrap_or_default();
        // SAFETY: LLVM copies both.
        unsafe {
            LLVMSetTarget(self.0, c(triple).as_ptr());
            LLVMSetDataLayout(self.0, c(data_layout).as_ptr());
        }
    }

    /// Drops `module asm`: it would be defined twice in the program.
    pub(crate) fn clear_inline_asm(&self) {
        // SAFETY: LLVM copies the text.
        unsafe { LLVMSetModuleInlineAsm2(self.0, c"".as_ptr(), 0) }
    }

    pub(crate) fn strip_debug_info(&self) {
        // SAFETY: the module is live; likewise below.
        unsafe { LLVMStripModuleDebugInfo(self.0) };
    }

    pub(crate) fn functions(&self) -> Functions<'c> {
        // SAFETY: see `strip_debug_info`.
        Functions::from(unsafe { Function::wrap(LLVMGetFirstFunction(self.0)) })
    }

    pub(crate) fn globals(&self) -> Globals<'c> {
        // SAFETY: see `strip_debug_info`.
        Globals::from(unsafe { Global::wrap(LLVMGetFirstGlobal(self.0)) })
    }

    pub(crate) fn aliases(&self) -> Vec<Value<'c>> {
        let mut aliases = Vec::new();
        // SAFETY: the list does not change while it is walked.
        unsafe {
            let mut raw = LLVMGetFirstGlobalAlias(self.0);
            while let Some(alias) = Value::wrap(raw) {
                aliases.push(alias);
                raw = LLVMGetNextGlobalAlias(raw);
            }
        }
        aliases
    }

    pub(crate) fn function(&self, name: &str) -> Option<Function<'c>> {
        // SAFETY: LLVM only reads the name.
        unsafe { Function::wrap(LLVMGetNamedFunctionWithLength(self.0, name.as_ptr().cast(), name.len())) }
    }

    pub(crate) fn global(&self, name: &str) -> Option<Global<'c>> {
        // SAFETY: LLVM only reads the name.
        unsafe { Global::wrap(LLVMGetNamedGlobalWithLength(self.0, name.as_ptr().cast(), name.len())) }
    }

    pub(crate) fn add_function(&self, name: &str, signature: Type<'c>) -> Function<'c> {
        let c_name = CString::new(name).unwrap_or_default();
        // SAFETY: LLVM copies the name.
        let raw = unsafe { LLVMAddFunction(self.0, c_name.as_ptr(), signature.raw()) };
        Function::of(Value::some(raw))
    }

    /// The function of that name, declared if there is none.
    pub(crate) fn declare(&self, name: &str, signature: Type<'c>) -> Function<'c> {
        self.function(name).unwrap_or_else(|| self.add_function(name, signature))
    }

    pub(crate) fn add_global(&self, name: &str, ty: Type<'c>) -> Global<'c> {
        let c_name = CString::new(name).unwrap_or_default();
        // SAFETY: LLVM copies the name.
        let raw = unsafe { LLVMAddGlobal(self.0, ty.raw(), c_name.as_ptr()) };
        Global::of(Value::some(raw))
    }

    /// Everything that is not well-formed, in LLVM's words.
    pub(crate) fn verify(&self) -> Result<(), LlvmError> {
        let mut message = null_mut();
        // SAFETY: the message is taken over whatever the outcome.
        unsafe {
            let action = LLVMVerifierFailureAction::LLVMReturnStatusAction;
            let broken = LLVMVerifyModule(self.0, action, &raw mut message) != 0;
            let message = take_message(message);
            if broken { Err(LlvmError(message)) } else { Ok(()) }
        }
    }

    pub(crate) fn write_bitcode(&self, path: &Path) -> Result<(), LlvmError> {
        let c_path = c_path(path)?;
        // SAFETY: LLVM only reads the path.
        if unsafe { LLVMWriteBitcodeToFile(self.0, c_path.as_ptr()) } != 0 {
            return Err(LlvmError(format!("cannot write {}", path.display())));
        }
        Ok(())
    }

    pub(crate) fn write_text(&self, path: &Path) -> Result<(), LlvmError> {
        let c_path = c_path(path)?;
        let mut message = null_mut();
        // SAFETY: the message is taken over on failure.
        unsafe {
            if LLVMPrintModuleToFile(self.0, c_path.as_ptr(), &raw mut message) != 0 {
                return Err(LlvmError(take_message(message)));
            }
        }
        Ok(())
    }
}

impl Module<'_> {
    /// The module as text.
    pub(crate) fn text(&self) -> String {
        // SAFETY: the module is live; the string is taken over.
        unsafe { take_message(LLVMPrintModuleToString(self.0)) }
    }
}

pub(super) fn c_path(path: &Path) -> Result<CString, LlvmError> {
    CString::new(path.as_os_str().as_encoded_bytes())
        .map_err(|_| LlvmError(format!("the path {} holds a NUL", path.display())))
}

impl Clone for Module<'_> {
    fn clone(&self) -> Self {
        // SAFETY: the module is live; the copy is disposed of in `drop`.
        Module(unsafe { LLVMCloneModule(self.0) }, PhantomData)
    }
}

impl Drop for Module<'_> {
    fn drop(&mut self) {
        // SAFETY: still ours, see `into_raw`.
        unsafe { LLVMDisposeModule(self.0) }
    }
}
