//! Fits the models of NIST's Statistical Reference Datasets for nonlinear regression, and compares with the
//! certified parameters.
//!
//! Models are plain closures; the Jacobian of the residuals comes from Enzyme:
//!
//! ```text
//! cargo autodiff run --release -p nist
//! ```

mod data;
mod fit;

use std::process::ExitCode;

use data::Dataset;

fn main() -> ExitCode {
    let mut right = true;
    right &= check(&data::MISRA1A, |b, x| b[0] * (1.0 - (-b[1] * x).exp()));
    right &= check(&data::BOX_BOD, |b, x| b[0] * (1.0 - (-b[1] * x).exp()));
    right &= check(&data::MGH09, |b, x| b[0] * (x * x + x * b[1]) / (x * x + x * b[2] + b[3]));
    right &= check(&data::THURBER, |b, x| {
        let above = b[0] + x * (b[1] + x * (b[2] + x * b[3]));
        above / (1.0 + x * (b[4] + x * (b[5] + x * b[6])))
    });
    if right { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Fits a model from NIST's second start, prints what came out, and says whether it is what is certified, to nine
/// digits.
fn check(dataset: &Dataset, model: impl Fn(&[f64], f64) -> f64) -> bool {
    let residuals =
        |b: &[f64]| -> Vec<f64> { dataset.points.iter().map(|[y, x]| y - model(b, *x)).collect() };
    let fit = fit::least_squares(residuals, dataset.start);
    println!("{}: {} iterations, sum of squares {:.10e}", dataset.name, fit.iterations, fit.sum_of_squares);
    let digits = |got: f64, want: f64| -((got - want).abs() / want.abs()).max(1e-16).log10();
    let mut least = digits(fit.sum_of_squares, dataset.sum_of_squares);
    for (index, (got, want)) in fit.parameters.iter().zip(dataset.certified).enumerate() {
        println!("  b{} = {got:.10e}, certified {want:.10e}: {:.1} digits", index + 1, digits(*got, *want));
        least = least.min(digits(*got, *want));
    }
    least >= 9.0
}
