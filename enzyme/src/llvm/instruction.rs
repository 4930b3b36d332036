//! Instructions.

use std::ops::Deref;

use llvm_sys::core::{
    LLVMAddIncoming, LLVMCountIncoming, LLVMGetCalledFunctionType, LLVMGetCalledValue,
    LLVMGetCmpXchgSuccessOrdering, LLVMGetCondition, LLVMGetGEPSourceElementType, LLVMGetICmpPredicate,
    LLVMGetIncomingBlock, LLVMGetIncomingValue, LLVMGetInstructionOpcode, LLVMGetInstructionParent,
    LLVMGetMetadata, LLVMGetNextInstruction, LLVMGetNumArgOperands, LLVMGetNumSuccessors, LLVMGetOrdering,
    LLVMGetSuccessor, LLVMGetSwitchCaseValue, LLVMHasMetadata, LLVMInstructionEraseFromParent,
    LLVMIsAInlineAsm, LLVMIsConditional, LLVMSetMetadata, LLVMSetSuccessor,
};
use llvm_sys::prelude::LLVMValueRef;
use llvm_sys::{LLVMAtomicOrdering, LLVMIntPredicate, LLVMOpcode};

use super::iter::list;
use super::{Block, Function, Metadata, Type, Value};

/// An instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Instruction<'c>(Value<'c>);

list!(
    /// The instructions of a block.
    Instructions: Instruction, LLVMGetNextInstruction
);

/// What an instruction does, as far as we care.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Opcode {
    Alloca,
    AtomicRmw,
    BitCast,
    Branch,
    Call,
    CompareExchange,
    /// A value that is copied as it is: freeze.
    Copy,
    /// A part of a value that is copied: extractvalue.
    Extract,
    FCmp,
    GetElementPtr,
    /// A value of which a part is replaced: insertvalue.
    Insert,
    IntToPtr,
    Invoke,
    LandingPad,
    Load,
    Or,
    Phi,
    PtrToInt,
    Resume,
    Return,
    Select,
    ShiftLeft,
    ShiftRight,
    Store,
    Switch,
    Truncate,
    Unreachable,
    ICmp,
    ZeroExtend,
    Other,
}

impl<'c> Deref for Instruction<'c> {
    type Target = Value<'c>;

    fn deref(&self) -> &Value<'c> {
        &self.0
    }
}

impl<'c> Instruction<'c> {
    pub(super) fn of(value: Value<'c>) -> Self {
        Instruction(value)
    }

    /// # Safety
    /// `raw` is null or an instruction.
    pub(super) unsafe fn wrap(raw: LLVMValueRef) -> Option<Self> {
        Value::wrap(raw).map(Instruction)
    }

    pub(crate) fn value(self) -> Value<'c> {
        self.0
    }

    pub(crate) fn opcode(self) -> Opcode {
        // SAFETY: the instruction is live; likewise below.
        match unsafe { LLVMGetInstructionOpcode(self.raw()) } {
            LLVMOpcode::LLVMAlloca => Opcode::Alloca,
            LLVMOpcode::LLVMAtomicRMW => Opcode::AtomicRmw,
            LLVMOpcode::LLVMBitCast => Opcode::BitCast,
            LLVMOpcode::LLVMBr => Opcode::Branch,
            LLVMOpcode::LLVMCall => Opcode::Call,
            LLVMOpcode::LLVMAtomicCmpXchg => Opcode::CompareExchange,
            LLVMOpcode::LLVMExtractValue => Opcode::Extract,
            LLVMOpcode::LLVMFCmp => Opcode::FCmp,
            LLVMOpcode::LLVMFreeze => Opcode::Copy,
            LLVMOpcode::LLVMInsertValue => Opcode::Insert,
            LLVMOpcode::LLVMLShr => Opcode::ShiftRight,
            LLVMOpcode::LLVMOr => Opcode::Or,
            LLVMOpcode::LLVMShl => Opcode::ShiftLeft,
            LLVMOpcode::LLVMTrunc => Opcode::Truncate,
            LLVMOpcode::LLVMZExt => Opcode::ZeroExtend,
            LLVMOpcode::LLVMGetElementPtr => Opcode::GetElementPtr,
            LLVMOpcode::LLVMIntToPtr => Opcode::IntToPtr,
            LLVMOpcode::LLVMInvoke => Opcode::Invoke,
            LLVMOpcode::LLVMLandingPad => Opcode::LandingPad,
            LLVMOpcode::LLVMLoad => Opcode::Load,
            LLVMOpcode::LLVMPHI => Opcode::Phi,
            LLVMOpcode::LLVMPtrToInt => Opcode::PtrToInt,
            LLVMOpcode::LLVMResume => Opcode::Resume,
            LLVMOpcode::LLVMRet => Opcode::Return,
            LLVMOpcode::LLVMSelect => Opcode::Select,
            LLVMOpcode::LLVMStore => Opcode::Store,
            LLVMOpcode::LLVMSwitch => Opcode::Switch,
            LLVMOpcode::LLVMUnreachable => Opcode::Unreachable,
            LLVMOpcode::LLVMICmp => Opcode::ICmp,
            _ => Opcode::Other,
        }
    }

    pub(crate) fn block(self) -> Block<'c> {
        // SAFETY: see `opcode`; every instruction we see is in a block.
        unsafe { Block::wrap(LLVMGetInstructionParent(self.raw())).expect("an instruction is in a block") }
    }

    pub(crate) fn successors(self) -> Vec<Block<'c>> {
        // SAFETY: in bounds; terminators only.
        unsafe {
            let count = LLVMGetNumSuccessors(self.raw());
            (0..count).filter_map(|index| Block::wrap(LLVMGetSuccessor(self.raw(), index))).collect()
        }
    }

    pub(crate) fn set_successor(self, index: u32, to: Block<'c>) {
        // SAFETY: the caller took the index from `successors`.
        unsafe { LLVMSetSuccessor(self.raw(), index, to.raw()) }
    }

    /// The condition of a conditional branch.
    pub(crate) fn condition(self) -> Option<Value<'c>> {
        if self.opcode() != Opcode::Branch {
            return None;
        }
        // SAFETY: asked of branches only.
        unsafe { (LLVMIsConditional(self.raw()) != 0).then(|| Value::some(LLVMGetCondition(self.raw()))) }
    }

    /// Of a comparison of integers or pointers: whether it is for equality or for the opposite.
    pub(crate) fn compares_equality(self) -> Option<bool> {
        if self.opcode() != Opcode::ICmp {
            return None;
        }
        // SAFETY: asked of comparisons only.
        match unsafe { LLVMGetICmpPredicate(self.raw()) } {
            LLVMIntPredicate::LLVMIntEQ => Some(true),
            LLVMIntPredicate::LLVMIntNE => Some(false),
            _ => None,
        }
    }

    /// Whether it divides floating-point numbers.
    pub(crate) fn is_division(self) -> bool {
        // SAFETY: see `opcode`.
        unsafe { LLVMGetInstructionOpcode(self.raw()) == LLVMOpcode::LLVMFDiv }
    }

    /// Of a product with a constant that is not zero: the other factor.
    pub(crate) fn factor(self) -> Option<Value<'c>> {
        // SAFETY: see `opcode`.
        let opcode = unsafe { LLVMGetInstructionOpcode(self.raw()) };
        if !matches!(opcode, LLVMOpcode::LLVMMul | LLVMOpcode::LLVMShl) {
            return None;
        }
        let constant = self.operand(1).as_integer()?;
        (constant != 0 || opcode == LLVMOpcode::LLVMShl).then(|| self.operand(0))
    }

    /// The value for which a switch goes to its successor number `index`, which is not the default's.
    pub(crate) fn switch_case(self, index: u32) -> Value<'c> {
        debug_assert!(self.opcode() == Opcode::Switch && index > 0);
        // SAFETY: asked of switches only, for one of their successors.
        Value::some(unsafe { LLVMGetSwitchCaseValue(self.raw(), index) })
    }

    pub(crate) fn is_call(self) -> bool {
        matches!(self.opcode(), Opcode::Call | Opcode::Invoke)
    }

    /// The function that a call calls, when it is known.
    pub(crate) fn callee(self) -> Option<Function<'c>> {
        if !self.is_call() {
            return None;
        }
        // SAFETY: asked of calls only.
        Value::some(unsafe { LLVMGetCalledValue(self.raw()) }).as_function()
    }

    /// Whatever a call calls.
    pub(crate) fn called(self) -> Value<'c> {
        debug_assert!(self.is_call());
        // SAFETY: asked of calls only; likewise below.
        Value::some(unsafe { LLVMGetCalledValue(self.raw()) })
    }

    /// The signature by which a call calls.
    pub(crate) fn called_type(self) -> Type<'c> {
        debug_assert!(self.is_call());
        // SAFETY: see `called`.
        Type::wrap(unsafe { LLVMGetCalledFunctionType(self.raw()) })
    }

    /// How many bytes an address computation adds to its base, where that is known and the steps are
    /// of plain numbers or pointers.
    pub(crate) fn byte_offset(self) -> Option<u64> {
        debug_assert!(self.opcode() == Opcode::GetElementPtr);
        // SAFETY: asked of address computations only.
        let step = Type::wrap(unsafe { LLVMGetGEPSourceElementType(self.raw()) });
        let size = if step.is_pointer() { 8 } else { u64::from(step.int_bits()? / 8) };
        (self.operand_count() == 2).then(|| self.operand(1).as_integer()).flatten()?.checked_mul(size)
    }

    /// Whether it calls assembler code.
    pub(crate) fn is_inline_asm(self) -> bool {
        // SAFETY: a cast that yields null for other kinds.
        unsafe { !LLVMIsAInlineAsm(self.called().raw()).is_null() }
    }

    /// Has a call call another function of the same signature.
    pub(crate) fn set_callee(self, function: Function<'c>) {
        debug_assert!(self.is_call());
        self.set_operand(self.operand_count() - 1, *function);
    }

    /// What a call passes.
    pub(crate) fn arguments(self) -> Vec<Value<'c>> {
        debug_assert!(self.is_call());
        // SAFETY: see `called`.
        let count = unsafe { LLVMGetNumArgOperands(self.raw()) };
        (0..count).map(|index| self.operand(index)).collect()
    }

    /// Whether an atomic operation orders no other access to memory.
    pub(crate) fn is_relaxed(self) -> bool {
        // SAFETY: each is asked of what it is for.
        let ordering = unsafe {
            match self.opcode() {
                Opcode::CompareExchange => LLVMGetCmpXchgSuccessOrdering(self.raw()),
                _ => LLVMGetOrdering(self.raw()),
            }
        };
        ordering == LLVMAtomicOrdering::LLVMAtomicOrderingMonotonic
    }

    /// Values of a phi by incoming block.
    pub(crate) fn incoming(self) -> Vec<(Value<'c>, Block<'c>)> {
        debug_assert!(self.opcode() == Opcode::Phi);
        // SAFETY: in bounds; asked of phis only.
        unsafe {
            (0..LLVMCountIncoming(self.raw()))
                .filter_map(|index| {
                    let block = Block::wrap(LLVMGetIncomingBlock(self.raw(), index))?;
                    Some((Value::some(LLVMGetIncomingValue(self.raw(), index)), block))
                })
                .collect()
        }
    }

    pub(crate) fn add_incoming(self, value: Value<'c>, from: Block<'c>) {
        debug_assert!(self.opcode() == Opcode::Phi);
        // SAFETY: LLVM copies the lists.
        unsafe { LLVMAddIncoming(self.raw(), &mut value.raw(), &mut from.raw(), 1) }
    }

    pub(crate) fn set_metadata(self, kind: u32, node: Option<Metadata<'c>>) {
        let raw = node.map_or(std::ptr::null_mut(), Metadata::as_value);
        // SAFETY: null removes the metadata.
        unsafe { LLVMSetMetadata(self.raw(), kind, raw) }
    }

    pub(crate) fn metadata(self, kind: u32) -> Option<Metadata<'c>> {
        // SAFETY: see `opcode`; null where there is none.
        unsafe {
            (LLVMHasMetadata(self.raw()) != 0)
                .then(|| Metadata::of_value(LLVMGetMetadata(self.raw(), kind)))
                .flatten()
        }
    }

    pub(crate) fn has_metadata(self, kind: u32) -> bool {
        self.metadata(kind).is_some()
    }

    /// Takes it out of its block. It must have no users.
    pub(crate) fn erase(self) {
        // SAFETY: consumes the handle.
        unsafe { LLVMInstructionEraseFromParent(self.raw()) }
    }
}
