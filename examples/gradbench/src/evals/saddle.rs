//! A saddle point, by a descent whose every value is that of an ascent.

use serde::Deserialize;

use super::descent::{Forward, Mode, Reverse, minimum};
use crate::job::{Job, Outcome};

#[derive(Deserialize)]
struct Input {
    start: [f64; 2],
}

fn height(x: &[f64; 2], y: &[f64; 2]) -> f64 {
    (x[0] * x[0] + x[1] * x[1]) - (y[0] * y[0] + y[1] * y[1])
}

/// The `y` of greatest height for this `x`.
fn highest<M: Mode>(x: &[f64; 2], start: [f64; 2]) -> [f64; 2] {
    minimum::<M, 2>(|y| -height(x, y), start)
}

/// The `x` whose greatest height is least, and its `y`: `M` for the descent, `N` for the ascent.
fn saddle<M: Mode, N: Mode>(start: [f64; 2]) -> [f64; 4] {
    let x = minimum::<M, 2>(|x| height(x, &highest::<N>(x, start)), start);
    let y = highest::<N>(&x, start);
    [x[0], x[1], y[0], y[1]]
}

pub(super) fn evaluate(job: Job) -> Result<Outcome, String> {
    let Input { start } = job.read()?;
    match job.function {
        "ff" => job.answer_with(|| saddle::<Forward, Forward>(start)),
        "fr" => job.answer_with(|| saddle::<Forward, Reverse>(start)),
        "rf" => job.answer_with(|| saddle::<Reverse, Forward>(start)),
        "rr" => job.answer_with(|| saddle::<Reverse, Reverse>(start)),
        _ => Err(job.unknown()),
    }
}
