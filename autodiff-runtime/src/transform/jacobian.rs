//! Jacobians, several rows or columns at a time.

use std::array;

use super::JacobianOf;
use super::call::{self, WIDTH};
use super::gradient::check_shape;
use crate::differentiable::{Differentiable, clear};
use crate::matrix::Matrix;
use crate::point::Point;
use crate::scalar::Scalar;
use crate::shape::{ShapeError, expect_shape};

/// The Jacobian of `f` at `x`: a row for each float of the value, a column for each float of `x`, in
/// the order of [`flatten`](Differentiable::flatten).
///
/// It is computed forward, column by column, if there are no more columns than rows; otherwise in reverse,
/// row by row; eight at a time in either case.
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
/// let sum_and_product = |x: &[f64]| vec![x[0] + x[1], x[0] * x[1]];
/// let jacobian = autodiff::jacobian(sum_and_product, &[3.0, 4.0][..]);
/// assert_eq!(jacobian.row(0), [1.0, 1.0]);
/// assert_eq!(jacobian.row(1), [4.0, 3.0]);
/// assert_eq!(jacobian[(1, 0)], 4.0);
/// ```
#[track_caller]
pub fn jacobian<X, Y, F>(f: F, x: &X) -> Matrix<X::Scalar>
where
    X: Point + ?Sized,
    Y: Differentiable,
    F: Fn(&X::View) -> Y,
{
    value_and_jacobian(f, x).1
}

/// The value and the Jacobian of `f` at `x`.
///
/// # Panics
///
/// As [`jacobian`].
#[track_caller]
pub fn value_and_jacobian<X, Y, F>(f: F, x: &X) -> (Y, Matrix<X::Scalar>)
where
    X: Point + ?Sized,
    Y: Differentiable,
    F: Fn(&X::View) -> Y,
{
    let y = f(x.__point());
    let mut jacobian = Jacobian::new(x, &y);
    jacobian.fill(&f, x);
    (y, jacobian.matrix)
}

/// Writes the Jacobian of `f` at `x` into `jacobian`.
///
/// Nothing is allocated but what `f` allocates and what its derivative has to remember. (Maps are an
/// exception: tangents are made for them.) The function is evaluated once more, for the shape of its value,
/// if it can have several.
///
/// # Panics
///
/// If `x` or the function's value does not have the shape that `jacobian` was made for; if `f` panics,
/// with its panic; and if the program was not built by `cargo autodiff`.
///
/// # Examples
///
/// A derivative exists only in a program that `cargo autodiff` built, so this one is not run here:
///
/// ```no_run
/// use autodiff::Jacobian;
///
/// let f = |x: &[f64; 2]| [x[0] * x[0] + x[1] - 3.0, x[0] - x[1]];
/// let mut x = [1.0, 2.0];
/// let mut jacobian = Jacobian::new(&x, &f(&x));
/// for _ in 0..10 {
///     autodiff::jacobian_into(f, &x, &mut jacobian);
///     let ([a, b], j) = (f(&x), jacobian.matrix());
///     let determinant = j[(0, 0)] * j[(1, 1)] - j[(0, 1)] * j[(1, 0)];
///     x[0] -= (j[(1, 1)] * a - j[(0, 1)] * b) / determinant;
///     x[1] -= (j[(0, 0)] * b - j[(1, 0)] * a) / determinant;
/// }
/// assert!((x[0] * x[0] + x[1] - 3.0).abs() < 1e-12);
/// ```
#[track_caller]
pub fn jacobian_into<X, Y, F>(f: F, x: &X, jacobian: &mut Jacobian<X::Gradient, Y>)
where
    X: Point + ?Sized,
    Y: Differentiable,
    F: Fn(&X::View) -> Y,
{
    expect_shape("jacobian_into", try_jacobian_into(f, x, jacobian));
}

/// [`jacobian_into`], or an error.
///
/// # Errors
///
/// If `x` or the function's value does not have the shape that `jacobian` was made for. Nothing is
/// written then.
///
/// # Panics
///
/// If `f` panics, with its panic; and if the program was not built by `cargo autodiff`.
#[track_caller]
pub fn try_jacobian_into<X, Y, F>(
    f: F,
    x: &X,
    jacobian: &mut Jacobian<X::Gradient, Y>,
) -> Result<(), ShapeError>
where
    X: Point + ?Sized,
    Y: Differentiable,
    F: Fn(&X::View) -> Y,
{
    check_shape("point that the Jacobian was made for", x, jacobian.dx[0].__view())?;
    if Y::SHAPED {
        let what = "value that the Jacobian was made for";
        ShapeError::check(what, f(x.__point()).difference(&jacobian.y))?;
    }
    jacobian.fill(&f, x);
    Ok(())
}

/// A Jacobian and the memory to compute it again, for [`jacobian_into`].
#[derive(Debug)]
pub struct Jacobian<X, Y>
where
    X: Differentiable,
{
    matrix: Matrix<X::Scalar>,
    dx: [X; WIDTH],
    y: Y,
    dy: [Y; WIDTH],
}

impl<X: Differentiable, Y: Differentiable> Jacobian<X, Y> {
    /// Zeros for arguments of the shape of `x` and values of the shape of `y`.
    pub fn new<P>(x: &P, y: &Y) -> Self
    where
        P: Point<Gradient = X> + ?Sized,
    {
        let dx: [X; WIDTH] = array::from_fn(|_| x.__zero());
        let matrix = Matrix::zeros(y.dimension(), dx[0].dimension());
        Self { matrix, dx, y: y.zero_tangent(), dy: array::from_fn(|_| y.zero_tangent()) }
    }

    /// The Jacobian: zeros at first.
    pub const fn matrix(&self) -> &Matrix<X::Scalar> {
        &self.matrix
    }

    /// The Jacobian, without the memory.
    #[must_use]
    pub fn into_matrix(self) -> Matrix<X::Scalar> {
        self.matrix
    }

    #[track_caller]
    fn fill<P, F>(&mut self, f: &F, x: &P)
    where
        P: Point<Gradient = X, View = X::View> + ?Sized,
        F: Fn(&P::View) -> Y,
    {
        self.fill_part(f, x, 0, 1);
    }

    /// One of several parts of equal size, from 0.
    #[track_caller]
    pub(crate) fn fill_part<P, F>(&mut self, f: &F, x: &P, part: usize, parts: usize)
    where
        P: Point<Gradient = X, View = X::View> + ?Sized,
        F: Fn(&P::View) -> Y,
    {
        if X::__FRESH {
            self.dx = array::from_fn(|_| x.__zero());
        }
        if self.matrix.columns() <= self.matrix.rows() {
            self.fill_columns(f, x.__point(), part, parts);
        } else {
            self.fill_rows(f, x.__point(), part, parts);
        }
    }

    /// Forward: a tangent for each column.
    #[track_caller]
    fn fill_columns<F: Fn(&X::View) -> Y>(&mut self, f: &F, x: &X::View, part: usize, parts: usize) {
        for start in (part * WIDTH..self.matrix.columns()).step_by(parts * WIDTH) {
            for (index, dx) in self.dx.iter_mut().enumerate() {
                set_unit(dx, start + index);
            }
            let dx = self.dx.each_ref().map(X::__view);
            call::forward_batch::<F, X::View, Y, JacobianOf>(f, x, dx, &mut self.y, &mut self.dy);
            for (column, dy) in (start..self.matrix.columns()).zip(&self.dy) {
                self.matrix.set_column(column, dy);
            }
        }
    }

    /// In reverse: a cotangent for each row.
    #[track_caller]
    fn fill_rows<F: Fn(&X::View) -> Y>(&mut self, f: &F, x: &X::View, part: usize, parts: usize) {
        for start in (part * WIDTH..self.matrix.rows()).step_by(parts * WIDTH) {
            self.dx.iter_mut().for_each(clear);
            for (index, dy) in self.dy.iter_mut().enumerate() {
                set_unit(dy, start + index);
            }
            let dx = self.dx.each_mut().map(X::__view_mut);
            call::reverse_batch::<F, X::View, Y, JacobianOf>(f, x, dx, &mut self.y, &mut self.dy);
            for (row, dx) in (start..self.matrix.rows()).zip(&self.dx) {
                self.matrix.set_row(row, dx);
            }
        }
    }
}

/// Sets one float to one and all others to zero; all if there is no such float.
pub(super) fn set_unit<T: Differentiable>(value: &mut T, index: usize) {
    let mut next = 0;
    value.__update(&mut |_| {
        next += 1;
        if next == index + 1 { 1.0 } else { 0.0 }
    });
}

impl<S: Scalar> Matrix<S> {
    /// Writes the floats of a value into a row.
    pub(super) fn set_row<T: Differentiable>(&mut self, row: usize, value: &T) {
        let mut places = self.row_mut(row).iter_mut();
        value.__pairs(value, &mut |number, _| {
            if let Some(place) = places.next() {
                *place = S::__nearest(number);
            }
        });
    }

    /// Writes the floats of a value into a column.
    fn set_column<T: Differentiable>(&mut self, column: usize, value: &T) {
        let mut row = 0;
        value.__pairs(value, &mut |number, _| {
            self[(row, column)] = S::__nearest(number);
            row += 1;
        });
    }
}
