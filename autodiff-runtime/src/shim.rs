//! The functions that are differentiated: they take pointers and lengths only, so that no Rust
//! calling convention is ever guessed, and write their result through `out`.

use std::mem::MaybeUninit;
use std::ptr;

/// Calls a function of a slice.
///
/// # Safety
///
/// The `n` elements at `x` must be valid to read.
pub(crate) unsafe extern "C-unwind" fn slice<F, E, S>(f: &F, x: *const E, n: usize, out: &mut MaybeUninit<S>)
where
    F: Fn(&[E]) -> S,
{
    // SAFETY: the caller's promise.
    let x = unsafe { &*ptr::slice_from_raw_parts(x, n) };
    out.write(f(x));
}

/// Calls a function of a reference.
pub(crate) extern "C-unwind" fn reference<F, X, S>(f: &F, x: &X, out: &mut MaybeUninit<S>)
where
    F: Fn(&X) -> S,
{
    out.write(f(x));
}

/// Calls a function of a number.
pub(crate) extern "C-unwind" fn value<F, T>(f: &F, x: &T, out: &mut MaybeUninit<T>)
where
    F: Fn(T) -> T,
    T: Copy,
{
    out.write(f(*x));
}
