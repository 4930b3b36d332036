//! Noisy measurements of a pendulum whose parameters are known, to see whether they are found again.

use crate::motion::{Motion, Pendulum};

/// The angle, in radians, seen at a time, in seconds.
pub(crate) struct Sample {
    pub(crate) time: f64,
    pub(crate) angle: f64,
}

/// `count` angles of `pendulum` over `duration` seconds, with normally distributed noise: the same at each run.
pub(crate) fn measure(pendulum: Pendulum, duration: f64, count: usize, noise: f64) -> Vec<Sample> {
    let mut random = fastrand::Rng::with_seed(1);
    let mut motion = Motion::new(pendulum);
    (1..=count)
        .map(|i| {
            let time = duration * i as f64 / count as f64;
            Sample { time, angle: motion.angle_at(time) + noise * standard_normal(&mut random) }
        })
        .collect()
}

/// Box and Muller's method.
fn standard_normal(random: &mut fastrand::Rng) -> f64 {
    let radius = (-2.0 * (1.0 - random.f64()).ln()).sqrt();
    radius * (std::f64::consts::TAU * random.f64()).cos()
}
