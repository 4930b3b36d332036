//! Slices that kernels read: what a launch takes for a parameter `&[T]`.

use std::marker::PhantomData;
use std::sync::Arc;

use super::argument::KernelElement;
use super::buffer::{Buffer, Memory};
use super::thread::Thread;

/// What can be passed for a kernel's parameter `&[T]`: `&[T]`, `&Vec<T>`, `&[T; N]` and `&Buffer<T>`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be passed for a kernel's `&[{T}]`",
    label = "expected `&[{T}]`, `&Vec<{T}>`, `&[{T}; N]` or `&Buffer<{T}>`"
)]
pub trait IntoShared<'a, T> {
    /// The slice.
    fn into_shared(self) -> SharedSlice<'a, T>;
}

/// A slice that a kernel reads.
#[derive(Debug)]
pub struct SharedSlice<'a, T> {
    pub(crate) raw: RawSlice<T>,
    pub(crate) memory: Option<Arc<Memory>>,
    _slice: PhantomData<&'a [T]>,
}

/// Pointer and length, as they travel.
#[repr(C)]
#[derive(Debug)]
pub struct RawSlice<T> {
    pub(crate) first: *mut T,
    pub(crate) len: usize,
}

impl<T> Clone for RawSlice<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for RawSlice<T> {}

impl<T> RawSlice<T> {
    /// The slice, in a kernel.
    ///
    /// # Safety
    ///
    /// It must be that of a launch, whose memory has been put in place.
    #[inline]
    pub unsafe fn open(self, _: Thread<'_>) -> &[T] {
        // SAFETY: the caller's.
        unsafe { std::slice::from_raw_parts(self.first, self.len) }
    }
}

impl<'a, T: KernelElement> IntoShared<'a, T> for &'a [T] {
    fn into_shared(self) -> SharedSlice<'a, T> {
        let raw = RawSlice { first: self.as_ptr().cast_mut(), len: self.len() };
        SharedSlice { raw, memory: None, _slice: PhantomData }
    }
}

impl<'a, T: KernelElement> IntoShared<'a, T> for &'a Vec<T> {
    fn into_shared(self) -> SharedSlice<'a, T> {
        self.as_slice().into_shared()
    }
}

impl<'a, T: KernelElement, const N: usize> IntoShared<'a, T> for &'a [T; N] {
    fn into_shared(self) -> SharedSlice<'a, T> {
        self.as_slice().into_shared()
    }
}

impl<'a, T: KernelElement> IntoShared<'a, T> for &Buffer<T> {
    fn into_shared(self) -> SharedSlice<'a, T> {
        SharedSlice { raw: self.raw(), memory: Some(self.memory()), _slice: PhantomData }
    }
}
