//! Derivatives along one direction, forward over forward.

use super::gradient::check_shape;
use super::{Directional, call};
use std::ptr;

use crate::differentiable::Differentiable;
use crate::point::Point;
use crate::shape::{ShapeError, expect_shape};

/// The second derivative of `f` at `x` along `v`: the curvature `v' H v`.
///
/// # Panics
///
/// If `v` does not have the shape of `x`; if `f` panics, with its panic; and if the program was not
/// built by `cargo autodiff`.
///
/// # Examples
///
/// A derivative exists only in a program that `cargo autodiff` built, so this one is not run here:
///
/// ```no_run
/// let bend = autodiff::directional_second(|x: &[f64; 2]| x[0] * x[0] * x[1], &[3.0, 5.0], &[1.0, 0.0]);
/// assert_eq!(bend, 10.0);
/// ```
#[track_caller]
pub fn directional_second<X, F>(f: F, x: &X, v: &X) -> X::Scalar
where
    X: Point + ?Sized,
    F: Fn(&X::View) -> X::Scalar,
{
    expect_shape("directional_second", try_directional_second(f, x, v))
}

/// [`directional_second`], or an error.
///
/// # Errors
///
/// If `v` does not have the shape of `x`.
///
/// # Panics
///
/// If `f` panics, with its panic; and if the program was not built by `cargo autodiff`.
#[track_caller]
pub fn try_directional_second<X, F>(f: F, x: &X, v: &X) -> Result<X::Scalar, ShapeError>
where
    X: Point + ?Sized,
    F: Fn(&X::View) -> X::Scalar,
{
    Ok(try_directional_derivatives(f, x, v)?[2])
}

/// The value of `f` at `x`, and its first and second derivative along `v`: what a line search wants.
///
/// Nothing is remembered on the way, so no memory is needed but what `f` itself allocates. (Maps are
/// an exception: a tangent is made for them.)
///
/// # Panics
///
/// As [`directional_second`].
///
/// # Examples
///
/// A derivative exists only in a program that `cargo autodiff` built, so this one is not run here:
///
/// ```no_run
/// let f = |x: &[f64; 2]| x[0] * x[0] * x[1];
/// let [value, slope, bend] = autodiff::directional_derivatives(f, &[3.0, 5.0], &[1.0, 0.0]);
/// assert_eq!([value, slope, bend], [45.0, 30.0, 10.0]);
/// ```
#[track_caller]
pub fn directional_derivatives<X, F>(f: F, x: &X, v: &X) -> [X::Scalar; 3]
where
    X: Point + ?Sized,
    F: Fn(&X::View) -> X::Scalar,
{
    expect_shape("directional_derivatives", try_directional_derivatives(f, x, v))
}

/// [`directional_derivatives`], or an error.
///
/// # Errors
///
/// If `v` does not have the shape of `x`.
///
/// # Panics
///
/// If `f` panics, with its panic; and if the program was not built by `cargo autodiff`.
#[track_caller]
pub fn try_directional_derivatives<X, F>(f: F, x: &X, v: &X) -> Result<[X::Scalar; 3], ShapeError>
where
    X: Point + ?Sized,
    F: Fn(&X::View) -> X::Scalar,
{
    check_shape("direction", x, v.__point())?;
    let fresh = (X::Gradient::__FRESH || ptr::addr_eq(x, v)).then(|| x.__tangent(v));
    let v = fresh.as_ref().map_or_else(|| v.__point(), Differentiable::__view);
    Ok(call::along::<F, X::View, X::Scalar, Directional>(&f, x.__point(), v))
}
