//! The posterior's means without samples: given the spread, everything is normal, so only the spread is left to
//! integrate over.

use crate::schools::{EFFECTS, ERRORS, SCALE};

/// The posterior's means of the mean effect and of the spread.
pub(crate) fn mean_and_spread() -> [f64; 2] {
    // By the logarithm of the spread; the density all but vanishes at the ends.
    let points = (0..40_000).map(|i| -14.0 + 5e-4 * f64::from(i));
    let (mut total, mut sums) = (0.0, [0.0; 2]);
    for spread in points.map(f64::exp) {
        let (log_density, mean) = given_spread(spread);
        let density = log_density.exp();
        total += density;
        sums[0] += density * mean;
        sums[1] += density * spread;
    }
    sums.map(|sum| sum / total)
}

/// The logarithm of the density of the spread's logarithm, and the mean effect's mean if the spread is this.
fn given_spread(spread: f64) -> (f64, f64) {
    let prior = -(1.0 + (spread / SCALE).powi(2)).ln() + spread.ln();
    let mut precision = SCALE.powi(-2);
    let (mut weighted, mut log_density) = (0.0, prior);
    for (effect, error) in EFFECTS.iter().zip(&ERRORS) {
        let variance = error * error + spread * spread;
        precision += 1.0 / variance;
        weighted += effect / variance;
        log_density -= 0.5 * (variance.ln() + effect * effect / variance);
    }
    let mean = weighted / precision;
    (log_density + 0.5 * precision * mean * mean - 0.5 * precision.ln(), mean)
}
