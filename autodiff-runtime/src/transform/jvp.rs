//! Forward mode: how a function's value changes when its argument does.

use super::gradient::check_shape;
use super::{Jvp, JvpInto, Transform, call};
use std::ptr;

use crate::differentiable::{Differentiable, assign};
use crate::point::Point;
use crate::shape::{ShapeError, expect_shape};

/// The value of `f` at `x` and its tangent along `v`: the product of the Jacobian with `v`.
///
/// `v` has the shape of `x`, the tangent that of the value. The function is evaluated twice, once
/// for the shape of its value.
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
/// // Polar to rectangular coordinates, while the angle grows.
/// let point = |p: &[f64; 2]| [p[0] * p[1].cos(), p[0] * p[1].sin()];
/// let (at, velocity) = autodiff::jvp(point, &[2.0, 0.0], &[0.0, 1.0]);
/// assert_eq!((at, velocity), ([2.0, 0.0], [0.0, 2.0]));
/// ```
#[track_caller]
pub fn jvp<X, Y, F>(f: F, x: &X, v: &X) -> (Y, Y)
where
    X: Point + ?Sized,
    Y: Differentiable,
    F: Fn(&X::View) -> Y,
{
    expect_shape("jvp", try_jvp(f, x, v))
}

/// [`jvp`], or an error.
///
/// # Errors
///
/// If `v` does not have the shape of `x`.
///
/// # Panics
///
/// If `f` panics, with its panic; and if the program was not built by `cargo autodiff`.
#[track_caller]
pub fn try_jvp<X, Y, F>(f: F, x: &X, v: &X) -> Result<(Y, Y), ShapeError>
where
    X: Point + ?Sized,
    Y: Differentiable,
    F: Fn(&X::View) -> Y,
{
    check_shape("tangent", x, v.__point())?;
    let mut y = f(x.__point());
    let mut dy = y.zero_tangent();
    push::<X, Y, F, Jvp>(&f, x, v, &mut y, &mut dy);
    Ok((y, dy))
}

/// Writes the value of `f` at `x` into `y` and its tangent along `v` into `dy`.
///
/// Nothing is allocated but what `f` allocates. (Maps are an exception: tangents are made for them.)
///
/// # Panics
///
/// If `v` does not have the shape of `x`, or if `y` or `dy` does not have that of the function's value;
/// if `f` panics, with its panic; and if the program was not built by `cargo autodiff`.
///
/// # Examples
///
/// A derivative exists only in a program that `cargo autodiff` built, so this one is not run here:
///
/// ```no_run
/// let squares = |x: &[f64]| x.iter().map(|x| x * x).collect::<Vec<_>>();
/// let (mut y, mut dy) = (vec![0.0; 2], vec![0.0; 2]);
/// autodiff::jvp_into(squares, &[1.0, 3.0][..], &[1.0, 10.0][..], &mut y, &mut dy);
/// assert_eq!((y, dy), (vec![1.0, 9.0], vec![2.0, 60.0]));
/// ```
#[track_caller]
pub fn jvp_into<X, Y, F>(f: F, x: &X, v: &X, y: &mut Y, dy: &mut Y)
where
    X: Point + ?Sized,
    Y: Differentiable,
    F: Fn(&X::View) -> Y,
{
    expect_shape("jvp_into", check(x, v, y, dy));
    push::<X, Y, F, JvpInto>(&f, x, v, y, dy);
}

/// [`jvp_into`], or an error. The function is evaluated once more, for the shape of its value, if it can
/// have several.
///
/// # Errors
///
/// If `v` does not have the shape of `x`, or if `y` or `dy` does not have that of the function's value.
/// Nothing is written then.
///
/// # Panics
///
/// If `f` panics, with its panic; and if the program was not built by `cargo autodiff`.
#[track_caller]
pub fn try_jvp_into<X, Y, F>(f: F, x: &X, v: &X, y: &mut Y, dy: &mut Y) -> Result<(), ShapeError>
where
    X: Point + ?Sized,
    Y: Differentiable,
    F: Fn(&X::View) -> Y,
{
    check(x, v, y, dy)?;
    if Y::SHAPED {
        ShapeError::check("buffer for the function's value", f(x.__point()).difference(y))?;
    }
    push::<X, Y, F, JvpInto>(&f, x, v, y, dy);
    Ok(())
}

/// Compares what can be compared without the function's value.
fn check<X, Y>(x: &X, v: &X, y: &Y, dy: &Y) -> Result<(), ShapeError>
where
    X: Point + ?Sized,
    Y: Differentiable,
{
    check_shape("tangent", x, v.__point())?;
    ShapeError::check("buffer for the tangent", if Y::SHAPED { y.difference(dy) } else { None })
}

/// The call, with tangents laid out like their values, and not in the same place: where derivatives are
/// differentiated, what is its own tangent counts as constant.
#[track_caller]
fn push<X, Y, F, N>(f: &F, x: &X, v: &X, y: &mut Y, dy: &mut Y)
where
    X: Point + ?Sized,
    Y: Differentiable,
    F: Fn(&X::View) -> Y,
    N: Transform,
{
    let fresh = (X::Gradient::__FRESH || ptr::addr_eq(x, v)).then(|| x.__tangent(v));
    let v = fresh.as_ref().map_or_else(|| v.__point(), Differentiable::__view);
    if Y::__FRESH {
        let mut fresh = y.zero_tangent();
        call::forward::<F, X::View, Y, N>(f, x.__point(), v, y, &mut fresh);
        assign(dy, &fresh);
    } else {
        call::forward::<F, X::View, Y, N>(f, x.__point(), v, y, dy);
    }
}
