//! Hamiltonian Monte Carlo (Neal 2011, "MCMC using Hamiltonian dynamics").

use std::f64::consts::TAU;

use autodiff::gradient_into;
use fastrand::Rng;

const STEP: f64 = 0.35;
/// At most so many steps of a move; fewer now and then, lest it goes in circles.
const STEPS: usize = 25;

/// A chain of draws from a density.
pub(crate) struct Sampler<F> {
    log_density: F,
    q: Vec<f64>,
    value: f64,
    gradient: Vec<f64>,
    rng: Rng,
    moves: usize,
    accepted: usize,
}

impl<F: Fn(&[f64]) -> f64> Sampler<F> {
    pub(crate) fn new(log_density: F, q: Vec<f64>, seed: u64) -> Self {
        let mut gradient = vec![0.0; q.len()];
        let value = gradient_into(&log_density, &q[..], &mut gradient);
        Self { log_density, q, value, gradient, rng: Rng::with_seed(seed), moves: 0, accepted: 0 }
    }

    /// The next draw.
    pub(crate) fn draw(&mut self) -> &[f64] {
        let mut p: Vec<f64> = (0..self.q.len()).map(|_| self.normal()).collect();
        let (mut q, mut gradient, mut value) = (self.q.clone(), self.gradient.clone(), self.value);
        let energy = |value: f64, p: &[f64]| 0.5 * p.iter().map(|p| p * p).sum::<f64>() - value;
        let before = energy(value, &p);
        for _ in 0..self.rng.usize(1..=STEPS) {
            kick(&mut p, &gradient);
            for (q, p) in q.iter_mut().zip(&p) {
                *q += STEP * p;
            }
            value = gradient_into(&self.log_density, &q[..], &mut gradient);
            kick(&mut p, &gradient);
        }
        self.moves += 1;
        if self.rng.f64().ln() < before - energy(value, &p) {
            self.accepted += 1;
            (self.q, self.gradient, self.value) = (q, gradient, value);
        }
        &self.q
    }

    /// Which part of the moves was accepted.
    pub(crate) fn accepted(&self) -> f64 {
        self.accepted as f64 / self.moves as f64
    }

    fn normal(&mut self) -> f64 {
        (-2.0 * (1.0 - self.rng.f64()).ln()).sqrt() * (TAU * self.rng.f64()).cos()
    }
}

/// Half a step of the momentum.
fn kick(p: &mut [f64], gradient: &[f64]) {
    for (p, slope) in p.iter_mut().zip(gradient) {
        *p += 0.5 * STEP * slope;
    }
}
