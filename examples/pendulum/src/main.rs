//! Finds the parameters of a damped pendulum from noisy samples of its motion, with gradients that Enzyme made
//! through an integrator of plain Rust, and plots the result.
//!
//! ```console
//! $ cargo autodiff run --release -p pendulum -- pendulum.png
//! ```
//!
//! The integrator ([`motion`]) chooses its steps as it goes, so how often its loop runs depends on the
//! parameters; the one line about derivatives is in [`fit`].

mod fit;
mod motion;
mod plot;
mod samples;

use std::path::PathBuf;

use anyhow::{Context as _, Result, ensure};

use motion::Pendulum;

const TRUTH: Pendulum = Pendulum { gravity_per_length: 9.81, damping: 0.3, initial_angle: 2.2 };
const START: Pendulum = Pendulum { gravity_per_length: 8.0, damping: 0.1, initial_angle: 1.5 };

/// In seconds.
const DURATION: f64 = 8.0;
const SAMPLES: usize = 80;
/// Standard deviation, in radians.
const NOISE: f64 = 0.1;

fn main() -> Result<()> {
    let picture = std::env::args_os().nth(1).map_or_else(|| PathBuf::from("pendulum.png"), PathBuf::from);

    let samples = samples::measure(TRUTH, DURATION, SAMPLES, NOISE);
    let start_error = fit::mean_squared_error(START, &samples);
    let fit = fit::fit(START, &samples)?;

    println!("{:8}{:>9}{:>9}{:>9}{:>9}", "", "g/l", "damping", "angle", "error");
    print_row("start", START, start_error);
    print_row("fit", fit.pendulum, fit.error);
    print_row("truth", TRUTH, fit::mean_squared_error(TRUTH, &samples));
    println!("\n{} iterations", fit.iterations);

    plot::draw(&picture, &samples, START, fit.pendulum)
        .with_context(|| format!("cannot draw {}", picture.display()))?;
    println!("picture: {}", picture.display());
    ensure!(
        fit.error.sqrt() < 2.0 * NOISE,
        "the fit failed: it is much further from the samples than the noise"
    );
    Ok(())
}

/// One line of the table; the error is the root of the mean squared one, in radians like the angle.
fn print_row(name: &str, pendulum: Pendulum, error: f64) {
    let Pendulum { gravity_per_length, damping, initial_angle } = pendulum;
    println!("{name:8}{gravity_per_length:9.3}{damping:9.3}{initial_angle:9.3}{:9.3}", error.sqrt());
}
