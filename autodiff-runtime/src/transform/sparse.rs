//! Sparse Jacobians and Hessians: several columns with one tangent.

use std::array;

use super::call::{self, WIDTH};
use super::{SparseHessian, SparseJacobian};
use crate::differentiable::{Differentiable, clear};
use crate::point::Point;
use crate::sparse::{Pattern, SparseMatrix};

/// The Jacobian of `f` at `x`, of which only the elements at the pattern's places may differ from zero.
///
/// It takes a forward pass for each of the pattern's [colours](Pattern::colours), eight at a time. What is not
/// zero elsewhere is lost: it is added to other elements.
///
/// # Panics
///
/// If the pattern has not a row for each float of the value and a column for each of `x`; if `f` panics, with its
/// panic; and if the program was not built by `cargo autodiff`.
#[track_caller]
pub fn jacobian<'p, X, Y, F>(f: F, x: &X, pattern: &'p Pattern) -> SparseMatrix<'p, X::Scalar>
where
    X: Point + ?Sized,
    Y: Differentiable<Scalar = X::Scalar>,
    F: Fn(&X::View) -> Y,
{
    let mut y = f(x.__point());
    let mut tangents: [X::Gradient; WIDTH] = array::from_fn(|_| x.__zero());
    let mut dy: [Y; WIDTH] = array::from_fn(|_| y.zero_tangent());
    check_size(pattern, y.dimension(), tangents[0].dimension());
    let mut matrix = SparseMatrix::zeros(pattern);
    for start in (0..pattern.colours()).step_by(WIDTH) {
        seed(&mut tangents, pattern, start);
        let dx = tangents.each_ref().map(Differentiable::__view);
        call::forward_batch::<F, X::View, Y, SparseJacobian>(&f, x.__point(), dx, &mut y, &mut dy);
        for (colour, dy) in (start..pattern.colours()).zip(&dy) {
            matrix.set_colour(colour, &dy.flatten());
        }
    }
    matrix
}

/// The Hessian of `f` at `x`, of which only the elements at the pattern's places may differ from zero. The pattern has both
/// (i, j) and (j, i).
///
/// It takes a Hessian product for each of the pattern's [colours](Pattern::colours), eight at a time.
///
/// # Panics
///
/// If the pattern has not a row and a column for each float of `x`; if `f` panics, with its panic; and if the program was
/// not built by `cargo autodiff`.
#[track_caller]
pub fn hessian<'p, X, F>(f: F, x: &X, pattern: &'p Pattern) -> SparseMatrix<'p, X::Scalar>
where
    X: Point + ?Sized,
    F: Fn(&X::View) -> X::Scalar,
{
    let zeros = || array::from_fn(|_| x.__zero());
    let (mut directions, mut products): ([X::Gradient; WIDTH], [X::Gradient; WIDTH]) = (zeros(), zeros());
    let mut gradient = x.__zero();
    check_size(pattern, gradient.dimension(), gradient.dimension());
    let mut matrix = SparseMatrix::zeros(pattern);
    for start in (0..pattern.colours()).step_by(WIDTH) {
        seed(&mut directions, pattern, start);
        clear(&mut gradient);
        products.iter_mut().for_each(clear);
        let v = directions.each_ref().map(Differentiable::__view);
        let into = products.each_mut().map(Differentiable::__view_mut);
        call::curvature_batch::<F, X::View, X::Scalar, SparseHessian>(
            &f,
            x.__point(),
            v,
            gradient.__view_mut(),
            into,
        );
        for (colour, product) in (start..pattern.colours()).zip(&products) {
            matrix.set_colour(colour, &product.flatten());
        }
    }
    matrix
}

#[track_caller]
fn check_size(pattern: &Pattern, rows: usize, columns: usize) {
    assert!(
        (pattern.rows(), pattern.columns()) == (rows, columns),
        "a pattern of {} rows and {} columns for a matrix of {rows} rows and {columns} columns",
        pattern.rows(),
        pattern.columns()
    );
}

/// Has each tangent be one in the columns of one colour, and zero in the others.
fn seed<T: Differentiable>(tangents: &mut [T; WIDTH], pattern: &Pattern, start: usize) {
    for (index, tangent) in tangents.iter_mut().enumerate() {
        let mut column = 0;
        tangent.__update(&mut |_| {
            column += 1;
            if pattern.colour(column - 1) == start + index { 1.0 } else { 0.0 }
        });
    }
}
