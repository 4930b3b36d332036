//! Derivatives of closures.

use std::ptr;

use crate::call::call;
use crate::differentiable::Differentiable;
use crate::scalar::Scalar;
use crate::shim;
use crate::site::{Activity, Mode, Param, Site};

/// Which function of this module was called, for messages.
pub trait Transform {
    /// What to call the function that was passed.
    const NAME: &'static str;
}

macro_rules! transforms {
    ($($visibility:vis $marker:ident: $name:literal;)*) => {
        $(
            $visibility enum $marker {}
            impl Transform for $marker {
                const NAME: &'static str = concat!("a closure passed to `", $name, "`");
            }
        )*
    };
}

transforms! {
    Gradient: "gradient";
    ValueAndGradient: "value_and_gradient";
    Derivative: "derivative";
    ValueAndDerivative: "value_and_derivative";
    pub(crate) ParallelGradient: "parallel::gradient";
    pub(crate) ParallelValueAndGradient: "parallel::value_and_gradient";
}

/// The gradient of `f` at `x`.
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
/// let x = vec![3.0, 4.0];
/// let g = autodiff::gradient(|x: &[f64]| x[0] * x[0] * x[1], &x);
/// assert_eq!(g, [24.0, 9.0]);
/// ```
#[track_caller]
pub fn gradient<X, F>(f: F, x: &X) -> X::Gradient
where
    X: Differentiable + ?Sized,
    F: Fn(&X::View) -> X::Scalar,
{
    x.__value_and_gradient::<F, Gradient>(&f).1
}

/// The value and the gradient of `f` at `x`.
///
/// This costs no more than [`gradient`], which computes the value as well.
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
/// let data = [1.0, 2.0, 4.0];
/// let loss = |w: &[f64; 2]| data.iter().map(|d| (w[0] * d + w[1]).powi(2)).sum();
/// let (value, g) = autodiff::value_and_gradient(loss, &[1.0, 0.0]);
/// assert_eq!((value, g), (21.0, [42.0, 14.0]));
/// ```
#[track_caller]
pub fn value_and_gradient<X, F>(f: F, x: &X) -> (X::Scalar, X::Gradient)
where
    X: Differentiable + ?Sized,
    F: Fn(&X::View) -> X::Scalar,
{
    x.__value_and_gradient::<F, ValueAndGradient>(&f)
}

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
fn forward<T, F, N>(f: &F, mut x: T) -> (T, T)
where
    T: Scalar,
    F: Fn(T) -> T,
    N: Transform,
{
    let site = const {
        &Site::new(
            Mode::Forward,
            1,
            shim::value::<F, T> as *const (),
            const {
                &[
                    Param::pointer(Activity::Const, ptr::null()),
                    Param::pointer(Activity::Duplicated, T::LAYOUT),
                    Param::pointer(Activity::Duplicated, T::LAYOUT),
                ]
            },
            N::NAME,
        )
    };
    let (mut tangent, mut value, mut derivative) = (T::ONE, T::ZERO, T::ZERO);
    // SAFETY: the slots are those of `shim::value`, and all of them outlive the call. `f` is only
    // read.
    unsafe {
        call(
            site,
            [
                ptr::from_ref(f).cast_mut().cast(),
                (&raw mut x).cast(),
                (&raw mut tangent).cast(),
                (&raw mut value).cast(),
                (&raw mut derivative).cast(),
            ],
        );
    }
    (value, derivative)
}
