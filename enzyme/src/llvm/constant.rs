//! Constants as the bytes and addresses they are in memory.

use std::collections::BTreeMap;

use llvm_sys::core::{
    LLVMConstStructInContext, LLVMGetAggregateElement, LLVMGetArrayLength2, LLVMGetAsString,
    LLVMIsAConstantDataSequential, LLVMIsAConstantStruct, LLVMIsNull,
};

use super::{Context, Global, Value};

impl Context {
    /// A constant of several parts, one after the other.
    pub(crate) fn constant_struct<'c>(&'c self, parts: &[Value<'c>]) -> Value<'c> {
        let mut raw: Vec<_> = parts.iter().map(|part| part.raw()).collect();
        // SAFETY: LLVM copies the list of constants.
        Value::some(unsafe { LLVMConstStructInContext(self.raw(), raw.as_mut_ptr(), raw.len() as u32, 0) })
    }
}

/// A constant's contents.
#[derive(Debug, Default)]
pub(crate) struct Image<'c> {
    bytes: Vec<u8>,
    pointers: BTreeMap<usize, Value<'c>>,
}

impl<'c> Image<'c> {
    /// The contents of a constant global variable in the form that rustc writes: a packed structure
    /// of byte arrays and pointers.
    pub(crate) fn of(global: Global<'c>) -> Option<Self> {
        let initializer = global.initializer().filter(|_| global.is_constant_global())?;
        let mut image = Image::default();
        // SAFETY: the constant is live; elements are asked for until there is none.
        unsafe {
            if LLVMIsAConstantStruct(initializer.raw()).is_null() {
                image.push(initializer)?;
            } else {
                for index in 0..initializer.operand_count() {
                    image.push(Value::wrap(LLVMGetAggregateElement(initializer.raw(), index))?)?;
                }
            }
        }
        Some(image)
    }

    fn push(&mut self, element: Value<'c>) -> Option<()> {
        // SAFETY: each is asked of what it is for; bytes are copied while the constant is live.
        unsafe {
            if element.ty().is_pointer() {
                if LLVMIsNull(element.raw()) == 0 {
                    self.pointers.insert(self.bytes.len(), element);
                }
                self.bytes.extend([0; 8]);
            } else {
                let length = LLVMGetArrayLength2(element.ty().array()?.raw()) as usize;
                if !LLVMIsAConstantDataSequential(element.raw()).is_null() {
                    let mut size = 0;
                    let data = LLVMGetAsString(element.raw(), &raw mut size);
                    self.bytes.extend_from_slice(std::slice::from_raw_parts(data.cast(), size));
                } else if LLVMIsNull(element.raw()) != 0 {
                    self.bytes.resize(self.bytes.len() + length, 0);
                } else {
                    return None;
                }
            }
        }
        Some(())
    }

    pub(crate) fn bytes(&self, range: std::ops::Range<usize>) -> Option<&[u8]> {
        self.bytes.get(range)
    }

    pub(crate) fn starts_with(&self, bytes: &[u8]) -> bool {
        self.bytes.starts_with(bytes)
    }

    pub(crate) fn u32(&self, offset: usize) -> Option<u32> {
        Some(u32::from_le_bytes(self.bytes.get(offset..offset + 4)?.try_into().ok()?))
    }

    pub(crate) fn u64(&self, offset: usize) -> Option<u64> {
        Some(u64::from_le_bytes(self.bytes.get(offset..offset + 8)?.try_into().ok()?))
    }

    /// All addresses, by where they are.
    pub(crate) fn pointers(&self) -> impl Iterator<Item = (usize, Value<'c>)> {
        self.pointers.iter().map(|(offset, pointer)| (*offset, *pointer))
    }

    pub(crate) fn pointer(&self, offset: usize) -> Option<Value<'c>> {
        self.pointers.get(&offset).copied()
    }
}
