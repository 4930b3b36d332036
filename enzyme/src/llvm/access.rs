//! How instructions touch memory.

use llvm_sys::core::{
    LLVMGetAlignment, LLVMGetAllocatedType, LLVMGetInlineAsmAsmString, LLVMGetVolatile, LLVMIsAtomic,
    LLVMSetAlignment,
};

use super::{Instruction, Opcode, Type};

impl<'c> Instruction<'c> {
    /// Whether a call is of inline assembly without instructions: `black_box`.
    pub(crate) fn is_empty_asm(self) -> bool {
        let mut length = 0;
        // SAFETY: asked of inline assembly only.
        self.is_call()
            && self.is_inline_asm()
            && unsafe {
                LLVMGetInlineAsmAsmString(self.called().raw(), &raw mut length);
                length == 0
            }
    }

    /// Whether a load or store is neither atomic nor volatile.
    pub(crate) fn is_simple_access(self) -> bool {
        debug_assert!(matches!(self.opcode(), Opcode::Load | Opcode::Store));
        // SAFETY: asked of loads and stores only.
        unsafe { LLVMGetVolatile(self.raw()) == 0 && LLVMIsAtomic(self.raw()) == 0 }
    }

    /// The type of a stack slot.
    pub(crate) fn allocated_type(self) -> Type<'c> {
        debug_assert!(self.opcode() == Opcode::Alloca);
        // SAFETY: asked of stack slots only.
        Type::wrap(unsafe { LLVMGetAllocatedType(self.raw()) })
    }

    pub(crate) fn alignment(self) -> u32 {
        // SAFETY: asked of loads, stores and stack slots only; likewise below.
        unsafe { LLVMGetAlignment(self.raw()) }
    }

    pub(crate) fn set_alignment(self, bytes: u32) {
        // SAFETY: see `alignment`.
        unsafe { LLVMSetAlignment(self.raw(), bytes) }
    }
}
