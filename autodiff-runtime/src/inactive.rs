//! Values that have no derivative.

use std::ptr;

use crate::attribute::shim;
use crate::rule::{Rule, Slots, Tangent, Word, call_rule};

/// Computes a value that counts as constant: the derivative does not look into `f`.
///
/// So `f` may do what cannot be differentiated: call foreign functions, print, look things up. It
/// runs once, when the value is computed. It must not change what is differentiated: a number that
/// it stores in a `Cell` has no derivative either.
///
/// # Examples
///
/// ```no_run
/// // Not run here: derivatives exist only in programs that `cargo autodiff` built.
/// let x = [2.0, 3.0];
/// let by_hand = autodiff::gradient(|x: &[f64; 2]| x[0] * autodiff::inactive(|| x[0] + x[1]), &x);
/// assert_eq!(by_hand, [5.0, 0.0]);
/// ```
#[inline]
pub fn inactive<R: Tangent>(f: impl Fn() -> R) -> R {
    inactive_once(f)
}

/// The value as a constant: its derivative is zero.
///
/// # Examples
///
/// ```no_run
/// // Not run here: derivatives exist only in programs that `cargo autodiff` built.
/// let slope = autodiff::derivative(|x: f64| x * autodiff::stop_gradient(x), 3.0);
/// assert_eq!(slope, 3.0);
/// ```
#[inline]
pub fn stop_gradient<T: Tangent>(x: T) -> T {
    inactive_once(move || x)
}

/// What the expansion of [`inactive`](macro@crate::inactive) calls.
#[inline]
pub fn inactive_once<F: FnOnce() -> R, R: Tangent>(f: F) -> R {
    let rule = const {
        &Rule::new(
            "a value without a derivative",
            const { &[Word::CONSTANT, Word::constant_result(R::FLOATS)] },
            shim::<(*mut *mut (), *mut *mut (), *mut *mut ()), _>(
                &|args: *mut *mut (), _: *mut *mut (), _: *mut *mut ()| {
                    // SAFETY: the slots are those below; this is the only call.
                    unsafe {
                        let mut slots = Slots::new(args, ptr::null_mut());
                        let f = slots.result::<F>().read();
                        slots.result::<R>().write(f());
                    }
                },
            ),
        )
        .reverse(shim::<(*mut *mut (), *mut *mut (), *mut *mut ()), _>(
            &|args: *mut *mut (), shadows: *mut *mut (), _: *mut *mut ()| {
                // SAFETY: the slots are those below.
                unsafe {
                    let mut slots = Slots::new(args, shadows);
                    slots.result::<F>();
                    slots.forget::<R>();
                }
            },
        ))
        .forward(shim::<(*mut *mut (), *mut *mut (), *mut *mut ()), _>(
            &|args: *mut *mut (), shadows: *mut *mut (), _: *mut *mut ()| {
                // SAFETY: as in the first.
                unsafe {
                    let mut slots = Slots::new(args, shadows);
                    let f = slots.result::<F>().read();
                    let value = f();
                    slots.write_dual(value, value.zero());
                }
            },
        ))
    };
    let mut f = std::mem::ManuallyDrop::new(f);
    let mut result = std::mem::MaybeUninit::<R>::uninit();
    // SAFETY: the slots are those of the record. The function is taken once, and the result is there
    // afterwards.
    unsafe {
        call_rule(rule, [(&raw mut f).cast(), result.as_mut_ptr().cast()]);
        result.assume_init()
    }
}
