//! How types lie in memory, and how addresses are computed.

use std::marker::PhantomData;

use llvm_sys::core::{
    LLVMConstIntGetSExtValue, LLVMCountStructElementTypes, LLVMGetArrayLength2, LLVMGetConstOpcode,
    LLVMGetElementType, LLVMGetGEPSourceElementType, LLVMGetIndices, LLVMGetNumIndices, LLVMIsAConstantInt,
    LLVMIsAGetElementPtrInst, LLVMIsUndef, LLVMStructGetTypeAtIndex, LLVMTypeIsSized,
};
use llvm_sys::target::{
    LLVMABISizeOfType, LLVMGetModuleDataLayout, LLVMOffsetOfElement, LLVMStoreSizeOfType, LLVMTargetDataRef,
};
use llvm_sys::{LLVMOpcode, LLVMTypeKind};

use super::{Context, Instruction, Module, Type, Value};

/// Sizes and offsets of a module's types.
#[derive(Clone, Copy)]
pub(crate) struct Sizes<'c>(LLVMTargetDataRef, PhantomData<&'c Context>);

/// How an address is computed from another one: a fixed distance, and multiples of others.
#[derive(Debug, Default)]
pub(crate) struct Distance<'c> {
    pub(crate) fixed: i64,
    /// How far each of these takes it.
    pub(crate) strides: Vec<(i64, Value<'c>)>,
}

impl<'c> Module<'c> {
    pub(crate) fn sizes(&self) -> Sizes<'c> {
        // SAFETY: the layout lives as long as the module.
        Sizes(unsafe { LLVMGetModuleDataLayout(self.raw()) }, PhantomData)
    }
}

impl<'c> Sizes<'c> {
    /// The bytes that a value takes in memory; none for what cannot be there.
    pub(crate) fn of(self, ty: Type<'c>) -> u64 {
        // SAFETY: asked of sized types only; likewise below.
        unsafe { if LLVMTypeIsSized(ty.raw()) == 0 { 0 } else { LLVMStoreSizeOfType(self.0, ty.raw()) } }
    }

    /// The distance between elements of an array.
    fn stride(self, ty: Type<'c>) -> u64 {
        // SAFETY: see `of`.
        unsafe { if LLVMTypeIsSized(ty.raw()) == 0 { 1 } else { LLVMABISizeOfType(self.0, ty.raw()) } }
    }

    /// The numbers and addresses that a type is made of, with their offsets.
    pub(crate) fn scalars(self, ty: Type<'c>) -> Vec<(u64, Type<'c>)> {
        let count = ty.part_count();
        if count == 0 {
            return if ty.is_aggregate() { Vec::new() } else { vec![(0, ty)] };
        }
        let parts = (0..count).map(|index| self.part(ty, index));
        parts
            .flat_map(|(start, part)| {
                self.scalars(part).into_iter().map(move |(offset, scalar)| (start + offset, scalar))
            })
            .collect()
    }

    /// Offset and type of a part of an aggregate.
    fn part(self, ty: Type<'c>, index: u64) -> (u64, Type<'c>) {
        let index = u32::try_from(index).unwrap_or(u32::MAX);
        // SAFETY: in bounds, and each is asked of what it is for.
        unsafe {
            if ty.kind() == LLVMTypeKind::LLVMStructTypeKind {
                let offset = LLVMOffsetOfElement(self.0, ty.raw(), index);
                (offset, Type::wrap(LLVMStructGetTypeAtIndex(ty.raw(), index)))
            } else {
                let element = Type::wrap(LLVMGetElementType(ty.raw()));
                (u64::from(index) * self.stride(element), element)
            }
        }
    }

    /// Where a part of an aggregate constant is.
    pub(crate) fn part_offset(self, ty: Type<'c>, index: u32) -> u64 {
        if u64::from(index) < ty.part_count() { self.part(ty, u64::from(index)).0 } else { 0 }
    }

    /// Where in an aggregate an `extractvalue` or `insertvalue` reads or writes.
    pub(crate) fn place_in_aggregate(self, instruction: Instruction<'c>) -> u64 {
        // SAFETY: asked of these instructions only, whose indices LLVM owns.
        let indices = unsafe {
            let count = LLVMGetNumIndices(instruction.raw()) as usize;
            std::slice::from_raw_parts(LLVMGetIndices(instruction.raw()), count)
        };
        let mut ty = instruction.operand(0).ty();
        let mut offset = 0;
        for index in indices {
            let (start, part) = self.part(ty, u64::from(*index));
            offset += start;
            ty = part;
        }
        offset
    }

    /// How a `getelementptr`, instruction or constant, computes its address.
    pub(crate) fn distance(self, pointer: Value<'c>) -> Option<Distance<'c>> {
        // SAFETY: the element type is asked of `getelementptr` only, which the first check makes sure of.
        let mut ty = unsafe {
            let constant = pointer.is_constant_expression()
                && LLVMGetConstOpcode(pointer.raw()) == LLVMOpcode::LLVMGetElementPtr;
            if !constant && LLVMIsAGetElementPtrInst(pointer.raw()).is_null() {
                return None;
            }
            Type::wrap(LLVMGetGEPSourceElementType(pointer.raw()))
        };
        let mut distance = Distance::default();
        for (position, index) in pointer.operands().skip(1).enumerate() {
            if position > 0 && ty.kind() == LLVMTypeKind::LLVMStructTypeKind {
                let (offset, part) = self.part(ty, index.as_int()?.cast_unsigned());
                distance.fixed += offset.cast_signed();
                ty = part;
                continue;
            }
            if position > 0 {
                ty = self.part(ty, 0).1;
            }
            let stride = self.stride(ty).cast_signed();
            match index.as_int() {
                Some(index) => distance.fixed = distance.fixed.wrapping_add(index.wrapping_mul(stride)),
                None => distance.strides.push((stride, index)),
            }
        }
        Some(distance)
    }
}

impl Type<'_> {
    pub(crate) fn is_aggregate(self) -> bool {
        matches!(self.kind(), LLVMTypeKind::LLVMStructTypeKind | LLVMTypeKind::LLVMArrayTypeKind)
    }

    pub(crate) fn is_vector(self) -> bool {
        self.kind() == LLVMTypeKind::LLVMVectorTypeKind
    }

    fn part_count(self) -> u64 {
        // SAFETY: each is asked of what it is for.
        unsafe {
            match self.kind() {
                LLVMTypeKind::LLVMStructTypeKind => u64::from(LLVMCountStructElementTypes(self.raw())),
                LLVMTypeKind::LLVMArrayTypeKind => LLVMGetArrayLength2(self.raw()),
                _ => 0,
            }
        }
    }
}

impl Value<'_> {
    /// The number that an integer constant of at most 64 bits is.
    pub(crate) fn as_int(self) -> Option<i64> {
        let small = self.ty().int_bits().is_some_and(|bits| bits <= 64);
        // SAFETY: asked of such constants only.
        unsafe {
            (small && !LLVMIsAConstantInt(self.raw()).is_null()).then(|| LLVMConstIntGetSExtValue(self.raw()))
        }
    }

    pub(crate) fn is_undefined(self) -> bool {
        // SAFETY: the value is live.
        unsafe { LLVMIsUndef(self.raw()) != 0 }
    }
}
