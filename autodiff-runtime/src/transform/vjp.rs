//! Reverse mode: how much each part of the argument contributes to a function's value.

use super::gradient::check_shape;
use super::{Vjp, call};
use crate::differentiable::{Differentiable, assign, clear};
use crate::point::Point;
use crate::shape::{ShapeError, expect_shape};

/// The value of `f` at `x`, and a [`Pullback`] that multiplies with the transposed Jacobian.
///
/// # Panics
///
/// If `f` panics, with its panic.
///
/// # Examples
///
/// A derivative exists only in a program that `cargo autodiff` built, so this one is not run here:
///
/// ```no_run
/// let sum_and_product = |x: &[f64; 2]| [x[0] + x[1], x[0] * x[1]];
/// let (y, mut pullback) = autodiff::vjp(sum_and_product, &[3.0, 4.0]);
/// assert_eq!(y, [7.0, 12.0]);
/// // The gradient of the product, then that of the sum.
/// assert_eq!(pullback.pull(&[0.0, 1.0]), [4.0, 3.0]);
/// assert_eq!(pullback.pull(&[1.0, 0.0]), [1.0, 1.0]);
/// ```
#[track_caller]
pub fn vjp<X, Y, F>(f: F, x: &X) -> (Y, Pullback<'_, X, Y, F>)
where
    X: Point + ?Sized,
    Y: Differentiable,
    F: Fn(&X::View) -> Y,
{
    let y = f(x.__point());
    let (out, seed) = (y.zero_tangent(), y.zero_tangent());
    (y, Pullback { f, x, out, seed })
}

/// The derivative of a function at a point, from cotangents of its value to cotangents of its
/// argument. Made by [`vjp`]; can be used any number of times.
///
/// Each use evaluates the function again, forward and backward: nothing but the memory for its value is
/// kept between them.
#[derive(Debug)]
pub struct Pullback<'a, X: ?Sized, Y, F> {
    f: F,
    x: &'a X,
    /// Where the function writes its value, and the cotangent, which is used up.
    out: Y,
    seed: Y,
}

impl<X, Y, F> Pullback<'_, X, Y, F>
where
    X: Point + ?Sized,
    Y: Differentiable,
    F: Fn(&X::View) -> Y,
{
    /// The gradient of the function's value weighted by `cotangent`.
    ///
    /// # Panics
    ///
    /// If `cotangent` does not have the shape of the function's value; if the function panics, with
    /// its panic; and if the program was not built by `cargo autodiff`.
    #[track_caller]
    pub fn pull(&mut self, cotangent: &Y) -> X::Gradient {
        expect_shape("Pullback::pull", self.try_pull(cotangent))
    }

    /// [`pull`](Self::pull), or an error.
    ///
    /// # Errors
    ///
    /// If `cotangent` does not have the shape of the function's value.
    ///
    /// # Panics
    ///
    /// If the function panics, with its panic; and if the program was not built by `cargo autodiff`.
    #[track_caller]
    pub fn try_pull(&mut self, cotangent: &Y) -> Result<X::Gradient, ShapeError> {
        self.check(cotangent)?;
        let mut gradient = self.x.__zero();
        self.add(cotangent, &mut gradient);
        Ok(gradient)
    }

    /// Writes the gradient of the function's value weighted by `cotangent` into `gradient`, which is
    /// overwritten.
    ///
    /// Nothing is allocated but what the function allocates and what its derivative has to remember.
    /// (Maps are an exception: a tangent is made for them.)
    ///
    /// # Panics
    ///
    /// If `cotangent` does not have the shape of the function's value, or `gradient` not that of the
    /// point; if the function panics, with its panic; and if the program was not built by `cargo autodiff`.
    #[track_caller]
    pub fn pull_into(&mut self, cotangent: &Y, gradient: &mut X::Gradient) {
        expect_shape("Pullback::pull_into", self.try_pull_into(cotangent, gradient));
    }

    /// [`pull_into`](Self::pull_into), or an error.
    ///
    /// # Errors
    ///
    /// If `cotangent` does not have the shape of the function's value, or `gradient` not that of the
    /// point. Nothing is written then.
    ///
    /// # Panics
    ///
    /// If the function panics, with its panic; and if the program was not built by `cargo autodiff`.
    #[track_caller]
    pub fn try_pull_into(&mut self, cotangent: &Y, gradient: &mut X::Gradient) -> Result<(), ShapeError> {
        self.check(cotangent)?;
        check_shape("gradient", self.x, gradient.__view())?;
        if X::Gradient::__FRESH {
            let mut fresh = self.x.__zero();
            self.add(cotangent, &mut fresh);
            assign(gradient, &fresh);
        } else {
            clear(gradient);
            self.add(cotangent, gradient);
        }
        Ok(())
    }

    fn check(&self, cotangent: &Y) -> Result<(), ShapeError> {
        ShapeError::check("cotangent", if Y::SHAPED { self.out.difference(cotangent) } else { None })
    }

    #[track_caller]
    fn add(&mut self, cotangent: &Y, gradient: &mut X::Gradient) {
        assign(&mut self.seed, cotangent);
        let (x, gradient) = (self.x.__point(), gradient.__view_mut());
        call::reverse::<F, X::View, Y, Vjp>(&self.f, x, gradient, &mut self.out, &mut self.seed);
    }
}
