//! The model: effects of coaching in eight schools.

/// Estimated effects, and their standard errors (Rubin 1981).
pub(crate) const EFFECTS: [f64; 8] = [28.0, 8.0, -3.0, 7.0, -1.0, 1.0, 18.0, 12.0];
pub(crate) const ERRORS: [f64; 8] = [15.0, 10.0, 16.0, 11.0, 9.0, 11.0, 10.0, 18.0];
/// Of the priors: the mean effect is normal, the spread half Cauchy.
pub(crate) const SCALE: f64 = 5.0;

/// The mean effect, the logarithm of the spread, and how far each school is from the mean, in spreads.
pub(crate) const PARAMETERS: usize = 2 + EFFECTS.len();

/// The logarithm of the posterior's density, up to a constant.
pub(crate) fn log_density(q: &[f64]) -> f64 {
    let (mean, spread) = (q[0], q[1].exp());
    let mut sum = -0.5 * (mean / SCALE).powi(2) - (1.0 + (spread / SCALE).powi(2)).ln();
    // The spread's logarithm is the parameter.
    sum += q[1];
    for (z, (effect, error)) in q[2..].iter().zip(EFFECTS.iter().zip(&ERRORS)) {
        sum -= 0.5 * z * z + 0.5 * ((effect - mean - spread * z) / error).powi(2);
    }
    sum
}

pub(crate) fn mean_and_spread(q: &[f64]) -> [f64; 2] {
    [q[0], q[1].exp()]
}
