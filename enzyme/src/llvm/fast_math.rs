//! What may be done to the results of floating-point arithmetic.

use llvm_sys::core::{
    LLVMCanValueUseFastMathFlags, LLVMGetFastMathFlags, LLVMGetInstructionOpcode, LLVMSetFastMathFlags,
};
use llvm_sys::{
    LLVMFastMathAllowContract, LLVMFastMathAllowReassoc, LLVMFastMathApproxFunc, LLVMFastMathFlags,
    LLVMOpcode,
};

use super::{Builder, Context, Instruction};

/// LLVM's flags of one instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct FastMath(LLVMFastMathFlags);

impl FastMath {
    /// Functions may be approximated: without any effect on plain arithmetic.
    pub(crate) const APPROXIMATE: Self = Self(LLVMFastMathApproxFunc);
    /// Sums and products may be computed in another order and fused: this changes roundings only.
    /// Not by way of a reciprocal, which may overflow where the quotient does not.
    pub(crate) const ROUNDING: Self = Self(LLVMFastMathAllowReassoc | LLVMFastMathAllowContract);

    pub(crate) fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    pub(crate) fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
}

impl<'c> Instruction<'c> {
    /// Whether it adds, subtracts, multiplies, divides or negates floating-point numbers.
    pub(crate) fn is_float_arithmetic(self) -> bool {
        // SAFETY: the instruction is live; likewise below.
        let opcode = unsafe { LLVMGetInstructionOpcode(self.raw()) };
        matches!(
            opcode,
            LLVMOpcode::LLVMFAdd
                | LLVMOpcode::LLVMFSub
                | LLVMOpcode::LLVMFMul
                | LLVMOpcode::LLVMFDiv
                | LLVMOpcode::LLVMFNeg
        )
    }

    pub(crate) fn fast_math(self) -> FastMath {
        // SAFETY: asked of what can have flags only.
        unsafe {
            debug_assert!(LLVMCanValueUseFastMathFlags(self.raw()) != 0);
            FastMath(LLVMGetFastMathFlags(self.raw()))
        }
    }

    /// Sets flags beside those that are set.
    pub(crate) fn add_fast_math(self, flags: FastMath) {
        // SAFETY: see `fast_math`.
        unsafe {
            debug_assert!(LLVMCanValueUseFastMathFlags(self.raw()) != 0);
            LLVMSetFastMathFlags(self.raw(), flags.0);
        }
    }

    /// Replaces arithmetic by the same without these flags, which LLVM's interface cannot clear.
    pub(crate) fn remove_fast_math(self, context: &'c Context, flags: FastMath) {
        let kept = self.fast_math().without(flags);
        let builder = Builder::before(context, self);
        let plain = builder.arithmetic(self);
        if kept != FastMath::default() && plain.is_float_arithmetic() {
            plain.add_fast_math(kept);
        }
        self.replace_uses(plain.value());
        self.erase();
    }
}
