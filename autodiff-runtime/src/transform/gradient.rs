//! Gradients of functions whose value is one number.

use super::{Gradient, GradientInto, Transform, ValueAndGradient, call};
use crate::describe::Describe;
use crate::differentiable::{Differentiable, assign, clear};
use crate::point::Point;
use crate::scalar::{Element, Scalar};
use crate::shape::{ShapeError, expect_shape};

/// The gradient of `f` at `x`.
///
/// It has the type and shape of the point: a struct's gradient is a struct of the same type.
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
///
/// Several arguments are a tuple, and so is their gradient:
///
/// ```no_run
/// let line = |(w, b): &(Vec<f64>, f64)| w[0] * 2.0 + w[1] * 3.0 + b;
/// let (by_w, by_b) = autodiff::gradient(line, &(vec![1.0, 1.0], 0.5));
/// assert_eq!((by_w, by_b), (vec![2.0, 3.0], 1.0));
/// ```
#[track_caller]
pub fn gradient<X, F>(f: F, x: &X) -> X::Gradient
where
    X: Point + ?Sized,
    F: Fn(&X::View) -> X::Scalar,
{
    of::<X, F, Gradient>(&f, x).1
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
    X: Point + ?Sized,
    F: Fn(&X::View) -> X::Scalar,
{
    of::<X, F, ValueAndGradient>(&f, x)
}

/// Writes the gradient of `f` at `x` into `gradient`, which is overwritten, and returns the value.
///
/// Nothing is allocated but what `f` allocates and what its derivative has to remember. (Maps are
/// an exception: a tangent is made for them.)
///
/// # Panics
///
/// If `gradient` does not have the shape of `x`; if `f` panics, with its panic; and if the program
/// was not built by `cargo autodiff`.
///
/// # Examples
///
/// A derivative exists only in a program that `cargo autodiff` built, so this one is not run here:
///
/// ```no_run
/// let (mut x, mut g) = (vec![3.0, 4.0], vec![0.0; 2]);
/// for _ in 0..100 {
///     autodiff::gradient_into(|x: &[f64]| x.iter().map(|x| x * x).sum(), &x, &mut g);
///     x.iter_mut().zip(&g).for_each(|(x, g)| *x -= 0.1 * g);
/// }
/// assert!(x[0].abs() < 1e-8);
/// ```
#[track_caller]
pub fn gradient_into<X, F>(f: F, x: &X, gradient: &mut X::Gradient) -> X::Scalar
where
    X: Point + ?Sized,
    F: Fn(&X::View) -> X::Scalar,
{
    expect_shape("gradient_into", try_gradient_into(f, x, gradient))
}

/// [`gradient_into`], or an error.
///
/// # Errors
///
/// If `gradient` does not have the shape of `x`. Nothing is written then.
///
/// # Panics
///
/// If `f` panics, with its panic; and if the program was not built by `cargo autodiff`.
#[track_caller]
pub fn try_gradient_into<X, F>(f: F, x: &X, gradient: &mut X::Gradient) -> Result<X::Scalar, ShapeError>
where
    X: Point + ?Sized,
    F: Fn(&X::View) -> X::Scalar,
{
    check_shape("gradient", x, gradient.__view())?;
    clear(gradient);
    if X::Gradient::__FRESH {
        let mut fresh = x.__zero();
        let value = add::<X, F, GradientInto>(&f, x, &mut fresh);
        assign(gradient, &fresh);
        return Ok(value);
    }
    Ok(add::<X, F, GradientInto>(&f, x, gradient))
}

/// Fails unless a tangent has the shape of a point.
#[inline]
pub(super) fn check_shape<X>(what: &'static str, x: &X, tangent: &X::View) -> Result<(), ShapeError>
where
    X: Point + ?Sized,
{
    let is_shaped = <X::View as Describe>::SHAPED;
    ShapeError::check(what, if is_shaped { x.__point().difference(tangent) } else { None })
}

/// Adds the gradient of `f` at `x` to `gradient`, whose memory is laid out like that of `x`, and
/// returns the value.
#[track_caller]
pub(crate) fn add<X, F, N>(f: &F, x: &X, gradient: &mut X::Gradient) -> X::Scalar
where
    X: Point + ?Sized,
    F: Fn(&X::View) -> X::Scalar,
    N: Transform,
{
    let (mut value, mut seed) = (X::Scalar::ZERO, X::Scalar::ONE);
    call::reverse::<F, X::View, X::Scalar, N>(f, x.__point(), gradient.__view_mut(), &mut value, &mut seed);
    value
}

#[track_caller]
fn of<X, F, N>(f: &F, x: &X) -> (X::Scalar, X::Gradient)
where
    X: Point + ?Sized,
    F: Fn(&X::View) -> X::Scalar,
    N: Transform,
{
    let mut gradient = x.__zero();
    let value = add::<X, F, N>(f, x, &mut gradient);
    (value, gradient)
}
