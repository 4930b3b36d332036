//! Values.

use std::ffi::c_char;
use std::marker::PhantomData;

use llvm_sys::core::{
    LLVMConstInt, LLVMConstNull, LLVMGetConstOpcode, LLVMGetFirstUse, LLVMGetNextUse, LLVMGetNumOperands,
    LLVMGetOperand, LLVMGetParamParent, LLVMGetPoison, LLVMGetUser, LLVMGetValueName2, LLVMIsAArgument,
    LLVMIsAConstant, LLVMIsAConstantExpr, LLVMIsAFunction, LLVMIsAGlobalVariable, LLVMIsAInstruction,
    LLVMIsNull, LLVMIsUndef, LLVMReplaceAllUsesWith, LLVMSetOperand, LLVMSetValueName2, LLVMTypeOf,
};
use llvm_sys::prelude::LLVMValueRef;
use llvm_sys::{LLVMOpcode, LLVMTypeKind};

use super::message::text;
use super::{Context, Function, Global, Instruction, Type};

/// Any value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Value<'c>(LLVMValueRef, PhantomData<&'c Context>);

/// How a symbol is seen from outside its module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Linkage {
    External,
    Internal,
    Private,
    LinkOnceOdr,
    AvailableExternally,
    Weak,
    /// Declared here, and null if nothing defines it.
    ExternalWeak,
    Other,
}

impl<'c> Type<'c> {
    pub(crate) fn constant(self, value: u64) -> Value<'c> {
        // SAFETY: asked of integer types only; the type is live.
        Value::some(unsafe { LLVMConstInt(self.raw(), value, 0) })
    }

    /// Zero, or a pointer to nothing.
    pub(crate) fn null(self) -> Value<'c> {
        // SAFETY: the type is live.
        Value::some(unsafe { LLVMConstNull(self.raw()) })
    }

    pub(crate) fn poison(self) -> Value<'c> {
        // SAFETY: the type is live.
        Value::some(unsafe { LLVMGetPoison(self.raw()) })
    }
}

impl<'c> Value<'c> {
    pub(super) fn some(raw: LLVMValueRef) -> Self {
        debug_assert!(!raw.is_null());
        Value(raw, PhantomData)
    }

    pub(super) fn wrap(raw: LLVMValueRef) -> Option<Self> {
        (!raw.is_null()).then(|| Value::some(raw))
    }

    pub(super) fn raw(self) -> LLVMValueRef {
        self.0
    }

    pub(crate) fn ty(self) -> Type<'c> {
        // SAFETY: the value is live; likewise below.
        Type::wrap(unsafe { LLVMTypeOf(self.0) })
    }

    pub(crate) fn name(self) -> String {
        let mut length = 0;
        // SAFETY: LLVM's string lives as long as the name is not changed, and is copied here.
        unsafe { text(LLVMGetValueName2(self.0, &raw mut length), length).into_owned() }
    }

    pub(crate) fn set_name(self, name: &str) {
        // SAFETY: LLVM copies the name.
        unsafe { LLVMSetValueName2(self.0, name.as_ptr().cast::<c_char>(), name.len()) }
    }

    pub(crate) fn as_function(self) -> Option<Function<'c>> {
        // SAFETY: a cast that yields null for other kinds; likewise below.
        Value::wrap(unsafe { LLVMIsAFunction(self.0) }).map(Function::of)
    }

    pub(crate) fn as_global(self) -> Option<Global<'c>> {
        // SAFETY: see `as_function`.
        Value::wrap(unsafe { LLVMIsAGlobalVariable(self.0) }).map(Global::of)
    }

    pub(crate) fn as_instruction(self) -> Option<Instruction<'c>> {
        // SAFETY: see `as_function`.
        Value::wrap(unsafe { LLVMIsAInstruction(self.0) }).map(Instruction::of)
    }

    pub(crate) fn is_constant(self) -> bool {
        // SAFETY: see `as_function`.
        unsafe { !LLVMIsAConstant(self.0).is_null() }
    }

    /// Whether it is computed from other constants, as an address within a global variable is.
    pub(crate) fn is_constant_expression(self) -> bool {
        // SAFETY: see `as_function`.
        unsafe { !LLVMIsAConstantExpr(self.0).is_null() }
    }

    /// The number that a constant is, also as a pointer without provenance.
    pub(crate) fn as_address(self) -> Option<u64> {
        // SAFETY: asked of constant expressions only.
        let casts = self.is_constant_expression()
            && unsafe { LLVMGetConstOpcode(self.0) } == LLVMOpcode::LLVMIntToPtr;
        if casts { self.operand(0).as_integer() } else { self.as_integer() }
    }

    /// Whether it is the constant zero or null.
    pub(crate) fn is_null(self) -> bool {
        // SAFETY: see `as_function`.
        self.is_constant() && unsafe { LLVMIsNull(self.0) != 0 }
    }

    pub(crate) fn is_null_or_undefined(self) -> bool {
        // SAFETY: asked of any value; likewise below.
        unsafe { LLVMIsNull(self.0) != 0 || LLVMIsUndef(self.0) != 0 }
    }

    /// The function that it is a parameter of, and its number.
    pub(crate) fn parameter_of(self) -> Option<(Function<'c>, u32)> {
        // SAFETY: a cast that yields null for other kinds; only parameters are asked further.
        let function = unsafe {
            let parameter = Value::wrap(LLVMIsAArgument(self.0))?;
            Function::of(Value::some(LLVMGetParamParent(parameter.0)))
        };
        let index = (0..function.param_count()).find(|index| function.param(*index) == self)?;
        Some((function, index))
    }

    pub(crate) fn is_block(self) -> bool {
        self.ty().kind() == LLVMTypeKind::LLVMLabelTypeKind
    }

    pub(crate) fn is_metadata(self) -> bool {
        self.ty().kind() == LLVMTypeKind::LLVMMetadataTypeKind
    }

    pub(crate) fn operand_count(self) -> u32 {
        // SAFETY: asked of users only: instructions, globals and constants.
        unsafe { LLVMGetNumOperands(self.0).cast_unsigned() }
    }

    pub(crate) fn operand(self, index: u32) -> Value<'c> {
        assert!(index < self.operand_count());
        // SAFETY: in bounds.
        Value::some(unsafe { LLVMGetOperand(self.0, index) })
    }

    pub(crate) fn operands(self) -> impl Iterator<Item = Value<'c>> {
        (0..self.operand_count()).map(move |index| self.operand(index))
    }

    pub(crate) fn set_operand(self, index: u32, value: Value<'c>) {
        assert!(index < self.operand_count());
        // SAFETY: in bounds.
        unsafe { LLVMSetOperand(self.0, index, value.0) }
    }

    /// Everything that has this value as an operand, once per use. Collected, so that uses may be
    /// changed while walking.
    pub(crate) fn users(self) -> Vec<Value<'c>> {
        let mut users = Vec::new();
        // SAFETY: the value is live and the list does not change while it is walked.
        unsafe {
            let mut link = LLVMGetFirstUse(self.0);
            while !link.is_null() {
                users.push(Value::some(LLVMGetUser(link)));
                link = LLVMGetNextUse(link);
            }
        }
        users
    }

    pub(crate) fn has_users(self) -> bool {
        // SAFETY: the value is live.
        unsafe { !LLVMGetFirstUse(self.0).is_null() }
    }

    pub(crate) fn replace_uses(self, with: Value<'c>) {
        // SAFETY: both are live and of one type, which LLVM asserts.
        unsafe { LLVMReplaceAllUsesWith(self.0, with.0) }
    }
}
