//! Global variables, and what all symbols have in common.

use std::ops::Deref;

use llvm_sys::comdat::LLVMSetComdat;
use llvm_sys::core::{
    LLVMConstStringInContext2, LLVMDeleteGlobal, LLVMGetInitializer, LLVMGetLinkage, LLVMGetNextGlobal,
    LLVMGlobalSetMetadata, LLVMIsAGlobalObject, LLVMIsDeclaration, LLVMIsGlobalConstant,
    LLVMSetGlobalConstant, LLVMSetInitializer, LLVMSetLinkage, LLVMSetVisibility,
};
use llvm_sys::prelude::LLVMValueRef;
use llvm_sys::{LLVMLinkage, LLVMVisibility};

use super::iter::list;
use super::{Context, Instruction, Linkage, Metadata, Module, Value};

/// A global variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Global<'c>(Value<'c>);

list!(
    /// The global variables of a module.
    Globals: Global, LLVMGetNextGlobal
);

impl<'c> Deref for Global<'c> {
    type Target = Value<'c>;

    fn deref(&self) -> &Value<'c> {
        &self.0
    }
}

impl<'c> Global<'c> {
    pub(super) fn of(value: Value<'c>) -> Self {
        Global(value)
    }

    /// # Safety
    /// `raw` is null or a global variable.
    pub(super) unsafe fn wrap(raw: LLVMValueRef) -> Option<Self> {
        Value::wrap(raw).map(Global)
    }

    pub(crate) fn initializer(self) -> Option<Value<'c>> {
        // SAFETY: the global is live.
        Value::wrap(unsafe { LLVMGetInitializer(self.raw()) })
    }

    /// Makes it a constant of this value.
    pub(crate) fn define(self, value: Value<'c>) {
        // SAFETY: the caller gives a constant of the global's type.
        unsafe {
            LLVMSetInitializer(self.raw(), value.raw());
            LLVMSetGlobalConstant(self.raw(), 1);
        }
    }

    /// Makes it a declaration that the linker resolves.
    pub(crate) fn make_external(self) {
        self.clear_comdat();
        // SAFETY: a null initialiser makes a declaration.
        unsafe { LLVMSetInitializer(self.raw(), std::ptr::null_mut()) }
        self.set_linkage(Linkage::External);
    }

    /// Says that it never changes, of one that is defined elsewhere.
    pub(crate) fn set_constant(self) {
        // SAFETY: see `initializer`.
        unsafe { LLVMSetGlobalConstant(self.raw(), 1) }
    }

    pub(crate) fn is_constant_global(self) -> bool {
        // SAFETY: see `initializer`.
        unsafe { LLVMIsGlobalConstant(self.raw()) != 0 }
    }

    pub(crate) fn set_metadata(self, kind: u32, node: Metadata<'c>) {
        // SAFETY: see `initializer`.
        unsafe { LLVMGlobalSetMetadata(self.raw(), kind, node.raw()) }
    }

    /// The instructions that mention it, or an address in it.
    pub(crate) fn mentions(self) -> Vec<Instruction<'c>> {
        let (mut instructions, mut pending) = (Vec::new(), vec![*self]);
        while let Some(value) = pending.pop() {
            for user in value.users() {
                match user.as_instruction() {
                    Some(instruction) => instructions.push(instruction),
                    None if user.is_constant_expression() => pending.push(user),
                    None => {}
                }
            }
        }
        instructions
    }

    /// Takes it out of its module. It must have no users.
    pub(crate) fn erase(self) {
        debug_assert!(!self.has_users());
        // SAFETY: consumes the handle; without users nothing refers to it.
        unsafe { LLVMDeleteGlobal(self.raw()) }
    }
}

impl<'c> Module<'c> {
    /// Defines a constant text that ends with a NUL.
    pub(crate) fn add_text(&self, context: &'c Context, name: &str, text: &str) -> Global<'c> {
        // SAFETY: LLVM copies the text.
        let text = Value::some(unsafe {
            LLVMConstStringInContext2(context.raw(), text.as_ptr().cast(), text.len(), 0)
        });
        self.add_constant(name, text)
    }

    /// Defines a constant.
    pub(crate) fn add_constant(&self, name: &str, value: Value<'c>) -> Global<'c> {
        let global = self.add_global(name, value.ty());
        global.define(value);
        global
    }
}

impl Value<'_> {
    /// Whether it is a symbol without a definition here.
    pub(crate) fn is_declaration(self) -> bool {
        // SAFETY: asked of symbols only; likewise below.
        unsafe { LLVMIsDeclaration(self.raw()) != 0 }
    }

    pub(crate) fn linkage(self) -> Linkage {
        // SAFETY: see `is_declaration`.
        match unsafe { LLVMGetLinkage(self.raw()) } {
            LLVMLinkage::LLVMExternalLinkage => Linkage::External,
            LLVMLinkage::LLVMInternalLinkage => Linkage::Internal,
            LLVMLinkage::LLVMPrivateLinkage => Linkage::Private,
            LLVMLinkage::LLVMLinkOnceODRLinkage => Linkage::LinkOnceOdr,
            LLVMLinkage::LLVMAvailableExternallyLinkage => Linkage::AvailableExternally,
            LLVMLinkage::LLVMWeakAnyLinkage | LLVMLinkage::LLVMWeakODRLinkage => Linkage::Weak,
            LLVMLinkage::LLVMExternalWeakLinkage => Linkage::ExternalWeak,
            _ => Linkage::Other,
        }
    }

    pub(crate) fn set_linkage(self, linkage: Linkage) {
        let raw = match linkage {
            Linkage::External => LLVMLinkage::LLVMExternalLinkage,
            Linkage::Internal => LLVMLinkage::LLVMInternalLinkage,
            Linkage::Private => LLVMLinkage::LLVMPrivateLinkage,
            Linkage::LinkOnceOdr => LLVMLinkage::LLVMLinkOnceODRLinkage,
            Linkage::AvailableExternally => LLVMLinkage::LLVMAvailableExternallyLinkage,
            Linkage::Weak => LLVMLinkage::LLVMWeakODRLinkage,
            Linkage::ExternalWeak => LLVMLinkage::LLVMExternalWeakLinkage,
            Linkage::Other => return,
        };
        // SAFETY: see `is_declaration`. Visibility goes first: local symbols must have the default.
        unsafe {
            LLVMSetVisibility(self.raw(), LLVMVisibility::LLVMDefaultVisibility);
            LLVMSetLinkage(self.raw(), raw);
        }
    }

    /// Takes the symbol out of its comdat group, if it is in one.
    pub(crate) fn clear_comdat(self) {
        // SAFETY: comdats belong to functions and variables only, which is checked.
        unsafe {
            if !LLVMIsAGlobalObject(self.raw()).is_null() {
                LLVMSetComdat(self.raw(), std::ptr::null_mut());
            }
        }
    }
}
