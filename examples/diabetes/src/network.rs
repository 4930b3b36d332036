//! The model: a neural network with one hidden layer, in plain Rust. Nothing here knows of derivatives.

use crate::data::{FEATURES, Samples};

/// A network with one hidden layer of tanh units and one linear output.
///
/// Its weights lie one after the other in a slice: for each hidden unit the weights of the inputs and a bias,
/// then the output's weight for each hidden unit and its bias.
#[derive(Clone, Copy)]
pub(crate) struct Network {
    pub(crate) hidden_units: usize,
}

impl Network {
    /// How many weights the network has.
    pub(crate) fn weight_count(self) -> usize {
        self.hidden_units * (FEATURES + 1) + self.hidden_units + 1
    }

    /// Small random weights to start from: the same at each run.
    pub(crate) fn initial_weights(self, seed: u64) -> Vec<f64> {
        let mut random = fastrand::Rng::with_seed(seed);
        let scale = 1.0 / (FEATURES as f64).sqrt();
        (0..self.weight_count()).map(|_| scale * (2.0 * random.f64() - 1.0)).collect()
    }

    /// What the network says for one patient.
    pub(crate) fn predict(self, weights: &[f64], input: &[f64; FEATURES]) -> f64 {
        let (hidden, output) = weights.split_at(self.hidden_units * (FEATURES + 1));
        let mut prediction = output[self.hidden_units];
        for (unit, unit_weights) in hidden.chunks_exact(FEATURES + 1).enumerate() {
            let mut activation = unit_weights[FEATURES];
            for (weight, value) in unit_weights.iter().zip(input) {
                activation += weight * value;
            }
            prediction += output[unit] * activation.tanh();
        }
        prediction
    }

    /// Mean squared error of the predictions.
    pub(crate) fn mean_squared_error(self, weights: &[f64], samples: &Samples) -> f64 {
        let mut sum = 0.0;
        for (input, target) in samples.inputs.iter().zip(&samples.targets) {
            sum += (self.predict(weights, input) - target).powi(2);
        }
        sum / samples.len() as f64
    }

    /// What training makes small: the error, plus a price on large weights so that the network does not learn
    /// the training patients by heart.
    pub(crate) fn loss(self, weights: &[f64], samples: &Samples, decay: f64) -> f64 {
        let squares: f64 = weights.iter().map(|weight| weight * weight).sum();
        self.mean_squared_error(weights, samples) + decay * squares
    }
}
