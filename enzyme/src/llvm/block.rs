//! Basic blocks.

use std::marker::PhantomData;

use llvm_sys::core::{
    LLVMBasicBlockAsValue, LLVMDeleteBasicBlock, LLVMGetBasicBlockParent, LLVMGetBasicBlockTerminator,
    LLVMGetFirstInstruction, LLVMGetNextBasicBlock,
};
use llvm_sys::prelude::LLVMBasicBlockRef;

use super::instruction::{Instruction, Instructions};
use super::iter::list;
use super::{Context, Function, Value};

/// A basic block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Block<'c>(LLVMBasicBlockRef, PhantomData<&'c Context>);

list!(
    /// The blocks of a function.
    Blocks: Block, LLVMGetNextBasicBlock
);

impl<'c> Block<'c> {
    /// # Safety
    /// `raw` is null or a block.
    pub(super) unsafe fn wrap(raw: LLVMBasicBlockRef) -> Option<Self> {
        (!raw.is_null()).then_some(Block(raw, PhantomData))
    }

    pub(super) fn raw(self) -> LLVMBasicBlockRef {
        self.0
    }

    pub(crate) fn function(self) -> Function<'c> {
        // SAFETY: the block is live and in a function; likewise below.
        unsafe { Function::wrap(LLVMGetBasicBlockParent(self.0)).expect("a block is in a function") }
    }

    pub(crate) fn instructions(self) -> Instructions<'c> {
        // SAFETY: see `function`.
        Instructions::from(unsafe { Instruction::wrap(LLVMGetFirstInstruction(self.0)) })
    }

    pub(crate) fn terminator(self) -> Option<Instruction<'c>> {
        // SAFETY: see `function`.
        unsafe { Instruction::wrap(LLVMGetBasicBlockTerminator(self.0)) }
    }

    /// The block as an operand of terminators.
    pub(crate) fn as_value(self) -> Value<'c> {
        // SAFETY: see `function`.
        Value::some(unsafe { LLVMBasicBlockAsValue(self.0) })
    }

    /// Takes it out of its function. It must have no users.
    pub(crate) fn erase(self) {
        // SAFETY: consumes the handle.
        unsafe { LLVMDeleteBasicBlock(self.0) }
    }
}
