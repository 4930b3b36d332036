//! The log-likelihood of a Gaussian mixture with a Wishart prior, as `ADBench` defines it.

use autodiff::autodiff_reverse;

use super::{Problem, wave};

const LN_2PI: f64 = 1.837_877_066_409_345_3;
const LN_PI: f64 = 1.144_729_885_849_400_2;

/// A mixture of `k` Gaussians in `d` dimensions, or its gradient.
#[derive(Debug, Clone)]
pub struct Mixture {
    /// Logarithms of the weights: `k`.
    pub alphas: Vec<f64>,
    /// `k` rows of `d`.
    pub means: Vec<f64>,
    /// `k` rows of the logarithms of the diagonal, then the rest, of the inverse covariance's factor.
    pub factors: Vec<f64>,
}

/// What is known: points, and the prior.
#[derive(Debug, Clone)]
pub struct Data {
    /// Rows of `d`.
    pub points: Vec<f64>,
    /// Dimensions.
    pub d: usize,
    /// Of the Wishart prior.
    pub gamma: f64,
    /// Of the Wishart prior.
    pub m: u32,
}

impl Mixture {
    fn zero(&self) -> Self {
        Self {
            alphas: vec![0.0; self.alphas.len()],
            means: vec![0.0; self.means.len()],
            factors: vec![0.0; self.factors.len()],
        }
    }

    fn clear(&mut self) {
        self.alphas.fill(0.0);
        self.means.fill(0.0);
        self.factors.fill(0.0);
    }
}

fn ln_gamma_of_dimension(a: f64, p: usize) -> f64 {
    let mut sum = 0.25 * (p * (p - 1)) as f64 * LN_PI;
    for j in 1..=p {
        sum += libm::lgamma(a + 0.5 * (1.0 - j as f64));
    }
    sum
}

fn log_sum_exp(v: &[f64]) -> f64 {
    let mut max = v[0];
    for i in 1..v.len() {
        if v[i] > max {
            max = v[i];
        }
    }
    let mut sum = 0.0;
    for i in 0..v.len() {
        sum += (v[i] - max).exp();
    }
    max + sum.ln()
}

/// The logarithm of the posterior.
#[autodiff_reverse(d_objective, Duplicated, Duplicated, Duplicated, Const, Active)]
pub fn objective(alphas: &[f64], means: &[f64], factors: &[f64], data: &Data) -> f64 {
    let Data { points, d, gamma, m } = data;
    let (d, gamma, m, k, n) = (*d, *gamma, f64::from(*m), alphas.len(), points.len() / data.d);
    let triangle = d * (d - 1) / 2;
    let row = d + triangle;

    let mut diagonal = vec![0.0; k * d];
    let mut sums = vec![0.0; k];
    for c in 0..k {
        let mut sum = 0.0;
        for i in 0..d {
            let v = factors[c * row + i];
            sum += v;
            diagonal[c * d + i] = v.exp();
        }
        sums[c] = sum;
    }

    let mut centred = vec![0.0; d];
    let mut product = vec![0.0; d];
    let mut terms = vec![0.0; k];
    let mut likelihood = 0.0;
    for p in 0..n {
        for c in 0..k {
            for i in 0..d {
                centred[i] = points[p * d + i] - means[c * d + i];
            }
            for i in 0..d {
                product[i] = diagonal[c * d + i] * centred[i];
            }
            let mut l = c * row + d;
            for i in 0..d {
                for j in i + 1..d {
                    product[j] += factors[l] * centred[i];
                    l += 1;
                }
            }
            let mut square = 0.0;
            for i in 0..d {
                square += product[i] * product[i];
            }
            terms[c] = alphas[c] + sums[c] - 0.5 * square;
        }
        likelihood += log_sum_exp(&terms);
    }

    let mut prior = 0.0;
    for c in 0..k {
        let mut square = 0.0;
        for i in 0..d {
            square += diagonal[c * d + i] * diagonal[c * d + i];
        }
        for i in 0..triangle {
            square += factors[c * row + d + i] * factors[c * row + d + i];
        }
        prior += 0.5 * gamma * gamma * square - m * sums[c];
    }
    let freedom = d as f64 + m + 1.0;
    let constant =
        freedom * d as f64 * (gamma.ln() - 0.5 * 2f64.ln()) - ln_gamma_of_dimension(0.5 * freedom, d);
    -(n as f64) * d as f64 * 0.5 * LN_2PI + likelihood - n as f64 * log_sum_exp(alphas) + prior
        - k as f64 * constant
}

/// The gradient of [`objective`], written by hand and added to `shadow`.
pub fn adjoint(mixture: &Mixture, shadow: &mut Mixture, data: &Data) {
    let Data { points, d, gamma, m } = data;
    let (d, gamma, m) = (*d, *gamma, f64::from(*m));
    let Mixture { alphas, means, factors } = mixture;
    let (k, n) = (alphas.len(), points.len() / d);
    let triangle = d * (d - 1) / 2;
    let row = d + triangle;
    let mut diagonal = vec![0.0; k * d];
    let mut d_diagonal = vec![0.0; k * d];
    let mut sums = vec![0.0; k];
    let mut d_sums = vec![0.0; k];
    let mut centred = vec![0.0; k * d];
    let mut products = vec![0.0; k * d];
    let mut terms = vec![0.0; k];
    let mut d_product = vec![0.0; d];
    for c in 0..k {
        for i in 0..d {
            let v = factors[c * row + i];
            sums[c] += v;
            diagonal[c * d + i] = v.exp();
        }
    }
    for point in points.chunks_exact(d) {
        for c in 0..k {
            let (x, q) = (&mut centred[c * d..][..d], &mut products[c * d..][..d]);
            let mean = &means[c * d..][..d];
            let scale = &diagonal[c * d..][..d];
            for i in 0..d {
                x[i] = point[i] - mean[i];
                q[i] = scale[i] * x[i];
            }
            let rest = &factors[c * row + d..][..triangle];
            let mut l = 0;
            for i in 0..d {
                for j in i + 1..d {
                    q[j] += rest[l] * x[i];
                    l += 1;
                }
            }
            terms[c] = alphas[c] + sums[c] - 0.5 * q.iter().map(|q| q * q).sum::<f64>();
        }
        let max = terms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let mut total = 0.0;
        for term in &mut terms {
            *term = (*term - max).exp();
            total += *term;
        }
        for c in 0..k {
            let g = terms[c] / total;
            shadow.alphas[c] += g;
            d_sums[c] += g;
            let (x, q) = (&centred[c * d..][..d], &products[c * d..][..d]);
            for i in 0..d {
                d_product[i] = -g * q[i];
            }
            let rest = &factors[c * row + d..][..triangle];
            let d_rest = &mut shadow.factors[c * row + d..][..triangle];
            let mut l = 0;
            for i in 0..d {
                let mut sum = d_product[i] * diagonal[c * d + i];
                d_diagonal[c * d + i] += d_product[i] * x[i];
                for j in i + 1..d {
                    d_rest[l] += d_product[j] * x[i];
                    sum += rest[l] * d_product[j];
                    l += 1;
                }
                shadow.means[c * d + i] -= sum;
            }
        }
    }
    let max = alphas.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let total: f64 = alphas.iter().map(|a| (a - max).exp()).sum();
    for c in 0..k {
        shadow.alphas[c] -= n as f64 * (alphas[c] - max).exp() / total;
        for i in 0..triangle {
            shadow.factors[c * row + d + i] += gamma * gamma * factors[c * row + d + i];
        }
        for i in 0..d {
            let q = diagonal[c * d + i];
            shadow.factors[c * row + i] += (d_diagonal[c * d + i] + gamma * gamma * q) * q + d_sums[c] - m;
        }
    }
}

/// 1000 points in 10 dimensions, and 25 Gaussians.
#[derive(Debug, Clone)]
pub struct Gmm {
    pub(crate) mixture: Mixture,
    pub(crate) data: Data,
}

impl Default for Gmm {
    fn default() -> Self {
        let (d, k, n) = (10, 25, 1000);
        let mixture = Mixture {
            alphas: wave(k, 0.0, 1.0),
            means: wave(k * d, 0.1, 0.9),
            factors: wave(k * d * (d + 1) / 2, 0.0, 0.3),
        };
        Self { mixture, data: Data { points: wave(n * d, 0.2, 1.1), d, gamma: 1.0, m: 0 } }
    }
}

impl Problem for Gmm {
    type Shadow = Mixture;

    fn zero(&self) -> Mixture {
        self.mixture.zero()
    }

    fn primal(&self) -> f64 {
        let Mixture { alphas, means, factors } = &self.mixture;
        objective(alphas, means, factors, &self.data)
    }

    fn gradient(&self, shadow: &mut Mixture) {
        shadow.clear();
        let Mixture { alphas, means, factors } = &self.mixture;
        let (da, dm, df) = (&mut shadow.alphas, &mut shadow.means, &mut shadow.factors);
        d_objective(alphas, da, means, dm, factors, df, &self.data, 1.0);
    }

    fn by_hand(&self, shadow: &mut Mixture) {
        shadow.clear();
        adjoint(&self.mixture, shadow, &self.data);
    }

    fn components(shadow: &Mixture) -> Vec<f64> {
        [&shadow.alphas[..], &shadow.means, &shadow.factors].concat()
    }
}

/// The same, spelled with iterators.
#[autodiff_reverse(d_by_iterators, Duplicated, Duplicated, Duplicated, Const, Active)]
pub fn by_iterators(alphas: &[f64], means: &[f64], factors: &[f64], data: &Data) -> f64 {
    let Data { points, d, gamma, m } = data;
    let (d, gamma, m, k, n) = (*d, *gamma, f64::from(*m), alphas.len(), points.len() / data.d);
    let row = d + d * (d - 1) / 2;
    let sums: Vec<f64> = factors.chunks_exact(row).map(|row| row[..d].iter().sum()).collect();
    let diagonal: Vec<f64> = factors.chunks_exact(row).flat_map(|row| &row[..d]).map(|v| v.exp()).collect();
    let mut terms = vec![0.0; k];
    let mut product = vec![0.0; d];
    let mut likelihood = 0.0;
    for point in points.chunks_exact(d) {
        let means = means.chunks_exact(d);
        let parts = means.zip(diagonal.chunks_exact(d)).zip(factors.chunks_exact(row));
        for ((term, (alpha, sum)), ((mean, diagonal), factors)) in
            terms.iter_mut().zip(alphas.iter().zip(&sums)).zip(parts)
        {
            for (((product, x), mean), scale) in product.iter_mut().zip(point).zip(mean).zip(diagonal) {
                *product = scale * (x - mean);
            }
            let mut rest = &factors[d..];
            for (i, (x, mean)) in point.iter().zip(mean).enumerate() {
                let (column, others) = rest.split_at(d - i - 1);
                for (product, factor) in product[i + 1..].iter_mut().zip(column) {
                    *product += factor * (x - mean);
                }
                rest = others;
            }
            *term = alpha + sum - 0.5 * product.iter().map(|v| v * v).sum::<f64>();
        }
        likelihood += log_sum_exp(&terms);
    }
    let squares = |numbers: &[f64]| numbers.iter().map(|v| v * v).sum::<f64>();
    let rests = factors.chunks_exact(row).map(|row| squares(&row[d..]));
    let diagonals = diagonal.chunks_exact(d).map(squares);
    let prior: f64 =
        diagonals.zip(rests).zip(&sums).map(|((a, b), sum)| 0.5 * gamma * gamma * (a + b) - m * sum).sum();
    let freedom = d as f64 + m + 1.0;
    let constant =
        freedom * d as f64 * (gamma.ln() - 0.5 * 2f64.ln()) - ln_gamma_of_dimension(0.5 * freedom, d);
    -(n as f64) * d as f64 * 0.5 * LN_2PI + likelihood - n as f64 * log_sum_exp(alphas) + prior
        - k as f64 * constant
}

/// [`Gmm`] by [`by_iterators`].
#[derive(Debug, Clone, Default)]
pub struct ByIterators(Gmm);

impl Problem for ByIterators {
    type Shadow = Mixture;

    fn zero(&self) -> Mixture {
        self.0.zero()
    }

    fn primal(&self) -> f64 {
        let Mixture { alphas, means, factors } = &self.0.mixture;
        by_iterators(alphas, means, factors, &self.0.data)
    }

    fn gradient(&self, shadow: &mut Mixture) {
        shadow.clear();
        let Mixture { alphas, means, factors } = &self.0.mixture;
        let (da, dm, df) = (&mut shadow.alphas, &mut shadow.means, &mut shadow.factors);
        d_by_iterators(alphas, da, means, dm, factors, df, &self.0.data, 1.0);
    }

    fn by_hand(&self, shadow: &mut Mixture) {
        self.0.by_hand(shadow);
    }

    fn components(shadow: &Mixture) -> Vec<f64> {
        Gmm::components(shadow)
    }
}
