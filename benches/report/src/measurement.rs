//! What the benchmarks print.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// A line of the benchmark `problems`; durations are in seconds.
#[derive(Debug, Deserialize)]
pub(crate) struct Problem {
    pub(crate) name: String,
    pub(crate) primal: f64,
    pub(crate) gradient: f64,
    /// The gradient's time to the function's: of our own gradients only, like the next.
    pub(crate) ratio: Option<f64>,
    /// To that of the adjoint written by hand.
    pub(crate) to_hand: Option<f64>,
    /// Another crate's time to ours.
    pub(crate) theirs: Option<f64>,
}

/// A line of the benchmark `growth`.
#[derive(Debug, Deserialize)]
pub(crate) struct Growth {
    /// Steps or parameters.
    pub(crate) what: String,
    pub(crate) size: u64,
    pub(crate) primal: f64,
    pub(crate) gradient: f64,
    /// The largest memory of the process, in bytes, where that is known.
    pub(crate) peak: Option<u64>,
}

/// Ours as cargo builds by default; others, and ours beside them, with what makes them faster several times.
pub(crate) fn problems(tool: &Path, repository: &Path) -> Result<Vec<Problem>> {
    let lto = ["--config", "profile.bench.lto='fat'", "--config", "profile.bench.codegen-units=1"];
    let mut rows = run(tool, repository, "problems", &[], &[])?;
    rows.extend(run(
        tool,
        repository,
        "problems",
        &[&["--features", "peers"], &lto[..]].concat(),
        &[" by "],
    )?);
    Ok(rows)
}

pub(crate) fn growth(tool: &Path, repository: &Path) -> Result<Vec<Growth>> {
    run(tool, repository, "growth", &[], &[])
}

/// Runs a benchmark, and reads its lines.
fn run<T: DeserializeOwned>(
    tool: &Path,
    repository: &Path,
    bench: &str,
    options: &[&str],
    only: &[&str],
) -> Result<Vec<T>> {
    let output = Command::new(tool)
        .args(["autodiff", "bench", "-p", "autodiff-benches", "--bench", bench])
        .args(options)
        .args(["--", "--json"])
        .args(only)
        .current_dir(repository)
        .stderr(Stdio::inherit())
        .output()
        .context("the tool cannot be started")?;
    ensure!(output.status.success(), "the benchmark `{bench}` failed");
    let lines = String::from_utf8(output.stdout)?;
    let rows = lines.lines().filter(|line| line.starts_with('{'));
    rows.map(|line| serde_json::from_str(line).with_context(|| format!("`{line}` is no row"))).collect()
}
