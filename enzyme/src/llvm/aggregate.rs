//! Structures and arrays as values.

use llvm_sys::core::{LLVMArrayType2, LLVMBuildExtractValue, LLVMBuildInsertValue, LLVMGlobalSetMetadata};

use super::{Builder, Function, Metadata, Type, Value};

const NO_NAME: *const std::ffi::c_char = c"".as_ptr();

impl<'c> Type<'c> {
    /// Whether it is an array of bytes.
    pub(crate) fn is_bytes(self) -> bool {
        self.array().is_some()
    }

    /// An array of so many of these.
    pub(crate) fn times(self, length: u64) -> Type<'c> {
        // SAFETY: the type is live.
        Type::wrap(unsafe { LLVMArrayType2(self.raw(), length) })
    }
}

impl<'c> Builder<'c> {
    /// A structure of these values.
    pub(crate) fn aggregate(&self, ty: Type<'c>, parts: &[Value<'c>]) -> Value<'c> {
        let numbered = parts.iter().zip(0..);
        numbered.fold(ty.poison(), |whole, (part, index)| {
            // SAFETY: the builder has a place; values are live, and the field is there.
            Value::some(unsafe { LLVMBuildInsertValue(self.raw(), whole.raw(), part.raw(), index, NO_NAME) })
        })
    }

    /// An array of this value over and over.
    pub(crate) fn repeat(&self, part: Value<'c>, length: usize) -> Value<'c> {
        self.aggregate(part.ty().times(length as u64), &vec![part; length])
    }

    /// A part of a structure or array.
    pub(crate) fn part(&self, whole: Value<'c>, index: u32) -> Value<'c> {
        // SAFETY: see `aggregate`.
        Value::some(unsafe { LLVMBuildExtractValue(self.raw(), whole.raw(), index, NO_NAME) })
    }
}

impl<'c> Function<'c> {
    pub(crate) fn set_metadata(self, kind: u32, node: Metadata<'c>) {
        // SAFETY: the function is live.
        unsafe { LLVMGlobalSetMetadata(self.raw(), kind, node.raw()) }
    }
}
