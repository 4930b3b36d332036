//! Minimises a closure with `argmin`, which asks for a gradient and gets Enzyme's:
//!
//! ```text
//! cargo autodiff run --release -p minimise
//! ```

use anyhow::{Context as _, Result, ensure};
use argmin::core::{CostFunction, Error, Executor, Gradient, State as _};
use argmin::solver::linesearch::MoreThuenteLineSearch;
use argmin::solver::quasinewton::LBFGS;

/// Any function of a vector, as `argmin` wants it.
struct Problem<F>(F);

impl<F: Fn(&[f64]) -> f64> CostFunction for Problem<F> {
    type Param = Vec<f64>;
    type Output = f64;

    fn cost(&self, x: &Vec<f64>) -> Result<f64, Error> {
        Ok((self.0)(x))
    }
}

impl<F: Fn(&[f64]) -> f64> Gradient for Problem<F> {
    type Param = Vec<f64>;
    type Gradient = Vec<f64>;

    fn gradient(&self, x: &Vec<f64>) -> Result<Vec<f64>, Error> {
        Ok(autodiff::gradient(&self.0, &x[..]))
    }
}

fn main() -> Result<()> {
    // A chain of springs of length one between two walls, each mass pulled down by its weight.
    let (masses, stiffness, weight) = (12, 40.0, 0.5);
    let energy = |x: &[f64]| -> f64 {
        let place = |i: usize| if i == 0 { [0.0, 0.0] } else { [x[2 * i - 2], x[2 * i - 1]] };
        let end = [masses as f64 * 0.8, 0.0];
        let springs = (0..=masses).map(|i| {
            let (a, b) = (place(i), if i < masses { place(i + 1) } else { end });
            let length = ((b[0] - a[0]).powi(2) + (b[1] - a[1]).powi(2)).sqrt();
            0.5 * stiffness * (length - 1.0).powi(2)
        });
        springs.sum::<f64>() + x.iter().skip(1).step_by(2).map(|height| weight * height).sum::<f64>()
    };
    let start: Vec<f64> = (1..=masses).flat_map(|i| [0.7 * i as f64, -0.1 * i as f64]).collect();

    let solver = LBFGS::new(MoreThuenteLineSearch::new(), 8).with_tolerance_grad(1e-8)?;
    let run =
        |state: argmin::core::IterState<_, _, (), (), (), f64>| state.param(start.clone()).max_iters(500);
    let result = Executor::new(Problem(energy), solver).configure(run).run()?;
    let state = result.state();
    let best = state.get_best_param().context("no step was made")?;
    let slopes = autodiff::gradient(energy, &best[..]);
    let steepest = slopes.iter().fold(0.0, |max: f64, slope| max.max(slope.abs()));
    println!(
        "{} iterations, energy {:.6}, largest slope {steepest:.1e}",
        state.get_iter(),
        state.get_best_cost()
    );
    for place in best.chunks_exact(2) {
        println!("  ({:6.3}, {:6.3})", place[0], place[1]);
    }
    ensure!(steepest < 1e-5, "this is no minimum");
    // The springs' pull on both walls carries the weight.
    let sag = best.iter().skip(1).step_by(2).fold(0.0, |min: f64, height| min.min(*height));
    ensure!(sag < -1.0, "the chain does not hang");
    Ok(())
}
