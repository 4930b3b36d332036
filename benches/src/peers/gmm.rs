//! The Gaussian mixture.

use ad_trait::reverse_ad::adr::adr;
use num_dual::{Derivative, DualSVec64};

use super::Number;
use crate::problems::Problem;
use crate::problems::gmm::{Data, Gmm, Mixture};

/// How many slopes `num-dual` computes at once: of 8, 16 and 50, the fastest.
const CHUNK: usize = 16;

/// The parameters as other numbers.
struct Parameters<N> {
    alphas: Vec<N>,
    means: Vec<N>,
    factors: Vec<N>,
}

impl<N> Parameters<N> {
    fn of(mixture: &Mixture, mut number: impl FnMut(f64) -> N) -> Self {
        let mut all = |numbers: &[f64]| numbers.iter().map(|x| number(*x)).collect();
        Self { alphas: all(&mixture.alphas), means: all(&mixture.means), factors: all(&mixture.factors) }
    }

    fn iter(&self) -> impl Iterator<Item = &N> {
        self.alphas.iter().chain(&self.means).chain(&self.factors)
    }
}

/// All components of a gradient as a mixture.
fn like(mixture: &Mixture, components: &[f64]) -> Mixture {
    let (alphas, rest) = components.split_at(mixture.alphas.len());
    let (means, factors) = rest.split_at(mixture.means.len());
    Mixture { alphas: alphas.to_vec(), means: means.to_vec(), factors: factors.to_vec() }
}

fn log_sum_exp<N: Number>(v: &[N]) -> N {
    let mut max = v[0];
    for i in 1..v.len() {
        if v[i] > max {
            max = v[i];
        }
    }
    let mut sum = N::constant(0.0);
    for i in 0..v.len() {
        sum = sum + (v[i] - max).exp();
    }
    max + sum.ln()
}

/// The objective up to what does not depend on the parameters.
fn objective<N: Number>(parameters: &Parameters<N>, data: &Data) -> N {
    let Parameters { alphas, means, factors } = parameters;
    let Data { points, d, gamma, m } = data;
    let (d, k, n) = (*d, alphas.len(), points.len() / data.d);
    let triangle = d * (d - 1) / 2;
    let row = d + triangle;
    let zero = N::constant(0.0);
    let half = N::constant(0.5);

    let mut diagonal = vec![zero; k * d];
    let mut sums = vec![zero; k];
    for c in 0..k {
        for i in 0..d {
            let v = factors[c * row + i];
            sums[c] = sums[c] + v;
            diagonal[c * d + i] = v.exp();
        }
    }
    let mut centred = vec![zero; d];
    let mut product = vec![zero; d];
    let mut terms = vec![zero; k];
    let mut likelihood = zero;
    for p in 0..n {
        for c in 0..k {
            for i in 0..d {
                centred[i] = N::constant(points[p * d + i]) - means[c * d + i];
                product[i] = diagonal[c * d + i] * centred[i];
            }
            let mut l = c * row + d;
            for i in 0..d {
                for j in i + 1..d {
                    product[j] = product[j] + factors[l] * centred[i];
                    l += 1;
                }
            }
            let mut square = zero;
            for i in 0..d {
                square = square + product[i] * product[i];
            }
            terms[c] = alphas[c] + sums[c] - half * square;
        }
        likelihood = likelihood + log_sum_exp(&terms);
    }
    let mut prior = zero;
    for c in 0..k {
        let mut square = zero;
        for i in 0..d {
            square = square + diagonal[c * d + i] * diagonal[c * d + i];
        }
        for i in 0..triangle {
            let factor = factors[c * row + d + i];
            square = square + factor * factor;
        }
        prior = prior + N::constant(0.5 * gamma * gamma) * square - N::constant(f64::from(*m)) * sums[c];
    }
    likelihood - N::constant(n as f64) * log_sum_exp(alphas) + prior
}

/// The gradient by `num-dual`, in one pass for so many parameters at a time.
pub fn by_num_dual(problem: &Gmm) -> Mixture {
    let count = Gmm::components(&problem.mixture).len();
    let mut gradient = Vec::with_capacity(count);
    for first in (0..count).step_by(CHUNK) {
        let mut index = 0;
        let parameters = Parameters::of(&problem.mixture, |x| {
            let mut number = DualSVec64::<CHUNK>::from_re(x);
            if (first..first + CHUNK).contains(&index) {
                number.eps = Derivative::derivative_generic(
                    nalgebra::Const::<CHUNK>,
                    nalgebra::Const::<1>,
                    index - first,
                );
            }
            index += 1;
            number
        });
        let slopes = objective(&parameters, &problem.data).eps;
        let slopes = slopes.unwrap_generic(nalgebra::Const::<CHUNK>, nalgebra::Const::<1>);
        gradient.extend(slopes.iter().take(count - first));
    }
    like(&problem.mixture, &gradient)
}

/// The gradient by `ad_trait`'s tape.
pub fn by_ad_trait(problem: &Gmm) -> Mixture {
    let mut first = true;
    let parameters = Parameters::of(&problem.mixture, |x| adr::new_variable(x, std::mem::take(&mut first)));
    let slopes = objective(&parameters, &problem.data).get_backwards_mode_grad();
    let slopes: Vec<f64> = parameters.iter().map(|parameter| slopes.wrt(parameter)).collect();
    like(&problem.mixture, &slopes)
}
