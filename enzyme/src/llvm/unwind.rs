//! Unwinding: invokes, landing pads, and what a function needs for them.

use llvm_sys::core::{
    LLVMAddCallSiteAttribute, LLVMBuildCall2, LLVMBuildInvoke2, LLVMBuildLandingPad, LLVMBuildResume,
    LLVMGetCallSiteAttributeCount, LLVMGetCallSiteAttributes, LLVMGetCalledFunctionType,
    LLVMGetInstructionCallConv, LLVMGetNormalDest, LLVMGetNumClauses, LLVMGetUnwindDest, LLVMIsCleanup,
    LLVMSetCleanup, LLVMSetInstructionCallConv, LLVMSetPersonalityFn,
};

use super::{Block, Builder, Context, Function, Instruction, Opcode, Type, Value};

impl<'c> Instruction<'c> {
    /// Where a call goes on that returns.
    pub(crate) fn normal_destination(self) -> Block<'c> {
        debug_assert!(self.opcode() == Opcode::Invoke);
        // SAFETY: asked of invokes only; likewise below.
        unsafe { Block::wrap(LLVMGetNormalDest(self.raw())).expect("an invoke has one") }
    }

    /// Where a call goes on that panics.
    pub(crate) fn unwind_destination(self) -> Block<'c> {
        debug_assert!(self.opcode() == Opcode::Invoke);
        // SAFETY: see `normal_destination`.
        unsafe { Block::wrap(LLVMGetUnwindDest(self.raw())).expect("an invoke has one") }
    }

    /// Whether a landing pad only cleans up: it catches nothing.
    pub(crate) fn only_cleans_up(self) -> bool {
        debug_assert!(self.opcode() == Opcode::LandingPad);
        // SAFETY: asked of landing pads only.
        unsafe { LLVMIsCleanup(self.raw()) != 0 && LLVMGetNumClauses(self.raw()) == 0 }
    }
}

impl<'c> Builder<'c> {
    /// Calls what an invoke calls, in the same way, and returns to the place of the builder.
    pub(crate) fn call_as(&self, invoke: Instruction<'c>) -> Instruction<'c> {
        let mut arguments: Vec<_> = invoke.arguments().iter().map(|argument| argument.raw()).collect();
        // SAFETY: what is called and passed is taken over from a live invoke.
        let call = unsafe {
            let signature = LLVMGetCalledFunctionType(invoke.raw());
            let (called, count) = (invoke.called().raw(), arguments.len() as u32);
            let call =
                LLVMBuildCall2(self.raw(), signature, called, arguments.as_mut_ptr(), count, c"".as_ptr());
            LLVMSetInstructionCallConv(call, LLVMGetInstructionCallConv(invoke.raw()));
            // The function's own attributes, the result's and those of each parameter.
            for index in std::iter::once(u32::MAX).chain(0..=count) {
                let mut attributes =
                    vec![std::ptr::null_mut(); LLVMGetCallSiteAttributeCount(invoke.raw(), index) as usize];
                LLVMGetCallSiteAttributes(invoke.raw(), index, attributes.as_mut_ptr());
                for attribute in attributes {
                    LLVMAddCallSiteAttribute(call, index, attribute);
                }
            }
            call
        };
        Instruction::of(Value::some(call))
    }

    /// Calls a function, and goes on at `pad` if it panics.
    pub(crate) fn invoke(
        &self,
        function: Function<'c>,
        arguments: &[Value<'c>],
        normal: Block<'c>,
        pad: Block<'c>,
    ) {
        let mut raw: Vec<_> = arguments.iter().map(|argument| argument.raw()).collect();
        // SAFETY: the builder has a place; operands are live. Likewise below.
        unsafe {
            LLVMBuildInvoke2(
                self.raw(),
                function.signature().raw(),
                function.raw(),
                raw.as_mut_ptr(),
                raw.len() as u32,
                normal.raw(),
                pad.raw(),
                c"".as_ptr(),
            );
        }
    }

    /// Begins a block that panics pass through; `ty` is a pointer and an `i32`.
    pub(crate) fn landing_pad(&self, ty: Type<'c>) -> Value<'c> {
        // SAFETY: see `invoke`; the function's personality is what counts.
        unsafe {
            let pad = LLVMBuildLandingPad(self.raw(), ty.raw(), std::ptr::null_mut(), 0, c"".as_ptr());
            LLVMSetCleanup(pad, 1);
            Value::some(pad)
        }
    }

    /// Lets a panic pass on.
    pub(crate) fn resume(&self, pad: Value<'c>) {
        // SAFETY: see `invoke`.
        unsafe { LLVMBuildResume(self.raw(), pad.raw()) };
    }
}

impl<'c> Function<'c> {
    /// Says which function finds the landing pads of this one.
    pub(crate) fn set_personality(self, personality: Function<'c>) {
        // SAFETY: both are live and in one module.
        unsafe { LLVMSetPersonalityFn(self.raw(), personality.raw()) }
    }
}

impl Context {
    /// What a landing pad receives.
    pub(crate) fn landing(&self) -> Type<'_> {
        self.structure(&[self.ptr(), self.int(32)])
    }
}
