//! Trains a small neural network on a real medical data set, with gradients that Enzyme made from plain Rust.
//!
//! ```console
//! $ cargo autodiff run --release -p diabetes
//! ```
//!
//! The network is ordinary code over slices ([`network`]); the one line about derivatives is in [`training`].

mod data;
mod linear;
mod network;
mod training;

use std::fmt;
use std::rc::Rc;

use anyhow::{Result, ensure};

use data::{Data, FEATURES, Samples};
use linear::LinearModel;
use network::Network;
use training::Settings;

// Size and weight decay were chosen by cross-validation on the training patients.
const NETWORK: Network = Network { hidden_units: 8 };
const SETTINGS: Settings = Settings { decay: 0.02, iterations: 200, seed: 1 };

fn main() -> Result<()> {
    let data = Rc::new(data::load());
    println!("{} patients to train on, {} to test on", data.train.len(), data.test.len());
    println!("{} weights, error: root mean square, in units of the study\n", NETWORK.weight_count());

    let weights = training::train(NETWORK, &data, SETTINGS)?;
    let model = LinearModel::fit(&data.train);
    let network = Quality::measure(&data, |input| NETWORK.predict(&weights, input));
    let linear = Quality::measure(&data, |input| model.predict(input));

    println!("\n                      test error  test R²");
    println!("neural network        {network}");
    println!("linear least squares  {linear}");
    ensure!(network.r_squared > 0.3, "training failed: the network hardly explains the test patients");
    Ok(())
}

/// How well a model predicts the test patients.
struct Quality {
    /// Root mean square, in units of the study.
    error: f64,
    /// The share of the targets' variance that is explained: 1 for a perfect model, 0 for the mean.
    r_squared: f64,
}

impl Quality {
    fn measure(data: &Data, predict: impl Fn(&[f64; FEATURES]) -> f64) -> Self {
        let Samples { inputs, targets } = &data.test;
        let count = targets.len() as f64;
        let mean = targets.iter().sum::<f64>() / count;
        let total: f64 = targets.iter().map(|target| (target - mean).powi(2)).sum();
        let residual: f64 =
            inputs.iter().zip(targets).map(|(input, target)| (target - predict(input)).powi(2)).sum();
        Self { error: (residual / count).sqrt() * data.target_deviation, r_squared: 1.0 - residual / total }
    }
}

impl fmt::Display for Quality {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:10.2}  {:7.3}", self.error, self.r_squared)
    }
}
