//! Finding a pendulum from samples with L-BFGS. The gradient is one call of `autodiff::value_and_gradient`,
//! through the integrator and its choice of steps.

use anyhow::{Context as _, Result};
use argmin::core::{CostFunction, Error, Executor, Gradient, State as _};
use argmin::solver::linesearch::MoreThuenteLineSearch;
use argmin::solver::quasinewton::LBFGS;

use crate::motion::{Motion, Pendulum};
use crate::samples::Sample;

/// The pendulum found, and how.
pub(crate) struct Fit {
    pub(crate) pendulum: Pendulum,
    pub(crate) error: f64,
    pub(crate) iterations: u64,
}

/// Mean squared distance between the samples and the pendulum's angle.
pub(crate) fn mean_squared_error(pendulum: Pendulum, samples: &[Sample]) -> f64 {
    let mut motion = Motion::new(pendulum);
    let mut sum = 0.0;
    for sample in samples {
        sum += (motion.angle_at(sample.time) - sample.angle).powi(2);
    }
    sum / samples.len() as f64
}

/// The pendulum that moves as the samples say, as far as can be found from `start`.
pub(crate) fn fit(start: Pendulum, samples: &[Sample]) -> Result<Fit> {
    let solver = LBFGS::new(MoreThuenteLineSearch::new(), 5).with_tolerance_cost(1e-10)?;
    let state = Executor::new(Objective { samples }, solver)
        .configure(|state| state.param(start.parameters()).max_iters(100))
        .run()?
        .state;
    let parameters = state.get_best_param().context("the optimiser returned no parameters")?;
    Ok(Fit {
        pendulum: Pendulum::from_parameters(parameters),
        error: state.get_best_cost(),
        iterations: state.get_iter(),
    })
}

/// What is minimised.
struct Objective<'a> {
    samples: &'a [Sample],
}

impl Objective<'_> {
    fn loss(&self, parameters: &[f64]) -> f64 {
        mean_squared_error(Pendulum::from_parameters(parameters), self.samples)
    }
}

impl CostFunction for Objective<'_> {
    type Param = Vec<f64>;
    type Output = f64;

    fn cost(&self, parameters: &Vec<f64>) -> Result<f64, Error> {
        Ok(self.loss(parameters))
    }
}

impl Gradient for Objective<'_> {
    type Param = Vec<f64>;
    type Gradient = Vec<f64>;

    fn gradient(&self, parameters: &Vec<f64>) -> Result<Vec<f64>, Error> {
        let (_loss, gradient) = autodiff::value_and_gradient(|p: &[f64]| self.loss(p), parameters);
        Ok(gradient)
    }
}
