//! Floating-point numbers.

use llvm_sys::core::{LLVMBuildFAdd, LLVMBuildFPCast, LLVMDoubleTypeInContext, LLVMFloatTypeInContext};

use super::{Builder, Context, Precision, Type, Value};

const NO_NAME: *const std::ffi::c_char = c"".as_ptr();

impl Context {
    pub(crate) fn real(&self, precision: Precision) -> Type<'_> {
        // SAFETY: the context is live.
        Type::wrap(unsafe {
            match precision {
                Precision::Single => LLVMFloatTypeInContext(self.raw()),
                Precision::Double => LLVMDoubleTypeInContext(self.raw()),
            }
        })
    }
}

impl<'c> Builder<'c> {
    pub(crate) fn add(&self, left: Value<'c>, right: Value<'c>) -> Value<'c> {
        // SAFETY: the builder has a place; operands are live.
        Value::some(unsafe { LLVMBuildFAdd(self.raw(), left.raw(), right.raw(), NO_NAME) })
    }

    /// The same number in another precision.
    pub(crate) fn convert(&self, value: Value<'c>, to: Type<'c>) -> Value<'c> {
        // SAFETY: see `add`.
        Value::some(unsafe { LLVMBuildFPCast(self.raw(), value.raw(), to.raw(), NO_NAME) })
    }
}
