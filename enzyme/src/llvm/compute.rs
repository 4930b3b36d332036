//! Computing with integers, and converting.

use llvm_sys::core::{LLVMBuildBinOp, LLVMBuildCast, LLVMGetICmpPredicate, LLVMGetInstructionOpcode};
use llvm_sys::{LLVMIntPredicate, LLVMOpcode};

use super::{Builder, Instruction, Opcode, Type, Value};

/// An operation on two integers.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Binary {
    Add,
    And,
    Divide,
    Multiply,
    Or,
    ShiftLeft,
    ShiftRight,
    Subtract,
}

/// A conversion between types.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Cast {
    Bits,
    Truncate,
    ZeroExtend,
}

impl<'c> Builder<'c> {
    /// An operation on unsigned integers.
    pub(crate) fn binary(&self, operation: Binary, left: Value<'c>, right: Value<'c>) -> Value<'c> {
        let opcode = match operation {
            Binary::Add => LLVMOpcode::LLVMAdd,
            Binary::And => LLVMOpcode::LLVMAnd,
            Binary::Divide => LLVMOpcode::LLVMUDiv,
            Binary::Multiply => LLVMOpcode::LLVMMul,
            Binary::Or => LLVMOpcode::LLVMOr,
            Binary::ShiftLeft => LLVMOpcode::LLVMShl,
            Binary::ShiftRight => LLVMOpcode::LLVMLShr,
            Binary::Subtract => LLVMOpcode::LLVMSub,
        };
        // SAFETY: the builder has a place; operands are live; likewise below.
        Value::some(unsafe { LLVMBuildBinOp(self.raw(), opcode, left.raw(), right.raw(), c"".as_ptr()) })
    }

    pub(crate) fn cast(&self, cast: Cast, value: Value<'c>, ty: Type<'c>) -> Value<'c> {
        let opcode = match cast {
            Cast::Bits => LLVMOpcode::LLVMBitCast,
            Cast::Truncate => LLVMOpcode::LLVMTrunc,
            Cast::ZeroExtend => LLVMOpcode::LLVMZExt,
        };
        // SAFETY: see `binary`.
        Value::some(unsafe { LLVMBuildCast(self.raw(), opcode, value.raw(), ty.raw(), c"".as_ptr()) })
    }
}

impl Instruction<'_> {
    pub(crate) fn is_addition(self) -> bool {
        // SAFETY: the instruction is live; likewise below.
        unsafe { LLVMGetInstructionOpcode(self.raw()) == LLVMOpcode::LLVMAdd }
    }

    pub(crate) fn is_subtraction(self) -> bool {
        // SAFETY: see `is_addition`.
        unsafe { LLVMGetInstructionOpcode(self.raw()) == LLVMOpcode::LLVMSub }
    }

    pub(crate) fn is_multiplication(self) -> bool {
        // SAFETY: see `is_addition`.
        unsafe { LLVMGetInstructionOpcode(self.raw()) == LLVMOpcode::LLVMMul }
    }

    pub(crate) fn is_and(self) -> bool {
        // SAFETY: see `is_addition`.
        unsafe { LLVMGetInstructionOpcode(self.raw()) == LLVMOpcode::LLVMAnd }
    }

    pub(crate) fn is_or(self) -> bool {
        // SAFETY: see `is_addition`.
        unsafe { LLVMGetInstructionOpcode(self.raw()) == LLVMOpcode::LLVMOr }
    }

    /// Whether it compares two integers for being equal.
    pub(crate) fn is_equality(self) -> bool {
        self.compares(LLVMIntPredicate::LLVMIntEQ)
    }

    /// Whether it compares two unsigned integers for the first being less.
    pub(crate) fn is_less_unsigned(self) -> bool {
        self.compares(LLVMIntPredicate::LLVMIntULT)
    }

    fn compares(self, predicate: LLVMIntPredicate) -> bool {
        // SAFETY: asked of comparisons of integers only.
        self.opcode() == Opcode::ICmp && unsafe { LLVMGetICmpPredicate(self.raw()) } == predicate
    }
}
