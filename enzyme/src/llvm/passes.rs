//! LLVM's pass pipelines.

use std::collections::HashSet;
use std::ffi::CString;

use llvm_sys::transforms::pass_builder::{
    LLVMCreatePassBuilderOptions, LLVMDisposePassBuilderOptions, LLVMPassBuilderOptionsSetLoopInterleaving,
    LLVMPassBuilderOptionsSetLoopUnrolling, LLVMPassBuilderOptionsSetLoopVectorization,
    LLVMPassBuilderOptionsSetSLPVectorization, LLVMRunPasses,
};

use super::message::take_error;
use super::{Attribute, Context, Function, LlvmError, Machine, Module, Place};

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
    let scalar = (vectorize == Vectorize::No).then(|| Scalar::begin(context, module));
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
    if let Some(scalar) = scalar {
        scalar.end(module);
    }
    outcome?;
    match context.take_errors() {
        errors if errors.is_empty() => Ok(()),
        errors => Err(LlvmError(errors.join("; "))),
    }
}

/// The attribute of functions in which nothing may be vectorised. The option alone leaves loops
/// that are vectorised all the same.
const SCALAR: &str = "noimplicitfloat";

/// Keeps the code of a module scalar for a while.
struct Scalar {
    /// Functions that have the attribute anyway.
    before: HashSet<String>,
}

impl Scalar {
    fn begin<'c>(context: &'c Context, module: &Module<'c>) -> Self {
        let (before, without): (Vec<_>, Vec<_>) =
            module.functions().partition(|function| function.has_attribute(Place::Function, SCALAR));
        for function in without {
            function.add_attribute(context, Place::Function, Attribute::Enum(SCALAR, 0));
        }
        Self { before: before.into_iter().map(|function| function.name()).collect() }
    }

    fn end(&self, module: &Module<'_>) {
        let ours = |function: &Function<'_>| !self.before.contains(&function.name());
        module
            .functions()
            .filter(ours)
            .for_each(|function| function.remove_attribute(Place::Function, SCALAR));
    }
}
