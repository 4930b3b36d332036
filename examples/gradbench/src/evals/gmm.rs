//! The logarithm of the posterior of a Gaussian mixture, with a Wishart prior.

use std::f64::consts::PI;
use std::hint::black_box;

use autodiff::Differentiable;
use serde::{Deserialize, Serialize};

use super::lse::log_sum_exp;
use crate::job::{Job, Outcome, ensure};
use crate::table::Table;

#[derive(Deserialize)]
struct Input {
    d: usize,
    k: usize,
    n: usize,
    m: u32,
    gamma: f64,
    x: Table,
    alpha: Vec<f64>,
    mu: Table,
    q: Table,
    l: Table,
}

/// A mixture of `k` Gaussians in `d` dimensions, or its gradient. Their inverse covariances are `L' L`, where `L` is lower triangular.
#[derive(Clone, Differentiable)]
struct Mixture {
    /// Logarithms of the weights, not normalised.
    alpha: Vec<f64>,
    /// Means: `k` rows of `d`.
    mu: Vec<f64>,
    /// Logarithms of the diagonals of `L`: `k` rows of `d`.
    q: Vec<f64>,
    /// What is below the diagonals, column by column: `k` rows of `d (d - 1) / 2`.
    l: Vec<f64>,
}

/// What is known.
struct Data {
    d: usize,
    /// Points: rows of `d`.
    x: Vec<f64>,
    gamma: f64,
    m: f64,
}

#[derive(Serialize)]
struct Gradient {
    alpha: Vec<f64>,
    mu: Table,
    q: Table,
    l: Table,
}

/// The square of the length of `L x`, for one of the Gaussians; `product` is for use in between.
fn square(diagonal: &[f64], below: &[f64], x: &[f64], product: &mut [f64]) -> f64 {
    for i in 0..x.len() {
        product[i] = diagonal[i] * x[i];
    }
    let mut start = 0;
    for i in 0..x.len() {
        let rest = x.len() - i - 1;
        for (product, l) in product[i + 1..].iter_mut().zip(&below[start..start + rest]) {
            *product += l * x[i];
        }
        start += rest;
    }
    product.iter().map(|p| p * p).sum()
}

fn log_posterior(mixture: &Mixture, data: &Data) -> f64 {
    let Mixture { alpha, mu, q, l } = mixture;
    let (d, k, below) = (data.d, alpha.len(), data.d * (data.d - 1) / 2);
    let diagonals: Vec<f64> = q.iter().map(|q| q.exp()).collect();
    let sums: Vec<f64> = (0..k).map(|c| q[c * d..][..d].iter().sum()).collect();
    let (mut centred, mut product, mut terms) = (vec![0.0; d], vec![0.0; d], vec![0.0; k]);
    let mut likelihood = 0.0;
    for x in data.x.chunks(d) {
        for c in 0..k {
            for i in 0..d {
                centred[i] = x[i] - mu[c * d + i];
            }
            let factor = (&diagonals[c * d..][..d], &l[c * below..][..below]);
            terms[c] = alpha[c] + sums[c] - 0.5 * square(factor.0, factor.1, &centred, &mut product);
        }
        likelihood += log_sum_exp(&terms);
    }
    let squares = diagonals.iter().chain(l).map(|v| v * v).sum::<f64>();
    let prior = 0.5 * data.gamma * data.gamma * squares - data.m * sums.iter().sum::<f64>();
    let n = (data.x.len() / d) as f64;
    likelihood - n * log_sum_exp(alpha) - prior + constant(data, n, k as f64)
}

/// What does not depend on the mixture.
fn constant(data: &Data, n: f64, k: f64) -> f64 {
    let d = data.d as f64;
    let freedom = d + data.m + 1.0;
    let gammas: f64 = (0..data.d).map(|j| libm::lgamma(0.5 * (freedom - j as f64))).sum();
    let ln_gamma = 0.25 * d * (d - 1.0) * PI.ln() + gammas;
    k * (freedom * d * (data.gamma.ln() - 0.5 * 2f64.ln()) - ln_gamma) - 0.5 * n * d * (2.0 * PI).ln()
}

impl Input {
    fn check(&self) -> Result<(), String> {
        let Self { d, k, n, .. } = *self;
        ensure(d > 0 && k > 0, "`d` or `k` is zero")?;
        ensure(self.alpha.len() == k, "`alpha` does not have `k` numbers")?;
        ensure(self.x.is(n, d), "`x` does not have `n` rows of `d`")?;
        ensure(self.mu.is(k, d) && self.q.is(k, d), "`mu` or `q` does not have `k` rows of `d`")?;
        ensure(self.l.is(k, d * (d - 1) / 2), "`l` does not have `k` rows of `d (d - 1) / 2`")
    }
}

pub(super) fn evaluate(mut job: Job) -> Result<Outcome, String> {
    let input: Input = job.read()?;
    input.check()?;
    let Input { d, k, m, gamma, x, alpha, mu, q, l, .. } = input;
    let data = Data { d, x: x.numbers, gamma, m: f64::from(m) };
    let mixture = Mixture { alpha, mu: mu.numbers, q: q.numbers, l: l.numbers };
    match job.function {
        "objective" => job.answer_with(|| log_posterior(black_box(&mixture), &data)),
        "jacobian" => {
            let mut gradient = mixture.clone();
            job.repeat(|| autodiff::gradient_into(|m| log_posterior(m, &data), &mixture, &mut gradient));
            let table = |numbers, width| Table { rows: k, width, numbers };
            let Mixture { alpha, mu, q, l } = gradient;
            let (mu, q, l) = (table(mu, d), table(q, d), table(l, d * (d - 1) / 2));
            job.answer(&Gradient { alpha, mu, q, l })
        }
        _ => Err(job.unknown()),
    }
}
