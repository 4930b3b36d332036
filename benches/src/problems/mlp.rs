//! A dense network with one hidden layer, and how far its answers are from what was wanted.

use autodiff::autodiff_reverse;

use super::{Problem, wave};

/// Numbers that go in, of the hidden layer, and that come out.
const SIZES: [usize; 3] = [32, 64, 10];
const BATCH: usize = 64;

/// `out[i]` is row i of the weights times `x`, plus the last number of the row.
fn layer(weights: &[f64], x: &[f64], out: &mut [f64]) {
    let row = x.len() + 1;
    for i in 0..out.len() {
        let mut sum = weights[i * row + x.len()];
        for j in 0..x.len() {
            sum += weights[i * row + j] * x[j];
        }
        out[i] = sum;
    }
}

/// The sum of squares over a batch.
#[autodiff_reverse(d_loss, Duplicated, Duplicated, Const, Const, Active)]
pub fn loss(first: &[f64], second: &[f64], inputs: &[f64], wanted: &[f64]) -> f64 {
    let [inner, hidden, outer] = SIZES;
    let mut h = vec![0.0; hidden];
    let mut y = vec![0.0; outer];
    let mut sum = 0.0;
    for (x, t) in inputs.chunks_exact(inner).zip(wanted.chunks_exact(outer)) {
        layer(first, x, &mut h);
        for v in &mut h {
            *v = v.tanh();
        }
        layer(second, &h, &mut y);
        for i in 0..outer {
            sum += (y[i] - t[i]) * (y[i] - t[i]);
        }
    }
    sum
}

/// Weights of both layers, with those that stand alone at the end of each row; or a gradient.
#[derive(Debug, Clone)]
pub struct Weights {
    first: Vec<f64>,
    second: Vec<f64>,
}

/// 32 numbers, 64 hidden ones and 10 results for each of 64 samples.
#[derive(Debug, Clone)]
pub struct Mlp {
    weights: Weights,
    inputs: Vec<f64>,
    wanted: Vec<f64>,
}

impl Default for Mlp {
    fn default() -> Self {
        let [inner, hidden, outer] = SIZES;
        let weights = Weights {
            first: wave(hidden * (inner + 1), 0.0, 0.2),
            second: wave(outer * (hidden + 1), 0.01, 0.2),
        };
        Self { weights, inputs: wave(BATCH * inner, 0.1, 1.0), wanted: wave(BATCH * outer, 0.0, 1.0) }
    }
}

impl Problem for Mlp {
    type Shadow = Weights;

    fn zero(&self) -> Weights {
        let Weights { first, second } = &self.weights;
        Weights { first: vec![0.0; first.len()], second: vec![0.0; second.len()] }
    }

    fn primal(&self) -> f64 {
        loss(&self.weights.first, &self.weights.second, &self.inputs, &self.wanted)
    }

    fn gradient(&self, shadow: &mut Weights) {
        shadow.first.fill(0.0);
        shadow.second.fill(0.0);
        let Weights { first, second } = &self.weights;
        d_loss(first, &mut shadow.first, second, &mut shadow.second, &self.inputs, &self.wanted, 1.0);
    }

    fn by_hand(&self, shadow: &mut Weights) {
        shadow.first.fill(0.0);
        shadow.second.fill(0.0);
        let [inner, hidden, outer] = SIZES;
        let (mut h, mut y, mut d_h) = (vec![0.0; hidden], vec![0.0; outer], vec![0.0; hidden]);
        for (x, t) in self.inputs.chunks_exact(inner).zip(self.wanted.chunks_exact(outer)) {
            layer(&self.weights.first, x, &mut h);
            for v in &mut h {
                *v = v.tanh();
            }
            layer(&self.weights.second, &h, &mut y);
            d_h.fill(0.0);
            let rows = self.weights.second.chunks_exact(hidden + 1);
            for (i, (row, d_row)) in rows.zip(shadow.second.chunks_exact_mut(hidden + 1)).enumerate() {
                let slope = 2.0 * (y[i] - t[i]);
                for j in 0..hidden {
                    d_row[j] += slope * h[j];
                    d_h[j] += slope * row[j];
                }
                d_row[hidden] += slope;
            }
            for (i, d_row) in shadow.first.chunks_exact_mut(inner + 1).enumerate() {
                let slope = d_h[i] * (1.0 - h[i] * h[i]);
                for j in 0..inner {
                    d_row[j] += slope * x[j];
                }
                d_row[inner] += slope;
            }
        }
    }

    fn components(shadow: &Weights) -> Vec<f64> {
        [&shadow.first[..], &shadow.second].concat()
    }
}
