//! The functions that are differentiated: they take pointers and lengths only, so that no Rust
//! calling convention is ever guessed, and write their result through `out`.

use std::ptr;

/// Calls a function of a slice.
///
/// # Safety
///
/// `f` and the `n` elements at `x` must be valid to read, `out` to write.
pub(crate) unsafe extern "C-unwind" fn slice<F, E, S>(f: *const F, x: *const E, n: usize, out: *mut S)
where
    F: Fn(&[E]) -> S,
{
    // SAFETY: the caller's promise.
    unsafe { *out = (*f)(&*ptr::slice_from_raw_parts(x, n)) }
}

/// Calls a function of a reference.
///
/// # Safety
///
/// `f` and `x` must be valid to read, `out` to write.
pub(crate) unsafe extern "C-unwind" fn reference<F, X, S>(f: *const F, x: *const X, out: *mut S)
where
    F: Fn(&X) -> S,
{
    // SAFETY: the caller's promise.
    unsafe { *out = (*f)(&*x) }
}

/// Calls a function of a number.
///
/// # Safety
///
/// `f` and `x` must be valid to read, `out` to write.
pub(crate) unsafe extern "C-unwind" fn value<F, T>(f: *const F, x: *const T, out: *mut T)
where
    F: Fn(T) -> T,
    T: Copy,
{
    // SAFETY: the caller's promise.
    unsafe { *out = (*f)(*x) }
}
