//! Training with L-BFGS. The gradient is one call of `autodiff::value_and_gradient`.

use std::rc::Rc;

use anyhow::{Context as _, Result};
use argmin::core::observers::{Observe, ObserverMode};
use argmin::core::{CostFunction, Error, Executor, Gradient, IterState, KV, State as _};
use argmin::solver::linesearch::MoreThuenteLineSearch;
use argmin::solver::quasinewton::LBFGS;
use indicatif::{ProgressBar, ProgressStyle};

use crate::data::{Data, Samples};
use crate::network::Network;

type Weights = Vec<f64>;
type TrainingState = IterState<Weights, Weights, (), (), (), f64>;

/// Iterations between two printed lines.
const BLOCK: u64 = 10;
/// Steps that L-BFGS remembers.
const MEMORY: usize = 10;

/// The choices to be made before training.
#[derive(Clone, Copy)]
pub(crate) struct Settings {
    /// The price on large weights.
    pub(crate) decay: f64,
    /// The most iterations to make.
    pub(crate) iterations: u64,
    /// Of the weights to start from.
    pub(crate) seed: u64,
}

/// Finds the weights that make the network's loss on the training patients small.
pub(crate) fn train(network: Network, data: &Rc<Data>, settings: Settings) -> Result<Weights> {
    let objective = Objective { network, data: Rc::clone(data), decay: settings.decay };
    let report = Report { network, data: Rc::clone(data), bar: progress_bar(settings.iterations) };
    let solver = LBFGS::new(MoreThuenteLineSearch::new(), MEMORY).with_tolerance_cost(1e-7)?;

    let result = Executor::new(objective, solver)
        .configure(|state| state.param(network.initial_weights(settings.seed)).max_iters(settings.iterations))
        .add_observer(report, ObserverMode::Always)
        .run()?;
    result.state.best_param.context("the optimiser returned no weights")
}

/// What is minimised.
struct Objective {
    network: Network,
    data: Rc<Data>,
    decay: f64,
}

impl Objective {
    fn loss(&self, weights: &[f64]) -> f64 {
        self.network.loss(weights, &self.data.train, self.decay)
    }
}

impl CostFunction for Objective {
    type Param = Weights;
    type Output = f64;

    fn cost(&self, weights: &Weights) -> Result<f64, Error> {
        Ok(self.loss(weights))
    }
}

impl Gradient for Objective {
    type Param = Weights;
    type Gradient = Weights;

    fn gradient(&self, weights: &Weights) -> Result<Weights, Error> {
        let (_loss, gradient) = autodiff::value_and_gradient(|w: &[f64]| self.loss(w), weights);
        Ok(gradient)
    }
}

/// Prints the errors now and then, and moves the progress bar.
struct Report {
    network: Network,
    data: Rc<Data>,
    bar: ProgressBar,
}

impl Report {
    fn error(&self, weights: &[f64], samples: &Samples) -> f64 {
        self.network.mean_squared_error(weights, samples).sqrt() * self.data.target_deviation
    }

    fn print(&self, iteration: u64, state: &TrainingState) {
        let Some(weights) = state.get_param() else { return };
        let train = self.error(weights, &self.data.train);
        let test = self.error(weights, &self.data.test);
        self.bar.suspend(|| println!("{iteration:>9}  {train:>11.2}  {test:>10.2}"));
    }
}

impl Observe<TrainingState> for Report {
    fn observe_init(&mut self, _solver: &str, state: &TrainingState, _values: &KV) -> Result<(), Error> {
        self.bar.suspend(|| println!("iteration  train error  test error"));
        self.print(0, state);
        Ok(())
    }

    fn observe_iter(&mut self, state: &TrainingState, _values: &KV) -> Result<(), Error> {
        let iteration = state.get_iter() + 1;
        self.bar.set_position(iteration);
        if iteration.is_multiple_of(BLOCK) {
            self.print(iteration, state);
        }
        Ok(())
    }

    fn observe_final(&mut self, state: &TrainingState) -> Result<(), Error> {
        self.bar.finish_and_clear();
        if !state.get_iter().is_multiple_of(BLOCK) {
            self.print(state.get_iter(), state);
        }
        Ok(())
    }
}

/// A bar on standard error; invisible when that is not a terminal.
fn progress_bar(iterations: u64) -> ProgressBar {
    let style = ProgressStyle::with_template("training {wide_bar} {pos}/{len} {eta}")
        .expect("the template of the progress bar is well formed");
    ProgressBar::new(iterations).with_style(style)
}
