//! Metadata.

use std::marker::PhantomData;

use llvm_sys::core::{
    LLVMGetMDKindIDInContext, LLVMGetMDNodeNumOperands, LLVMGetMDNodeOperands, LLVMGetValueContext,
    LLVMMDNodeInContext2, LLVMMDStringInContext2, LLVMMetadataAsValue, LLVMValueAsMetadata,
};
use llvm_sys::prelude::{LLVMContextRef, LLVMMetadataRef, LLVMValueRef};

use super::{Context, Value};

/// A metadata node, string or constant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Metadata<'c>(LLVMMetadataRef, LLVMContextRef, PhantomData<&'c Context>);

impl Context {
    /// The number that LLVM gives a kind of metadata.
    pub(crate) fn metadata_kind(&self, name: &str) -> u32 {
        // SAFETY: LLVM copies the name.
        unsafe { LLVMGetMDKindIDInContext(self.raw(), name.as_ptr().cast(), name.len() as u32) }
    }

    pub(crate) fn metadata_string(&self, text: &str) -> Metadata<'_> {
        // SAFETY: LLVM copies the text.
        let raw = unsafe { LLVMMDStringInContext2(self.raw(), text.as_ptr().cast(), text.len()) };
        Metadata(raw, self.raw(), PhantomData)
    }

    pub(crate) fn metadata_value<'c>(&'c self, value: Value<'c>) -> Metadata<'c> {
        // SAFETY: the value is live.
        Metadata(unsafe { LLVMValueAsMetadata(value.raw()) }, self.raw(), PhantomData)
    }

    pub(crate) fn metadata_node<'c>(&'c self, operands: &[Metadata<'c>]) -> Metadata<'c> {
        let mut raw: Vec<_> = operands.iter().map(|operand| operand.0).collect();
        // SAFETY: LLVM copies the list.
        let node = unsafe { LLVMMDNodeInContext2(self.raw(), raw.as_mut_ptr(), raw.len()) };
        Metadata(node, self.raw(), PhantomData)
    }
}

impl<'c> Metadata<'c> {
    /// # Safety
    /// `raw` is null or a node as LLVM gives it out: wrapped in a value.
    pub(super) unsafe fn of_value(raw: LLVMValueRef) -> Option<Self> {
        // SAFETY: asked of values only.
        (!raw.is_null())
            .then(|| unsafe { Metadata(LLVMValueAsMetadata(raw), LLVMGetValueContext(raw), PhantomData) })
    }

    /// What a node lists, null aside.
    pub(crate) fn operands(self) -> Vec<Metadata<'c>> {
        let node = self.as_value();
        // SAFETY: LLVM fills the list, which is as long as it says.
        unsafe {
            let mut list = vec![std::ptr::null_mut(); LLVMGetMDNodeNumOperands(node) as usize];
            LLVMGetMDNodeOperands(node, list.as_mut_ptr());
            list.into_iter().filter_map(|operand| Metadata::of_value(operand)).collect()
        }
    }

    pub(super) fn raw(self) -> LLVMMetadataRef {
        self.0
    }

    /// As `LLVMSetMetadata` wants it.
    pub(super) fn as_value(self) -> LLVMValueRef {
        // SAFETY: the node lives as long as its context.
        unsafe { LLVMMetadataAsValue(self.1, self.0) }
    }
}
