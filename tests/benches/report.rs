//! What `cargo bench` prints: how many times longer than a function its gradient takes, and how long the tool
//! takes to make the derivatives of the example `diabetes`.

use std::env;
use std::fs;
use std::path::Path;

use autodiff_tests::{Invocation, repository, scratch, tool};

fn main() {
    // `cargo test --benches` runs this program too, and then nothing is to be measured.
    if env::args().any(|argument| argument == "--bench") {
        print_ratios();
        print_derivative_step();
    }
}

/// The tool, run in this repository.
fn autodiff(target: &Path) -> Invocation {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    Invocation::new(tool(), repository()).env("CARGO", cargo).env("CARGO_TARGET_DIR", target).arg("autodiff")
}

fn print_ratios() {
    eprintln!("measuring gradients against their functions");
    let outcome = autodiff(&scratch().join("target")).args(["bench", "-p", "autodiff-benches"]).passes();
    println!("{}", outcome.stdout.trim_end());
}

/// Builds the example from nothing: what is cached takes no time.
fn print_derivative_step() {
    eprintln!("building the example diabetes from nothing");
    let target = scratch().join("report");
    if target.exists() {
        fs::remove_dir_all(&target).expect("removal of an earlier build");
    }
    let outcome = autodiff(&target).args(["build", "--release", "-p", "diabetes", "--verbose"]).passes();
    let step = outcome.stderr.lines().find_map(|line| Some(line.split_once("derivative step: ")?.1));
    outcome.check(step.is_some(), "no line says how long the derivative step took");
    println!("\nderivative step of the example diabetes: {}", step.unwrap_or_default());
}
