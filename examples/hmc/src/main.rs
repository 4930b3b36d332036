//! Samples from a posterior by Hamiltonian Monte Carlo: eight schools, of which each has an effect of its own, with a
//! mean and a spread that are unknown as well (Gelman et al., "Bayesian Data Analysis", section 5.5).
//!
//! The logarithm of the density is a plain function; its gradient comes from Enzyme:
//!
//! ```text
//! cargo autodiff run --release -p hmc
//! ```
//!
//! What comes out is compared with the posterior's means by quadrature, which needs no samples.

mod exact;
mod sampler;
mod schools;

use std::process::ExitCode;

use sampler::Sampler;

const DRAWS: usize = 200_000;
/// Means over so many draws tell how far the mean over all may be off.
const BATCH: usize = 2000;

fn main() -> ExitCode {
    let mut sampler = Sampler::new(schools::log_density, vec![0.0; schools::PARAMETERS], 1);
    for _ in 0..2000 {
        sampler.draw();
    }
    let draws: Vec<[f64; 2]> = (0..DRAWS).map(|_| schools::mean_and_spread(sampler.draw())).collect();
    println!("{DRAWS} draws, {:.0} % of the moves accepted", 100.0 * sampler.accepted());

    let exact = exact::mean_and_spread();
    let mut right = true;
    for (index, (name, exact)) in ["mean effect", "spread"].into_iter().zip(exact).enumerate() {
        let (mean, error) = mean_and_error(draws.iter().map(|draw| draw[index]));
        right &= (mean - exact).abs() < 4.0 * error;
        println!("{name}: {mean:.3} ± {error:.3}, by quadrature {exact:.3}");
    }
    if right { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The mean, and its standard error by the means of batches.
fn mean_and_error(numbers: impl Iterator<Item = f64>) -> (f64, f64) {
    let numbers: Vec<f64> = numbers.collect();
    let mean = |numbers: &[f64]| numbers.iter().sum::<f64>() / numbers.len() as f64;
    let whole = mean(&numbers);
    let squares: Vec<f64> = numbers.chunks_exact(BATCH).map(|batch| (mean(batch) - whole).powi(2)).collect();
    (whole, (mean(&squares) / (squares.len() - 1) as f64).sqrt())
}
