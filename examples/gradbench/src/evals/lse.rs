//! The logarithm of a sum of exponentials.

use std::hint::black_box;

use serde::Deserialize;

use crate::job::{Job, Outcome, ensure};

#[derive(Deserialize)]
struct Input {
    x: Vec<f64>,
}

/// The greatest number is taken out, so that no exponential overflows.
pub(super) fn log_sum_exp(x: &[f64]) -> f64 {
    let greatest = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    greatest + x.iter().map(|x| (x - greatest).exp()).sum::<f64>().ln()
}

pub(super) fn evaluate(mut job: Job) -> Result<Outcome, String> {
    let Input { x } = job.read()?;
    ensure(!x.is_empty(), "`x` is empty")?;
    match job.function {
        "primal" => job.answer_with(|| log_sum_exp(black_box(&x))),
        "gradient" => {
            let mut gradient = vec![0.0; x.len()];
            job.repeat(|| autodiff::gradient_into(log_sum_exp, &x, &mut gradient));
            job.answer(&gradient)
        }
        _ => Err(job.unknown()),
    }
}
