//! How two integers are ordered.

use llvm_sys::LLVMIntPredicate;
use llvm_sys::core::LLVMGetICmpPredicate;

use super::{Instruction, Opcode};

/// An order of two integers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Relation {
    /// The first is less than the second; else greater.
    pub(crate) less: bool,
    /// They may be equal, too.
    pub(crate) or_equal: bool,
    pub(crate) signed: bool,
}

impl Relation {
    /// What holds where this does not.
    pub(crate) fn negated(self) -> Self {
        Self { less: !self.less, or_equal: !self.or_equal, ..self }
    }

    /// The same of the second and the first.
    pub(crate) fn swapped(self) -> Self {
        Self { less: !self.less, ..self }
    }
}

impl Instruction<'_> {
    /// The order that a comparison asks for. None if it asks for equality or is no comparison.
    pub(crate) fn relation(self) -> Option<Relation> {
        if self.opcode() != Opcode::ICmp {
            return None;
        }
        // SAFETY: asked of comparisons of integers only.
        let (less, or_equal, signed) = match unsafe { LLVMGetICmpPredicate(self.raw()) } {
            LLVMIntPredicate::LLVMIntULT => (true, false, false),
            LLVMIntPredicate::LLVMIntULE => (true, true, false),
            LLVMIntPredicate::LLVMIntUGT => (false, false, false),
            LLVMIntPredicate::LLVMIntUGE => (false, true, false),
            LLVMIntPredicate::LLVMIntSLT => (true, false, true),
            LLVMIntPredicate::LLVMIntSLE => (true, true, true),
            LLVMIntPredicate::LLVMIntSGT => (false, false, true),
            LLVMIntPredicate::LLVMIntSGE => (false, true, true),
            LLVMIntPredicate::LLVMIntEQ | LLVMIntPredicate::LLVMIntNE => return None,
        };
        Some(Relation { less, or_equal, signed })
    }
}
