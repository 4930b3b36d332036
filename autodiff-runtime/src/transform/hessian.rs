//! Hessians, several rows at a time.

use std::array;

use super::HessianOf;
use super::call::{self, WIDTH};
use super::gradient::check_shape;
use super::jacobian::set_unit;
use crate::differentiable::{Differentiable, clear};
use crate::matrix::Matrix;
use crate::point::Point;
use crate::shape::{ShapeError, expect_shape};

/// The Hessian of `f` at `x`: a row and a column for each float of `x`, in the order of
/// [`flatten`](Differentiable::flatten).
///
/// It is computed forward over reverse, eight rows at a time. Both triangles are computed; they agree
/// up to rounding.
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
/// let h = autodiff::hessian(|x: &[f64; 2]| x[0] * x[0] * x[1], &[3.0, 5.0]);
/// assert_eq!(h.as_slice(), [10.0, 6.0, 6.0, 0.0]);
/// ```
#[track_caller]
pub fn hessian<X, F>(f: F, x: &X) -> Matrix<X::Scalar>
where
    X: Point + ?Sized,
    F: Fn(&X::View) -> X::Scalar,
{
    let mut hessian = Hessian::new(x);
    hessian.fill(&f, x);
    hessian.matrix
}

/// Writes the Hessian and the gradient of `f` at `x` into `hessian`, and returns the value.
///
/// Nothing is allocated but what `f` allocates and what its gradient has to remember. (Maps are an
/// exception: tangents are made for them.)
///
/// # Panics
///
/// If `x` does not have the shape that `hessian` was made for; if `f` panics, with its panic; and if
/// the program was not built by `cargo autodiff`.
///
/// # Examples
///
/// A derivative exists only in a program that `cargo autodiff` built, so this one is not run here:
///
/// ```no_run
/// use autodiff::Hessian;
///
/// // Newton's method for the minimum of a function of two numbers.
/// let f = |x: &[f64; 2]| (x[0] - 1.0).powi(4) + x[0] * x[0] + (x[0] - x[1]).powi(2);
/// let mut x = [3.0, 2.0];
/// let mut hessian = Hessian::new(&x);
/// for _ in 0..20 {
///     autodiff::hessian_into(f, &x, &mut hessian);
///     let (g, h) = (hessian.gradient(), hessian.matrix());
///     let determinant = h[(0, 0)] * h[(1, 1)] - h[(0, 1)] * h[(1, 0)];
///     let step = [h[(1, 1)] * g[0] - h[(0, 1)] * g[1], h[(0, 0)] * g[1] - h[(1, 0)] * g[0]];
///     x = [x[0] - step[0] / determinant, x[1] - step[1] / determinant];
/// }
/// // The gradient is zero where `4 (x - 1)^3 + 2 x` is.
/// assert!((4.0 * (x[0] - 1.0f64).powi(3) + 2.0 * x[0]).abs() < 1e-12 && (x[0] - x[1]).abs() < 1e-12);
/// ```
#[track_caller]
pub fn hessian_into<X, F>(f: F, x: &X, hessian: &mut Hessian<X::Gradient>) -> X::Scalar
where
    X: Point + ?Sized,
    F: Fn(&X::View) -> X::Scalar,
{
    expect_shape("hessian_into", try_hessian_into(f, x, hessian))
}

/// [`hessian_into`], or an error.
///
/// # Errors
///
/// If `x` does not have the shape that `hessian` was made for. Nothing is written then.
///
/// # Panics
///
/// If `f` panics, with its panic; and if the program was not built by `cargo autodiff`.
#[track_caller]
pub fn try_hessian_into<X, F>(
    f: F,
    x: &X,
    hessian: &mut Hessian<X::Gradient>,
) -> Result<X::Scalar, ShapeError>
where
    X: Point + ?Sized,
    F: Fn(&X::View) -> X::Scalar,
{
    check_shape("point that the Hessian was made for", x, hessian.gradient.__view())?;
    Ok(hessian.fill(&f, x))
}

/// A Hessian and the memory to compute it again, for [`hessian_into`].
#[derive(Debug)]
pub struct Hessian<X: Differentiable> {
    matrix: Matrix<X::Scalar>,
    gradient: X,
    directions: [X; WIDTH],
    products: [X; WIDTH],
}

impl<X: Differentiable> Hessian<X> {
    /// Zeros for arguments of the shape of `x`.
    pub fn new<P>(x: &P) -> Self
    where
        P: Point<Gradient = X> + ?Sized,
    {
        let zeros = || array::from_fn(|_| x.__zero());
        let gradient = x.__zero();
        let size = gradient.dimension();
        Self { matrix: Matrix::zeros(size, size), gradient, directions: zeros(), products: zeros() }
    }

    /// The Hessian: zeros at first.
    pub const fn matrix(&self) -> &Matrix<X::Scalar> {
        &self.matrix
    }

    /// The gradient: zeros at first.
    pub const fn gradient(&self) -> &X {
        &self.gradient
    }

    /// The Hessian, without the memory.
    #[must_use]
    pub fn into_matrix(self) -> Matrix<X::Scalar> {
        self.matrix
    }

    /// Returns the value.
    #[track_caller]
    fn fill<P, F>(&mut self, f: &F, x: &P) -> X::Scalar
    where
        P: Point<Gradient = X, View = X::View, Scalar = X::Scalar> + ?Sized,
        F: Fn(&P::View) -> X::Scalar,
    {
        if X::__FRESH {
            let matrix = std::mem::replace(&mut self.matrix, Matrix::zeros(0, 0));
            *self = Self { matrix, ..Self::new(x) };
        }
        let mut start = 0;
        loop {
            let value = self.fill_rows(f, x.__point(), start);
            start += WIDTH;
            if start >= self.matrix.rows() {
                return value;
            }
        }
    }

    /// The rows from `start` on. The Hessian is symmetric: a product with a unit vector is a row too.
    #[track_caller]
    fn fill_rows<F>(&mut self, f: &F, x: &X::View, start: usize) -> X::Scalar
    where
        F: Fn(&X::View) -> X::Scalar,
    {
        clear(&mut self.gradient);
        self.products.iter_mut().for_each(clear);
        for (index, direction) in self.directions.iter_mut().enumerate() {
            set_unit(direction, start + index);
        }
        let directions = self.directions.each_ref().map(X::__view);
        let products = self.products.each_mut().map(X::__view_mut);
        let gradient = self.gradient.__view_mut();
        let value =
            call::curvature_batch::<F, X::View, X::Scalar, HessianOf>(f, x, directions, gradient, products);
        for (row, product) in (start..self.matrix.rows()).zip(&self.products) {
            self.matrix.set_row(row, product);
        }
        value
    }
}
