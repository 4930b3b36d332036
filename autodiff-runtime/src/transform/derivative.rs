//! Derivatives of functions of one number.

use super::{Derivative, Transform, ValueAndDerivative, call};
use crate::scalar::Scalar;

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

/// Value and derivative in forward mode, which needs no tape.
#[track_caller]
fn forward<T, F, N>(f: &F, x: T) -> (T, T)
where
    T: Scalar,
    F: Fn(T) -> T,
    N: Transform,
{
    let (mut value, mut derivative) = (T::ZERO, T::ZERO);
    call::forward::<_, T, T, N>(&|x: &T| f(*x), &x, &T::ONE, &mut value, &mut derivative);
    (value, derivative)
}
