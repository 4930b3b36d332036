//! Linear least squares, to compare with.

use crate::data::{FEATURES, Samples};

/// One coefficient for each measurement, and the intercept.
const COEFFICIENTS: usize = FEATURES + 1;

type Vector = [f64; COEFFICIENTS];
type Matrix = [Vector; COEFFICIENTS];

/// A prediction that is linear in the measurements.
pub(crate) struct LinearModel {
    coefficients: Vector,
}

impl LinearModel {
    /// The model with the smallest squared error, from the normal equations `XᵀX b = Xᵀy`.
    pub(crate) fn fit(samples: &Samples) -> Self {
        let mut matrix: Matrix = [[0.0; COEFFICIENTS]; COEFFICIENTS];
        let mut right_side: Vector = [0.0; COEFFICIENTS];
        for (input, target) in samples.inputs.iter().zip(&samples.targets) {
            let row = with_intercept(input);
            for i in 0..COEFFICIENTS {
                right_side[i] += row[i] * target;
                for j in 0..COEFFICIENTS {
                    matrix[i][j] += row[i] * row[j];
                }
            }
        }
        Self { coefficients: solve(&cholesky(&matrix), &right_side) }
    }

    pub(crate) fn predict(&self, input: &[f64; FEATURES]) -> f64 {
        dot(&self.coefficients, &with_intercept(input))
    }
}

fn with_intercept(input: &[f64; FEATURES]) -> Vector {
    std::array::from_fn(|i| if i < FEATURES { input[i] } else { 1.0 })
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The lower triangle `L` with `L Lᵀ = matrix`, for a symmetric, positive definite matrix.
fn cholesky(matrix: &Matrix) -> Matrix {
    let mut lower = [[0.0; COEFFICIENTS]; COEFFICIENTS];
    for i in 0..COEFFICIENTS {
        for j in 0..=i {
            let rest = matrix[i][j] - dot(&lower[i][..j], &lower[j][..j]);
            lower[i][j] = if i == j { rest.sqrt() } else { rest / lower[j][j] };
        }
    }
    lower
}

/// Solves `L Lᵀ x = right_side`: forwards through `L`, then backwards through its transpose.
fn solve(lower: &Matrix, right_side: &Vector) -> Vector {
    let mut x = *right_side;
    for i in 0..COEFFICIENTS {
        x[i] = (x[i] - dot(&lower[i][..i], &x[..i])) / lower[i][i];
    }
    for i in (0..COEFFICIENTS).rev() {
        let later: f64 = (i + 1..COEFFICIENTS).map(|j| lower[j][i] * x[j]).sum();
        x[i] = (x[i] - later) / lower[i][i];
    }
    x
}
