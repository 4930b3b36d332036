//! The determinant of a matrix, expanded by minors.

use std::hint::black_box;

use serde::Deserialize;

use crate::job::{Job, Outcome, ensure};

#[derive(Deserialize)]
struct Input {
    #[serde(rename = "A")]
    a: Vec<f64>,
    ell: usize,
}

/// Of the rows from `row` on, and the columns that are not `taken`, one bit for each.
fn minor(a: &[f64], ell: usize, row: usize, taken: u32) -> f64 {
    let (mut sum, mut sign) = (0.0, 1.0);
    for column in 0..ell {
        let bit = 1 << column;
        if taken & bit == 0 {
            let rest = if row + 1 == ell { 1.0 } else { minor(a, ell, row + 1, taken | bit) };
            sum += sign * a[row * ell + column] * rest;
            sign = -sign;
        }
    }
    sum
}

pub(super) fn evaluate(mut job: Job) -> Result<Outcome, String> {
    let Input { a, ell } = job.read()?;
    ensure((1..=32).contains(&ell), "`ell` is not between 1 and 32")?;
    ensure(a.len() == ell * ell, "`A` does not have `ell` times `ell` numbers")?;
    match job.function {
        "primal" => job.answer_with(|| minor(black_box(&a), ell, 0, 0)),
        "gradient" => {
            let mut gradient = vec![0.0; a.len()];
            job.repeat(|| autodiff::gradient_into(|a: &[f64]| minor(a, ell, 0, 0), &a, &mut gradient));
            job.answer(&gradient)
        }
        _ => Err(job.unknown()),
    }
}
