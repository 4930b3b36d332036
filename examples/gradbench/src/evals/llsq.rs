//! Least squares: how far a polynomial is from the sign function, at points between -1 and 1.

use std::hint::black_box;

use serde::Deserialize;

use crate::job::{Job, Outcome};

#[derive(Deserialize)]
struct Input {
    x: Vec<f64>,
    n: u32,
}

/// Half the sum of squares at `n` points for the polynomial with coefficients `x`, the constant one first.
fn distance(x: &[f64], n: u32) -> f64 {
    let square = |i: u32| {
        let t = -1.0 + f64::from(i) * 2.0 / (f64::from(n) - 1.0);
        let sign = f64::from(i8::from(t > 0.0) - i8::from(t < 0.0));
        let value = x.iter().rev().fold(0.0, |value, x| value * t + x);
        (sign - value) * (sign - value)
    };
    0.5 * (0..n).map(square).sum::<f64>()
}

pub(super) fn evaluate(mut job: Job) -> Result<Outcome, String> {
    let Input { x, n } = job.read()?;
    match job.function {
        "primal" => job.answer_with(|| distance(black_box(&x), n)),
        "gradient" => {
            let mut gradient = vec![0.0; x.len()];
            job.repeat(|| autodiff::gradient_into(|x: &[f64]| distance(x, n), &x, &mut gradient));
            job.answer(&gradient)
        }
        _ => Err(job.unknown()),
    }
}
