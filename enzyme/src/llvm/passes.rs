//! LLVM's pass pipelines.

use std::ffi::CString;

use llvm_sys::transforms::pass_builder::{
    LLVMCreatePassBuilderOptions, LLVMDisposePassBuilderOptions, LLVMPassBuilderOptionsSetLoopInterleaving,
    LLVMPassBuilderOptionsSetLoopUnrolling, LLVMPassBuilderOptionsSetLoopVectorization,
    LLVMPassBuilderOptionsSetSLPVectorization, LLVMRunPasses,
};

use super::message::take_error;
use super::{Context, LlvmError, Machine, Module};

/// Whether loops may be vectorised and unrolled: not before Enzyme, always after.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Vectorize {
    Yes,
    No,
}

/// Runs a pipeline in the syntax of `opt -passes`.
pub(crate) fn run_passes(
    context: &Context,
    module: &Module<'_>,
    machine: &Machine,
    pipeline: &str,
    vectorize: Vectorize,
) -> Result<(), LlvmError> {
    let c_pipeline = CString::new(pipeline).map_err(|_| LlvmError("a pipeline holds a NUL".to_owned()))?;
    let on = i32::from(vectorize == Vectorize::Yes);
    // SAFETY: the options are disposed of here; the error is taken over.
    let outcome = unsafe {
        let options = LLVMCreatePassBuilderOptions();
        LLVMPassBuilderOptionsSetLoopVectorization(options, on);
        LLVMPassBuilderOptionsSetLoopInterleaving(options, on);
        LLVMPassBuilderOptionsSetSLPVectorization(options, on);
        LLVMPassBuilderOptionsSetLoopUnrolling(options, on);
        let error = LLVMRunPasses(module.raw(), c_pipeline.as_ptr(), machine.raw(), options);
        LLVMDisposePassBuilderOptions(options);
        take_error(error)
    };
    outcome?;
    match context.take_errors() {
        errors if errors.is_empty() => Ok(()),
        errors => Err(LlvmError(errors.join("; "))),
    }
}
