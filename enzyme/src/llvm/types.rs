//! Types.

use std::marker::PhantomData;

use llvm_sys::LLVMTypeKind;
use llvm_sys::core::{
    LLVMCountParamTypes, LLVMDoubleTypeInContext, LLVMFloatTypeInContext, LLVMFunctionType,
    LLVMGetElementType, LLVMGetIntTypeWidth, LLVMGetParamTypes, LLVMGetReturnType, LLVMGetTypeKind,
    LLVMHalfTypeInContext, LLVMIntTypeInContext, LLVMPointerTypeInContext, LLVMPrintTypeToString,
    LLVMStructTypeInContext, LLVMVectorType, LLVMVoidTypeInContext,
};
use llvm_sys::prelude::LLVMTypeRef;

use super::Context;
use super::message::take_message;

/// A type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Type<'c>(LLVMTypeRef, PhantomData<&'c Context>);

impl Context {
    pub(crate) fn void(&self) -> Type<'_> {
        // SAFETY: the context is live; likewise below.
        Type::wrap(unsafe { LLVMVoidTypeInContext(self.raw()) })
    }

    pub(crate) fn int(&self, bits: u32) -> Type<'_> {
        // SAFETY: see `void`.
        Type::wrap(unsafe { LLVMIntTypeInContext(self.raw(), bits) })
    }

    pub(crate) fn half(&self) -> Type<'_> {
        // SAFETY: see `void`.
        Type::wrap(unsafe { LLVMHalfTypeInContext(self.raw()) })
    }

    pub(crate) fn float(&self) -> Type<'_> {
        // SAFETY: see `void`.
        Type::wrap(unsafe { LLVMFloatTypeInContext(self.raw()) })
    }

    pub(crate) fn double(&self) -> Type<'_> {
        // SAFETY: see `void`.
        Type::wrap(unsafe { LLVMDoubleTypeInContext(self.raw()) })
    }

    pub(crate) fn ptr(&self) -> Type<'_> {
        // SAFETY: see `void`.
        Type::wrap(unsafe { LLVMPointerTypeInContext(self.raw(), 0) })
    }

    /// A structure of fields in this order.
    pub(crate) fn structure<'c>(&'c self, fields: &[Type<'c>]) -> Type<'c> {
        let mut raw: Vec<_> = fields.iter().map(|field| field.0).collect();
        // SAFETY: LLVM copies the list.
        Type::wrap(unsafe { LLVMStructTypeInContext(self.raw(), raw.as_mut_ptr(), raw.len() as u32, 0) })
    }

    #[expect(clippy::unused_self, reason = "it says how long the type lives")]
    pub(crate) fn function<'c>(&'c self, result: Type<'c>, params: &[Type<'c>], variadic: bool) -> Type<'c> {
        let mut raw: Vec<_> = params.iter().map(|param| param.0).collect();
        // SAFETY: LLVM copies the list.
        Type::wrap(unsafe {
            LLVMFunctionType(result.0, raw.as_mut_ptr(), raw.len() as u32, i32::from(variadic))
        })
    }
}

impl<'c> Type<'c> {
    pub(super) fn wrap(raw: LLVMTypeRef) -> Self {
        Type(raw, PhantomData)
    }

    pub(super) fn raw(self) -> LLVMTypeRef {
        self.0
    }

    pub(super) fn kind(self) -> LLVMTypeKind {
        // SAFETY: the type is live; likewise below.
        unsafe { LLVMGetTypeKind(self.0) }
    }

    /// The type as LLVM writes it, which is the same in every context.
    pub(crate) fn text(self) -> String {
        // SAFETY: the type is live; the text is taken over.
        unsafe { take_message(LLVMPrintTypeToString(self.0)) }
    }

    pub(crate) fn is_void(self) -> bool {
        self.kind() == LLVMTypeKind::LLVMVoidTypeKind
    }

    /// Itself, if it is an array of bytes.
    pub(super) fn array(self) -> Option<Self> {
        // SAFETY: the element is asked of arrays only.
        let is = self.kind() == LLVMTypeKind::LLVMArrayTypeKind
            && Type::wrap(unsafe { LLVMGetElementType(self.0) }).int_bits() == Some(8);
        is.then_some(self)
    }

    pub(crate) fn is_pointer(self) -> bool {
        self.kind() == LLVMTypeKind::LLVMPointerTypeKind
    }

    /// A vector of so many of these.
    pub(crate) fn vector(self, count: u32) -> Type<'c> {
        // SAFETY: asked of numbers only.
        Type::wrap(unsafe { LLVMVectorType(self.0, count) })
    }

    /// Width of an integer type.
    pub(crate) fn int_bits(self) -> Option<u32> {
        // SAFETY: asked of integer types only.
        (self.kind() == LLVMTypeKind::LLVMIntegerTypeKind).then(|| unsafe { LLVMGetIntTypeWidth(self.0) })
    }

    /// Enzyme's name of a floating-point type, or of the elements of a vector of them.
    pub(crate) fn float_name(self) -> Option<&'static str> {
        match self.kind() {
            LLVMTypeKind::LLVMVectorTypeKind => {
                // SAFETY: asked of vector types only.
                Type::wrap(unsafe { LLVMGetElementType(self.0) }).float_name()
            }
            LLVMTypeKind::LLVMHalfTypeKind => Some("half"),
            LLVMTypeKind::LLVMFloatTypeKind => Some("float"),
            LLVMTypeKind::LLVMDoubleTypeKind => Some("double"),
            LLVMTypeKind::LLVMFP128TypeKind => Some("fp128"),
            _ => None,
        }
    }

    pub(crate) fn result(self) -> Type<'c> {
        // SAFETY: asked of function types only; likewise below.
        Type::wrap(unsafe { LLVMGetReturnType(self.0) })
    }

    pub(crate) fn params(self) -> Vec<Type<'c>> {
        // SAFETY: the list has room for as many as LLVM says.
        unsafe {
            let mut raw = vec![std::ptr::null_mut(); LLVMCountParamTypes(self.0) as usize];
            LLVMGetParamTypes(self.0, raw.as_mut_ptr());
            raw.into_iter().map(Type::wrap).collect()
        }
    }
}
