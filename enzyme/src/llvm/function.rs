//! Functions.

use std::ops::Deref;

use llvm_sys::core::{
    LLVMAppendBasicBlockInContext, LLVMCountParams, LLVMGetFirstBasicBlock, LLVMGetIntrinsicID,
    LLVMGetNextFunction, LLVMGetParam, LLVMGlobalEraseMetadata, LLVMGlobalGetValueType, LLVMHasPersonalityFn,
    LLVMInsertBasicBlockInContext, LLVMSetPersonalityFn,
};
use llvm_sys::prelude::LLVMValueRef;

use super::block::Blocks;
use super::instruction::Instruction;
use super::iter::list;
use super::{Block, Context, Type, Value};

/// The number of the kind `dbg`, which is fixed.
const DEBUG_INFORMATION: u32 = 0;

/// A function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Function<'c>(Value<'c>);

list!(
    /// The functions of a module.
    Functions: Function, LLVMGetNextFunction
);

impl<'c> Deref for Function<'c> {
    type Target = Value<'c>;

    fn deref(&self) -> &Value<'c> {
        &self.0
    }
}

impl<'c> Function<'c> {
    pub(super) fn of(value: Value<'c>) -> Self {
        Function(value)
    }

    /// # Safety
    /// `raw` is null or a function.
    pub(super) unsafe fn wrap(raw: LLVMValueRef) -> Option<Self> {
        Value::wrap(raw).map(Function)
    }

    pub(crate) fn signature(self) -> Type<'c> {
        // SAFETY: the function is live; likewise below.
        Type::wrap(unsafe { LLVMGlobalGetValueType(self.raw()) })
    }

    pub(crate) fn param_count(self) -> u32 {
        // SAFETY: see `signature`.
        unsafe { LLVMCountParams(self.raw()) }
    }

    pub(crate) fn param(self, index: u32) -> Value<'c> {
        assert!(index < self.param_count());
        // SAFETY: in bounds.
        Value::some(unsafe { LLVMGetParam(self.raw(), index) })
    }

    pub(crate) fn is_intrinsic(self) -> bool {
        // SAFETY: see `signature`.
        unsafe { LLVMGetIntrinsicID(self.raw()) != 0 }
    }

    pub(crate) fn entry(self) -> Option<Block<'c>> {
        // SAFETY: see `signature`.
        unsafe { Block::wrap(LLVMGetFirstBasicBlock(self.raw())) }
    }

    pub(crate) fn blocks(self) -> Blocks<'c> {
        // SAFETY: see `signature`.
        Blocks::from(self.entry())
    }

    /// All instructions, in order; the current one may be erased.
    pub(crate) fn instructions(self) -> impl Iterator<Item = Instruction<'c>> {
        self.blocks().flat_map(Block::instructions)
    }

    pub(crate) fn append_block(self, context: &'c Context, name: &std::ffi::CStr) -> Block<'c> {
        // SAFETY: the function is live and in this context.
        unsafe {
            let raw = LLVMAppendBasicBlockInContext(context.raw(), self.raw(), name.as_ptr());
            Block::wrap(raw).expect("a new block")
        }
    }

    /// Adds a block in front of the others: the function then begins with it.
    pub(crate) fn prepend_block(self, context: &'c Context, name: &std::ffi::CStr) -> Block<'c> {
        let Some(entry) = self.entry() else { return self.append_block(context, name) };
        // SAFETY: see `append_block`.
        unsafe {
            let raw = LLVMInsertBasicBlockInContext(context.raw(), entry.raw(), name.as_ptr());
            Block::wrap(raw).expect("a new block")
        }
    }

    /// Deletes the body: a declaration is left.
    pub(crate) fn drop_body(self, context: &'c Context) {
        Block::erase_all(context, &self.blocks().collect::<Vec<_>>());
        // SAFETY: the function is live; null takes the personality away. A declaration must not have
        // debug information, the first of LLVM's own kinds of metadata.
        unsafe {
            LLVMGlobalEraseMetadata(self.raw(), DEBUG_INFORMATION);
            if LLVMHasPersonalityFn(self.raw()) != 0 {
                LLVMSetPersonalityFn(self.raw(), std::ptr::null_mut());
            }
        }
    }
}
