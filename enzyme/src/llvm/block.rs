//! Basic blocks.

use std::marker::PhantomData;

use llvm_sys::core::{
    LLVMBasicBlockAsValue, LLVMDeleteBasicBlock, LLVMGetBasicBlockParent, LLVMGetBasicBlockTerminator,
    LLVMGetFirstInstruction, LLVMGetNextBasicBlock,
};
use llvm_sys::prelude::LLVMBasicBlockRef;

use super::instruction::{Instruction, Instructions, Opcode};
use super::iter::list;
use super::{Builder, Context, Function, Value};

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

    /// An instruction of the block, or the first one after the phis if it is one of them.
    pub(crate) fn after_phis(self, instruction: Instruction<'c>) -> Instruction<'c> {
        if instruction.opcode() != Opcode::Phi {
            return instruction;
        }
        self.instructions().find(|it| it.opcode() != Opcode::Phi).expect("a block has a terminator")
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

    /// Takes blocks out of their function. Nothing outside of them may lead to or use them.
    pub(crate) fn erase_all(context: &'c Context, blocks: &[Block<'c>]) {
        let all = || blocks.iter().flat_map(|block| block.instructions());
        // Poison breaks the uses between instructions, so that they can go in any order.
        for instruction in all().filter(|instruction| instruction.has_users()) {
            instruction.replace_uses(instruction.ty().poison());
        }
        let instructions: Vec<_> = all().collect();
        // The debug records of an erased instruction go to the next one. LLVM keeps those of the last
        // one in a table by the block's address, where they outlive the block and turn up in another.
        for block in blocks {
            Builder::at_end(context, *block).unreachable();
        }
        instructions.into_iter().rev().for_each(Instruction::erase);
        for block in blocks {
            // SAFETY: consumes the handles; all that is left in the block is a terminator that leads
            // nowhere, and no other refers to the block any more.
            unsafe { LLVMDeleteBasicBlock(block.0) }
        }
    }
}
