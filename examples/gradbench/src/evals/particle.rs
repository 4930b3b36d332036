//! A charged particle between two fixed charges, one of which is placed so that the particle flies through the origin.

use serde::Deserialize;

use super::descent::{Forward, Mode, Reverse, minimum};
use crate::job::{Job, Outcome};

#[derive(Deserialize)]
struct Input {
    w: f64,
}

/// A particle that has not come down by then never will.
const MOST_STEPS: usize = 1_000_000;
const STEP: f64 = 0.1;

/// The potential of both charges at `x`.
fn potential(x: &[f64; 2], w: f64) -> f64 {
    let distance = |y: f64| ((x[0] - 10.0).powi(2) + (x[1] - y).powi(2)).sqrt();
    1.0 / distance(10.0 - w) + 1.0 / distance(0.0)
}

/// The square of the distance from the origin at which the particle crosses the axis, by Euler's method.
fn miss<M: Mode>(w: f64) -> f64 {
    let (mut x, mut speed) = ([0.0, 8.0], [0.75, 0.0]);
    for _ in 0..MOST_STEPS {
        let slope = M::gradient(|x: &[f64; 2]| potential(x, w), &x);
        x = [x[0] + STEP * speed[0], x[1] + STEP * speed[1]];
        if x[1] <= 0.0 {
            let place = x[0] - x[1] / speed[1] * speed[0];
            return place * place;
        }
        speed = [speed[0] - STEP * slope[0], speed[1] - STEP * slope[1]];
    }
    f64::NAN
}

/// The best place for the charge, from `w` on: `M` for the descent, `N` for the force.
fn best<M: Mode, N: Mode>(w: f64) -> f64 {
    minimum::<M, 1>(|w| miss::<N>(w[0]), [w])[0]
}

pub(super) fn evaluate(job: Job) -> Result<Outcome, String> {
    let Input { w } = job.read()?;
    match job.function {
        "ff" => job.answer_with(|| best::<Forward, Forward>(w)),
        "fr" => job.answer_with(|| best::<Forward, Reverse>(w)),
        "rf" => job.answer_with(|| best::<Reverse, Forward>(w)),
        "rr" => job.answer_with(|| best::<Reverse, Reverse>(w)),
        _ => Err(job.unknown()),
    }
}
