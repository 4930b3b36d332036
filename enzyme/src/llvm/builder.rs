//! Making instructions.

use std::marker::PhantomData;

use llvm_sys::core::{
    LLVMBuildAlloca, LLVMBuildBinOp, LLVMBuildBr, LLVMBuildCall2, LLVMBuildCondBr, LLVMBuildFNeg,
    LLVMBuildGEP2, LLVMBuildICmp, LLVMBuildInBoundsGEP2, LLVMBuildIntToPtr, LLVMBuildLoad2, LLVMBuildMemCpy,
    LLVMBuildNeg, LLVMBuildNot, LLVMBuildOr, LLVMBuildPhi, LLVMBuildPtrToInt, LLVMBuildRet, LLVMBuildRetVoid,
    LLVMBuildSelect, LLVMBuildStore, LLVMBuildStructGEP2, LLVMBuildUnreachable, LLVMCreateBuilderInContext,
    LLVMDisposeBuilder, LLVMGetInstructionOpcode, LLVMInsertIntoBuilder, LLVMInstructionClone,
    LLVMPositionBuilderAtEnd, LLVMPositionBuilderBefore, LLVMSetCurrentDebugLocation2,
};
use llvm_sys::prelude::LLVMBuilderRef;
use llvm_sys::{LLVMIntPredicate, LLVMOpcode};

use super::{Block, Context, Function, Instruction, Type, Value};

const NO_NAME: *const std::ffi::c_char = c"".as_ptr();

/// A place where instructions are put.
pub(crate) struct Builder<'c>(LLVMBuilderRef, PhantomData<&'c Context>);

impl<'c> Builder<'c> {
    /// Puts instructions at the end of `block`.
    pub(crate) fn at_end(context: &'c Context, block: Block<'c>) -> Self {
        // SAFETY: the block is live; the builder is disposed of in `drop`.
        unsafe {
            let raw = LLVMCreateBuilderInContext(context.raw());
            LLVMPositionBuilderAtEnd(raw, block.raw());
            Builder(raw, PhantomData)
        }
    }

    /// Puts instructions right before `instruction`, with its place in the source.
    pub(crate) fn before(context: &'c Context, instruction: Instruction<'c>) -> Self {
        // SAFETY: see `at_end`.
        unsafe {
            let raw = LLVMCreateBuilderInContext(context.raw());
            LLVMPositionBuilderBefore(raw, instruction.raw());
            LLVMSetCurrentDebugLocation2(
                raw,
                llvm_sys::debuginfo::LLVMInstructionGetDebugLoc(instruction.raw()),
            );
            Builder(raw, PhantomData)
        }
    }

    pub(super) fn raw(&self) -> LLVMBuilderRef {
        self.0
    }

    fn made(raw: llvm_sys::prelude::LLVMValueRef) -> Value<'c> {
        Value::some(raw)
    }

    pub(crate) fn call(&self, function: Function<'c>, arguments: &[Value<'c>]) -> Instruction<'c> {
        self.call_value(function.signature(), *function, arguments)
    }

    pub(crate) fn call_value(
        &self,
        signature: Type<'c>,
        called: Value<'c>,
        arguments: &[Value<'c>],
    ) -> Instruction<'c> {
        let mut raw: Vec<_> = arguments.iter().map(|argument| argument.raw()).collect();
        // SAFETY: the builder has a place; operands are live. Likewise below.
        let call = unsafe {
            LLVMBuildCall2(self.0, signature.raw(), called.raw(), raw.as_mut_ptr(), raw.len() as u32, NO_NAME)
        };
        Instruction::of(Self::made(call))
    }

    pub(crate) fn load(&self, ty: Type<'c>, from: Value<'c>) -> Value<'c> {
        // SAFETY: see `call_value`.
        Self::made(unsafe { LLVMBuildLoad2(self.0, ty.raw(), from.raw(), NO_NAME) })
    }

    /// A stack slot. It belongs at the beginning of a function.
    pub(crate) fn slot(&self, ty: Type<'c>) -> Value<'c> {
        // SAFETY: see `call_value`.
        Self::made(unsafe { LLVMBuildAlloca(self.0, ty.raw(), NO_NAME) })
    }

    /// The address of a field of the structure at `base`.
    pub(crate) fn field(&self, structure: Type<'c>, base: Value<'c>, index: u32) -> Value<'c> {
        // SAFETY: see `call_value`.
        Self::made(unsafe { LLVMBuildStructGEP2(self.0, structure.raw(), base.raw(), index, NO_NAME) })
    }

    /// `base` moved by `index` elements of `element`.
    pub(crate) fn offset(&self, element: Type<'c>, base: Value<'c>, index: Value<'c>) -> Value<'c> {
        let mut indices = [index.raw()];
        // SAFETY: see `call_value`.
        Self::made(unsafe {
            LLVMBuildInBoundsGEP2(self.0, element.raw(), base.raw(), indices.as_mut_ptr(), 1, NO_NAME)
        })
    }

    /// A pointer to the address that an integer is.
    pub(crate) fn pointer(&self, to: Type<'c>, address: Value<'c>) -> Value<'c> {
        // SAFETY: see `call_value`.
        Self::made(unsafe { LLVMBuildIntToPtr(self.0, address.raw(), to.raw(), NO_NAME) })
    }

    /// `base` moved by a number of bytes, wherever that leads.
    pub(crate) fn moved(&self, byte: Type<'c>, base: Value<'c>, bytes: Value<'c>) -> Value<'c> {
        let mut indices = [bytes.raw()];
        // SAFETY: see `call_value`.
        Self::made(unsafe { LLVMBuildGEP2(self.0, byte.raw(), base.raw(), indices.as_mut_ptr(), 1, NO_NAME) })
    }

    pub(crate) fn negated(&self, value: Value<'c>) -> Value<'c> {
        // SAFETY: see `call_value`.
        Self::made(unsafe { LLVMBuildNeg(self.0, value.raw(), NO_NAME) })
    }

    pub(crate) fn store(&self, value: Value<'c>, to: Value<'c>) -> Instruction<'c> {
        // SAFETY: see `call_value`.
        Instruction::of(Self::made(unsafe { LLVMBuildStore(self.0, value.raw(), to.raw()) }))
    }

    pub(crate) fn address_as_integer(&self, pointer: Value<'c>, ty: Type<'c>) -> Value<'c> {
        // SAFETY: see `call_value`.
        Self::made(unsafe { LLVMBuildPtrToInt(self.0, pointer.raw(), ty.raw(), NO_NAME) })
    }

    pub(crate) fn equal(&self, left: Value<'c>, right: Value<'c>) -> Value<'c> {
        self.compare(LLVMIntPredicate::LLVMIntEQ, left, right)
    }

    pub(crate) fn less_unsigned(&self, left: Value<'c>, right: Value<'c>) -> Value<'c> {
        self.compare(LLVMIntPredicate::LLVMIntULT, left, right)
    }

    pub(crate) fn less_signed(&self, left: Value<'c>, right: Value<'c>) -> Value<'c> {
        self.compare(LLVMIntPredicate::LLVMIntSLT, left, right)
    }

    fn compare(&self, predicate: LLVMIntPredicate, left: Value<'c>, right: Value<'c>) -> Value<'c> {
        // SAFETY: see `call_value`.
        Self::made(unsafe { LLVMBuildICmp(self.0, predicate, left.raw(), right.raw(), NO_NAME) })
    }

    /// The same computation with floating-point numbers, without flags.
    pub(crate) fn arithmetic(&self, original: Instruction<'c>) -> Instruction<'c> {
        debug_assert!(original.is_float_arithmetic());
        // SAFETY: see `call_value`; of two operands unless it negates.
        let value = unsafe {
            match LLVMGetInstructionOpcode(original.raw()) {
                LLVMOpcode::LLVMFNeg => LLVMBuildFNeg(self.0, original.operand(0).raw(), NO_NAME),
                opcode => {
                    let (left, right) = (original.operand(0), original.operand(1));
                    LLVMBuildBinOp(self.0, opcode, left.raw(), right.raw(), NO_NAME)
                }
            }
        };
        Instruction::of(Self::made(value))
    }

    pub(crate) fn not(&self, value: Value<'c>) -> Value<'c> {
        // SAFETY: see `call_value`.
        Self::made(unsafe { LLVMBuildNot(self.0, value.raw(), NO_NAME) })
    }

    pub(crate) fn or(&self, left: Value<'c>, right: Value<'c>) -> Value<'c> {
        // SAFETY: see `call_value`.
        Self::made(unsafe { LLVMBuildOr(self.0, left.raw(), right.raw(), NO_NAME) })
    }

    /// Puts a copy of an instruction here, with the operands of the original.
    pub(crate) fn copy_of(&self, original: Instruction<'c>) -> Instruction<'c> {
        // SAFETY: the clone is in no block until it is inserted.
        unsafe {
            let clone = LLVMInstructionClone(original.raw());
            LLVMInsertIntoBuilder(self.0, clone);
            Instruction::of(Self::made(clone))
        }
    }

    pub(crate) fn select(&self, condition: Value<'c>, yes: Value<'c>, no: Value<'c>) -> Value<'c> {
        // SAFETY: see `call_value`.
        Self::made(unsafe { LLVMBuildSelect(self.0, condition.raw(), yes.raw(), no.raw(), NO_NAME) })
    }

    pub(crate) fn phi(&self, ty: Type<'c>) -> Instruction<'c> {
        // SAFETY: see `call_value`.
        Instruction::of(Self::made(unsafe { LLVMBuildPhi(self.0, ty.raw(), NO_NAME) }))
    }

    /// Copies `size` bytes between places that do not overlap.
    pub(crate) fn copy(&self, to: Value<'c>, from: Value<'c>, size: Value<'c>) -> Instruction<'c> {
        // SAFETY: see `call_value`; an alignment of 1 is always right.
        Instruction::of(Self::made(unsafe {
            LLVMBuildMemCpy(self.0, to.raw(), 1, from.raw(), 1, size.raw())
        }))
    }

    pub(crate) fn branch_if(&self, condition: Value<'c>, yes: Block<'c>, no: Block<'c>) -> Instruction<'c> {
        // SAFETY: see `call_value`.
        Instruction::of(Self::made(unsafe { LLVMBuildCondBr(self.0, condition.raw(), yes.raw(), no.raw()) }))
    }

    pub(crate) fn branch(&self, to: Block<'c>) {
        // SAFETY: see `call_value`.
        unsafe { LLVMBuildBr(self.0, to.raw()) };
    }

    pub(crate) fn return_void(&self) {
        // SAFETY: see `call_value`.
        unsafe { LLVMBuildRetVoid(self.0) };
    }

    pub(crate) fn return_value(&self, value: Value<'c>) {
        // SAFETY: see `call_value`.
        unsafe { LLVMBuildRet(self.0, value.raw()) };
    }

    pub(crate) fn unreachable(&self) {
        // SAFETY: see `call_value`.
        unsafe { LLVMBuildUnreachable(self.0) };
    }
}

impl Drop for Builder<'_> {
    fn drop(&mut self) {
        // SAFETY: created in `at_end` or `before`.
        unsafe { LLVMDisposeBuilder(self.0) }
    }
}
