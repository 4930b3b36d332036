//! Arithmetic on floating-point numbers.

use llvm_sys::core::{LLVMConstRealGetDouble, LLVMGetInstructionOpcode, LLVMIsAConstantFP};
use llvm_sys::{LLVMOpcode, LLVMTypeKind};

use super::{Instruction, Type, Value};

/// An operation on two floating-point numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Arithmetic {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

impl Instruction<'_> {
    /// The operation that the instruction is, if it is one.
    pub(crate) fn arithmetic(self) -> Option<Arithmetic> {
        // SAFETY: the instruction is live.
        Some(match unsafe { LLVMGetInstructionOpcode(self.raw()) } {
            LLVMOpcode::LLVMFAdd => Arithmetic::Add,
            LLVMOpcode::LLVMFSub => Arithmetic::Subtract,
            LLVMOpcode::LLVMFMul => Arithmetic::Multiply,
            LLVMOpcode::LLVMFDiv => Arithmetic::Divide,
            LLVMOpcode::LLVMFRem => Arithmetic::Remainder,
            _ => return None,
        })
    }
}

impl Value<'_> {
    /// A floating-point constant as a number.
    pub(crate) fn as_real(self) -> Option<f64> {
        let mut loses = 0;
        // SAFETY: a cast that yields null for other kinds; then asked of such constants only.
        unsafe {
            (!LLVMIsAConstantFP(self.raw()).is_null())
                .then(|| LLVMConstRealGetDouble(self.raw(), &raw mut loses))
        }
    }
}

/// The precision of the numbers that rules are written for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Precision {
    Double,
    Single,
}

impl Type<'_> {
    /// The precision, of one number of a usual one.
    pub(crate) fn precision(self) -> Option<Precision> {
        match self.kind() {
            LLVMTypeKind::LLVMDoubleTypeKind => Some(Precision::Double),
            LLVMTypeKind::LLVMFloatTypeKind => Some(Precision::Single),
            _ => None,
        }
    }
}
