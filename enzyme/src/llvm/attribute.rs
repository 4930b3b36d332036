//! Attributes of functions, parameters, results and calls.

use llvm_sys::core::{
    LLVMAddAttributeAtIndex, LLVMAddCallSiteAttribute, LLVMCreateEnumAttribute, LLVMCreateStringAttribute,
    LLVMGetCallSiteEnumAttribute, LLVMGetEnumAttributeAtIndex, LLVMGetEnumAttributeKindForName,
    LLVMGetStringAttributeAtIndex, LLVMGetStringAttributeValue, LLVMRemoveCallSiteEnumAttribute,
    LLVMRemoveEnumAttributeAtIndex, LLVMRemoveStringAttributeAtIndex,
};
use llvm_sys::prelude::LLVMAttributeRef;

use super::message::text;
use super::{Context, Function, Instruction};

/// What an attribute is attached to.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Place {
    Function,
    Result,
    Param(u32),
}

impl Place {
    fn index(self) -> u32 {
        match self {
            Place::Function => u32::MAX,
            Place::Result => 0,
            Place::Param(index) => index + 1,
        }
    }
}

/// An attribute of LLVM's own, or a text that some pass understands.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Attribute<'a> {
    Enum(&'a str, u64),
    Text(&'a str, &'a str),
}

impl Attribute<'_> {
    fn create(self, context: &Context) -> LLVMAttributeRef {
        // SAFETY: LLVM copies the texts.
        unsafe {
            match self {
                Attribute::Enum(name, value) => LLVMCreateEnumAttribute(context.raw(), kind(name), value),
                Attribute::Text(key, value) => LLVMCreateStringAttribute(
                    context.raw(),
                    key.as_ptr().cast(),
                    key.len() as u32,
                    value.as_ptr().cast(),
                    value.len() as u32,
                ),
            }
        }
    }
}

fn kind(name: &str) -> u32 {
    // SAFETY: LLVM only reads the name.
    unsafe { LLVMGetEnumAttributeKindForName(name.as_ptr().cast(), name.len()) }
}

impl Function<'_> {
    pub(crate) fn add_attribute(self, context: &Context, place: Place, attribute: Attribute<'_>) {
        // SAFETY: the function is live; likewise below.
        unsafe { LLVMAddAttributeAtIndex(self.raw(), place.index(), attribute.create(context)) }
    }

    pub(crate) fn remove_attribute(self, place: Place, name: &str) {
        // SAFETY: see `add_attribute`.
        unsafe { LLVMRemoveEnumAttributeAtIndex(self.raw(), place.index(), kind(name)) }
    }

    pub(crate) fn remove_text_attribute(self, place: Place, name: &str) {
        // SAFETY: see `add_attribute`.
        unsafe {
            LLVMRemoveStringAttributeAtIndex(
                self.raw(),
                place.index(),
                name.as_ptr().cast(),
                name.len() as u32,
            );
        }
    }

    pub(crate) fn has_attribute(self, place: Place, name: &str) -> bool {
        // SAFETY: see `add_attribute`.
        unsafe { !LLVMGetEnumAttributeAtIndex(self.raw(), place.index(), kind(name)).is_null() }
    }

    pub(crate) fn text_attribute(self, place: Place, name: &str) -> Option<String> {
        // SAFETY: see `add_attribute`; the value is copied.
        unsafe {
            let raw = LLVMGetStringAttributeAtIndex(
                self.raw(),
                place.index(),
                name.as_ptr().cast(),
                name.len() as u32,
            );
            let mut length = 0;
            (!raw.is_null()).then(|| {
                text(LLVMGetStringAttributeValue(raw, &raw mut length), length as usize).into_owned()
            })
        }
    }
}

impl Instruction<'_> {
    /// Adds an attribute to a call.
    pub(crate) fn add_call_attribute(self, context: &Context, place: Place, attribute: Attribute<'_>) {
        debug_assert!(self.is_call());
        // SAFETY: asked of calls only; likewise below.
        unsafe { LLVMAddCallSiteAttribute(self.raw(), place.index(), attribute.create(context)) }
    }

    pub(crate) fn remove_call_attribute(self, place: Place, name: &str) {
        debug_assert!(self.is_call());
        // SAFETY: see `add_call_attribute`.
        unsafe { LLVMRemoveCallSiteEnumAttribute(self.raw(), place.index(), kind(name)) }
    }

    pub(crate) fn has_call_attribute(self, place: Place, name: &str) -> bool {
        debug_assert!(self.is_call());
        // SAFETY: see `add_call_attribute`.
        unsafe { !LLVMGetCallSiteEnumAttribute(self.raw(), place.index(), kind(name)).is_null() }
    }
}
