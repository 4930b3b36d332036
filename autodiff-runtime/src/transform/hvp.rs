//! Products with the Hessian, forward over reverse.

use super::gradient::check_shape;
use super::{Hvp, call};
use std::ptr;

use crate::differentiable::{Differentiable, assign, clear};
use crate::point::Point;
use crate::shape::{ShapeError, expect_shape};

/// The product of the Hessian of `f` at `x` with `v`: how the gradient changes when `x` moves along `v`.
///
/// It costs a few gradients, whatever the size of the Hessian, which is never formed.
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
/// let hv = autodiff::hvp(|x: &[f64; 2]| x[0] * x[0] * x[1], &[3.0, 5.0], &[1.0, 0.0]);
/// assert_eq!(hv, [10.0, 6.0]);
/// ```
#[track_caller]
pub fn hvp<X, F>(f: F, x: &X, v: &X) -> X::Gradient
where
    X: Point + ?Sized,
    F: Fn(&X::View) -> X::Scalar,
{
    expect_shape("hvp", try_hvp(f, x, v))
}

/// [`hvp`], or an error.
///
/// # Errors
///
/// If `v` does not have the shape of `x`.
///
/// # Panics
///
/// If `f` panics, with its panic; and if the program was not built by `cargo autodiff`.
#[track_caller]
pub fn try_hvp<X, F>(f: F, x: &X, v: &X) -> Result<X::Gradient, ShapeError>
where
    X: Point + ?Sized,
    F: Fn(&X::View) -> X::Scalar,
{
    Ok(try_gradient_and_hvp(f, x, v)?.1)
}

/// The gradient of `f` at `x`, and the product of the Hessian with `v`.
///
/// This costs no more than [`hvp`], which computes the gradient as well.
///
/// # Panics
///
/// As [`hvp`].
#[track_caller]
pub fn gradient_and_hvp<X, F>(f: F, x: &X, v: &X) -> (X::Gradient, X::Gradient)
where
    X: Point + ?Sized,
    F: Fn(&X::View) -> X::Scalar,
{
    expect_shape("gradient_and_hvp", try_gradient_and_hvp(f, x, v))
}

/// [`gradient_and_hvp`], or an error.
///
/// # Errors
///
/// If `v` does not have the shape of `x`.
///
/// # Panics
///
/// If `f` panics, with its panic; and if the program was not built by `cargo autodiff`.
#[track_caller]
pub fn try_gradient_and_hvp<X, F>(f: F, x: &X, v: &X) -> Result<(X::Gradient, X::Gradient), ShapeError>
where
    X: Point + ?Sized,
    F: Fn(&X::View) -> X::Scalar,
{
    check_shape("direction", x, v.__point())?;
    let (mut gradient, mut product) = (x.__zero(), x.__zero());
    multiply(&f, x, v, &mut gradient, &mut product);
    Ok((gradient, product))
}

/// Writes the gradient of `f` at `x` into `gradient` and the product of the Hessian with `v` into
/// `product`, which are overwritten, and returns the value.
///
/// Nothing is allocated but what `f` allocates and what its gradient has to remember. (Maps are an
/// exception: tangents are made for them.)
///
/// # Panics
///
/// If `v`, `gradient` or `product` does not have the shape of `x`; if `f` panics, with its panic; and
/// if the program was not built by `cargo autodiff`.
#[track_caller]
pub fn hvp_into<X, F>(f: F, x: &X, v: &X, gradient: &mut X::Gradient, product: &mut X::Gradient) -> X::Scalar
where
    X: Point + ?Sized,
    F: Fn(&X::View) -> X::Scalar,
{
    expect_shape("hvp_into", try_hvp_into(f, x, v, gradient, product))
}

/// [`hvp_into`], or an error.
///
/// # Errors
///
/// If `v`, `gradient` or `product` does not have the shape of `x`. Nothing is written then.
///
/// # Panics
///
/// If `f` panics, with its panic; and if the program was not built by `cargo autodiff`.
#[track_caller]
pub fn try_hvp_into<X, F>(
    f: F,
    x: &X,
    v: &X,
    gradient: &mut X::Gradient,
    product: &mut X::Gradient,
) -> Result<X::Scalar, ShapeError>
where
    X: Point + ?Sized,
    F: Fn(&X::View) -> X::Scalar,
{
    check_shape("direction", x, v.__point())?;
    check_shape("gradient", x, gradient.__view())?;
    check_shape("product", x, product.__view())?;
    if X::Gradient::__FRESH {
        let (mut g, mut hv) = (x.__zero(), x.__zero());
        let value = multiply(&f, x, v, &mut g, &mut hv);
        assign(gradient, &g);
        assign(product, &hv);
        return Ok(value);
    }
    clear(gradient);
    clear(product);
    Ok(multiply(&f, x, v, gradient, product))
}

/// The call, with a direction laid out like the point, and not in the same place (see `jvp`).
#[track_caller]
fn multiply<X, F>(f: &F, x: &X, v: &X, gradient: &mut X::Gradient, product: &mut X::Gradient) -> X::Scalar
where
    X: Point + ?Sized,
    F: Fn(&X::View) -> X::Scalar,
{
    let fresh = (X::Gradient::__FRESH || ptr::addr_eq(x, v)).then(|| x.__tangent(v));
    let v = fresh.as_ref().map_or_else(|| v.__point(), Differentiable::__view);
    let (gradient, product) = (gradient.__view_mut(), product.__view_mut());
    call::curvature::<F, X::View, X::Scalar, Hvp>(f, x.__point(), v, gradient, product)
}
