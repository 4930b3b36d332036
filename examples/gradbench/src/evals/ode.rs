//! Runge and Kutta's method for `y[0]' = x[0]`, `y[i]' = x[i] y[i - 1]`, from zero at time 0 to time 2.

use std::hint::black_box;

use serde::Deserialize;

use crate::job::{Job, Outcome, ensure};

#[derive(Deserialize)]
struct Input {
    x: Vec<f64>,
    s: u32,
}

/// The slopes of the solution at `y + h k`.
fn slopes(x: &[f64], y: &[f64], h: f64, k: &[f64]) -> Vec<f64> {
    let first = x[0];
    let rest = x[1..].iter().zip(y).zip(k).map(|((x, y), k)| x * (y + h * k));
    std::iter::once(first).chain(rest).collect()
}

/// The solution at time 2, by `steps` steps.
fn solve(x: &[f64], steps: u32) -> Vec<f64> {
    let h = 2.0 / f64::from(steps);
    let mut y = vec![0.0; x.len()];
    for _ in 0..steps {
        let k1 = slopes(x, &y, 0.0, &y);
        let k2 = slopes(x, &y, h / 2.0, &k1);
        let k3 = slopes(x, &y, h / 2.0, &k2);
        let k4 = slopes(x, &y, h, &k3);
        for i in 0..y.len() {
            y[i] += h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
        }
    }
    y
}

pub(super) fn evaluate(mut job: Job) -> Result<Outcome, String> {
    let Input { x, s } = job.read()?;
    ensure(!x.is_empty(), "`x` is empty")?;
    ensure(s > 0, "`s` is zero")?;
    match job.function {
        "primal" => job.answer_with(|| solve(black_box(&x), s)),
        "gradient" => {
            let last = |x: &[f64]| solve(x, s)[x.len() - 1];
            let mut gradient = vec![0.0; x.len()];
            job.repeat(|| autodiff::gradient_into(last, &x, &mut gradient));
            job.answer(&gradient)
        }
        _ => Err(job.unknown()),
    }
}
