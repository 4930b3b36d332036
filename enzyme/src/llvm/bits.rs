//! Operations on the bits of integers.

use llvm_sys::LLVMOpcode;
use llvm_sys::core::{LLVMConstIntGetZExtValue, LLVMGetInstructionOpcode, LLVMIsAConstantInt};

use super::{Instruction, Value};

/// An operation on bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bits {
    ShiftRight,
    ShiftRightSigned,
    ExclusiveOr,
}

impl Instruction<'_> {
    /// The operation on bits that the instruction is, if it is one of these.
    pub(crate) fn bits(self) -> Option<Bits> {
        // SAFETY: the instruction is live.
        Some(match unsafe { LLVMGetInstructionOpcode(self.raw()) } {
            LLVMOpcode::LLVMLShr => Bits::ShiftRight,
            LLVMOpcode::LLVMAShr => Bits::ShiftRightSigned,
            LLVMOpcode::LLVMXor => Bits::ExclusiveOr,
            _ => return None,
        })
    }
}

impl Value<'_> {
    /// An integer constant of at most 64 bits.
    pub(crate) fn as_integer(self) -> Option<u64> {
        self.ty().int_bits().filter(|bits| *bits <= 64)?;
        // SAFETY: a cast that yields null for other kinds; then asked of such constants only.
        unsafe { (!LLVMIsAConstantInt(self.raw()).is_null()).then(|| LLVMConstIntGetZExtValue(self.raw())) }
    }
}
