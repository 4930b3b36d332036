//! Derivatives of functions of one number.

use std::ptr;

use super::{Derivative, Transform, ValueAndDerivative};
use crate::call::call;
use crate::scalar::Scalar;
use crate::site::{Activity, Mode, Param, Site};

/// The derivative of `f` at `x`.
///
/// # Panics
///
/// If `f` panics, with its panic; and if the program was not built by `cargo autodiff`.
///
/// # Examples
///
/// A derivative exists only in a program that `cargo autodiff` built, so this one is not run here:
///
/// ```no_run
/// assert_eq!(autodiff::derivative(|x: f64| x * x, 3.0), 6.0);
/// ```
#[track_caller]
pub fn derivative<T, F>(f: F, x: T) -> T
where
    T: Scalar,
    F: Fn(T) -> T,
{
    forward::<T, F, Derivative>(&f, x).1
}

/// The value and the derivative of `f` at `x`.
///
/// # Panics
///
/// If `f` panics, with its panic; and if the program was not built by `cargo autodiff`.
///
/// # Examples
///
/// A derivative exists only in a program that `cargo autodiff` built, so this one is not run here:
///
/// ```no_run
/// assert_eq!(autodiff::value_and_derivative(|x: f32| x * x, 3.0), (9.0, 6.0));
/// ```
#[track_caller]
pub fn value_and_derivative<T, F>(f: F, x: T) -> (T, T)
where
    T: Scalar,
    F: Fn(T) -> T,
{
    forward::<T, F, ValueAndDerivative>(&f, x)
}

/// Calls a function of a number.
extern "C-unwind" fn shim<F, T>(f: &F, x: &T, out: &mut T)
where
    F: Fn(T) -> T,
    T: Copy,
{
    *out = f(*x);
}

/// Value and derivative in forward mode, which needs no tape.
#[track_caller]
fn forward<T, F, N>(f: &F, mut x: T) -> (T, T)
where
    T: Scalar,
    F: Fn(T) -> T,
    N: Transform,
{
    let site = const {
        let params = const {
            &[
                Param::pointer(Activity::Const, ptr::null()),
                Param::pointer(Activity::Duplicated, T::LAYOUT),
                Param::pointer(Activity::Duplicated, T::LAYOUT),
            ]
        };
        &Site::new(Mode::Forward, 1, shim::<F, T> as *const (), params, N::NAME)
    };
    let (mut tangent, mut value, mut derivative) = (T::ONE, T::ZERO, T::ZERO);
    let slots = [
        ptr::from_ref(f).cast_mut().cast(),
        (&raw mut x).cast(),
        (&raw mut tangent).cast(),
        (&raw mut value).cast(),
        (&raw mut derivative).cast(),
    ];
    // SAFETY: the slots are those of `shim`, and all of them outlive the call. `f` is only read.
    unsafe { call(site, slots) }
    (value, derivative)
}
