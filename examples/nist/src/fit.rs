//! Least squares by Gauss and Newton, damped as Levenberg and Marquardt do.

use autodiff::value_and_jacobian;
use nalgebra::{DMatrix, DVector};

/// Where the fit ended.
pub(crate) struct Fit {
    pub(crate) parameters: Vec<f64>,
    pub(crate) sum_of_squares: f64,
    pub(crate) iterations: usize,
}

/// Finds the parameters that make the sum of the squares of the residuals least.
pub(crate) fn least_squares(residuals: impl Fn(&[f64]) -> Vec<f64>, start: &[f64]) -> Fit {
    let mut fit =
        Fit { parameters: start.to_vec(), sum_of_squares: sum_of_squares(&residuals(start)), iterations: 0 };
    let mut damping = 1e-3;
    // Downhill, until no damping helps.
    while damping < 1e12 {
        fit.iterations += 1;
        let next = step(&residuals, &fit.parameters, damping).0;
        let sum = sum_of_squares(&residuals(&next));
        if sum < fit.sum_of_squares {
            let flat = sum > (1.0 - 1e-10) * fit.sum_of_squares;
            (fit.parameters, fit.sum_of_squares) = (next, sum);
            damping *= 0.1;
            if flat {
                break;
            }
        } else {
            damping *= 10.0;
        }
    }
    // At its minimum the sum is flat: rounding hides where that is, but not from plain steps of Gauss and Newton.
    let mut last = f64::INFINITY;
    loop {
        let (next, length) = step(&residuals, &fit.parameters, 0.0);
        if length >= last {
            break;
        }
        fit.iterations += 1;
        last = length;
        fit.parameters = next;
    }
    fit.sum_of_squares = sum_of_squares(&residuals(&fit.parameters));
    fit
}

fn sum_of_squares(residuals: &[f64]) -> f64 {
    residuals.iter().map(|r| r * r).sum()
}

/// A step from `b`: where it leads, and its length in the scale of the residuals.
fn step(residuals: impl Fn(&[f64]) -> Vec<f64>, b: &[f64], damping: f64) -> (Vec<f64>, f64) {
    let (values, jacobian) = value_and_jacobian(residuals, b);
    let jacobian = DMatrix::from_row_slice(values.len(), b.len(), jacobian.as_slice());
    let lengths: Vec<f64> = jacobian.column_iter().map(|column| column.norm()).collect();
    let scaled = solve(&jacobian, &lengths, &DVector::from_vec(values), damping);
    let next = b.iter().zip(&scaled).zip(&lengths).map(|((b, step), length)| b + step / length).collect();
    (next, sum_of_squares(&scaled).sqrt())
}

/// The s that makes |J D⁻¹ s + r|² + damping |s|² least, where D has the lengths of J's columns.
fn solve(jacobian: &DMatrix<f64>, lengths: &[f64], residuals: &DVector<f64>, damping: f64) -> Vec<f64> {
    let (rows, columns) = jacobian.shape();
    let damped = DMatrix::from_fn(rows + columns, columns, |i, j| match i.checked_sub(rows) {
        None => jacobian[(i, j)] / lengths[j],
        Some(k) if k == j => damping.sqrt(),
        Some(_) => 0.0,
    });
    let wanted = DVector::from_fn(rows + columns, |i, _| if i < rows { -residuals[i] } else { 0.0 });
    let decomposed = damped.qr();
    let projected = decomposed.q().transpose() * wanted;
    let solved = decomposed.r().solve_upper_triangular(&projected);
    solved.map_or_else(|| vec![0.0; columns], |solved| solved.iter().copied().collect())
}
