//! A fast Fourier transform, and the energy of what comes of it.

use autodiff::autodiff_reverse;

use super::{Problem, wave};

/// Transforms `z` in place: real and imaginary parts in turn, as many as a power of two. `turns` has cosines and sines
/// of the angles from zero to half a turn; `sign` is -1 for the transform, 1 for its adjoint.
fn transform(z: &mut [f64], turns: &[f64], sign: f64) {
    let n = z.len() / 2;
    let mut reversed = 0;
    for i in 1..n {
        let mut bit = n / 2;
        while reversed & bit != 0 {
            reversed -= bit;
            bit /= 2;
        }
        reversed += bit;
        if i < reversed {
            z.swap(2 * i, 2 * reversed);
            z.swap(2 * i + 1, 2 * reversed + 1);
        }
    }
    let mut half = 1;
    while half < n {
        let step = n / (2 * half);
        for start in (0..n).step_by(2 * half) {
            for k in 0..half {
                let (c, s) = (turns[2 * k * step], sign * turns[2 * k * step + 1]);
                let (a, b) = (2 * (start + k), 2 * (start + k + half));
                let (re, im) = (z[b] * c - z[b + 1] * s, z[b] * s + z[b + 1] * c);
                (z[b], z[b + 1]) = (z[a] - re, z[a + 1] - im);
                (z[a], z[a + 1]) = (z[a] + re, z[a + 1] + im);
            }
        }
        half *= 2;
    }
}

/// The energies of all frequencies, weighted.
#[autodiff_reverse(d_energy, Duplicated, Const, Const, Active)]
pub fn energy(x: &[f64], weights: &[f64], turns: &[f64]) -> f64 {
    let mut z = x.to_vec();
    transform(&mut z, turns, -1.0);
    let mut sum = 0.0;
    for k in 0..weights.len() {
        sum += weights[k] * (z[2 * k] * z[2 * k] + z[2 * k + 1] * z[2 * k + 1]);
    }
    sum
}

/// 2^16 complex numbers.
#[derive(Debug, Clone)]
pub struct Fft {
    x: Vec<f64>,
    weights: Vec<f64>,
    turns: Vec<f64>,
}

impl Default for Fft {
    fn default() -> Self {
        let n = 1 << 16;
        let angle = |k: usize| std::f64::consts::TAU * k as f64 / n as f64;
        let turns = (0..n / 2).flat_map(|k| [angle(k).cos(), angle(k).sin()]).collect();
        Self { x: wave(2 * n, 0.0, 1.0), weights: wave(n, 1.0, 0.5), turns }
    }
}

impl Problem for Fft {
    type Shadow = Vec<f64>;

    fn zero(&self) -> Vec<f64> {
        vec![0.0; self.x.len()]
    }

    fn primal(&self) -> f64 {
        energy(&self.x, &self.weights, &self.turns)
    }

    fn gradient(&self, shadow: &mut Vec<f64>) {
        shadow.fill(0.0);
        d_energy(&self.x, shadow, &self.weights, &self.turns, 1.0);
    }

    fn by_hand(&self, shadow: &mut Vec<f64>) {
        shadow.copy_from_slice(&self.x);
        transform(shadow, &self.turns, -1.0);
        for (z, weight) in shadow.chunks_exact_mut(2).zip(&self.weights) {
            z[0] *= 2.0 * weight;
            z[1] *= 2.0 * weight;
        }
        transform(shadow, &self.turns, 1.0);
    }

    fn components(shadow: &Vec<f64>) -> Vec<f64> {
        shadow.clone()
    }
}
