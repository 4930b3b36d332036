//! The logarithm of a sum of exponentials.

use autodiff::autodiff_reverse;

use super::{Problem, wave};

/// Without overflow: the largest number is taken out.
#[autodiff_reverse(d_log_sum_exp, Duplicated, Active)]
pub fn log_sum_exp(x: &[f64]) -> f64 {
    let max = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    max + x.iter().map(|x| (x - max).exp()).sum::<f64>().ln()
}

/// 100,000 numbers.
#[derive(Debug, Clone)]
pub struct Lse {
    x: Vec<f64>,
}

impl Default for Lse {
    fn default() -> Self {
        Self { x: wave(100_000, 0.5, 3.0) }
    }
}

impl Problem for Lse {
    type Shadow = Vec<f64>;

    fn zero(&self) -> Vec<f64> {
        vec![0.0; self.x.len()]
    }

    fn primal(&self) -> f64 {
        log_sum_exp(&self.x)
    }

    fn gradient(&self, shadow: &mut Vec<f64>) {
        shadow.fill(0.0);
        d_log_sum_exp(&self.x, shadow, 1.0);
    }

    fn by_hand(&self, shadow: &mut Vec<f64>) {
        let max = self.x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let mut sum = 0.0;
        for (shadow, x) in shadow.iter_mut().zip(&self.x) {
            *shadow = (x - max).exp();
            sum += *shadow;
        }
        for shadow in shadow {
            *shadow /= sum;
        }
    }

    fn components(shadow: &Vec<f64>) -> Vec<f64> {
        shadow.clone()
    }
}
