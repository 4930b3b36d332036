//! How long builds take, with and without the tool.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

/// The example that is built.
pub(crate) const EXAMPLE: &str = "diabetes";

/// What was measured.
#[derive(Debug)]
pub(crate) struct Builds {
    /// By cargo alone, nothing built before.
    pub(crate) plain: Duration,
    /// By the tool, nothing built before.
    pub(crate) cold: Duration,
    /// By the tool, with nothing to do.
    pub(crate) again: Duration,
    /// What the tool says of its stages.
    pub(crate) stages: String,
}

/// Builds the tool itself, and says where it is.
pub(crate) fn tool(repository: &Path) -> Result<PathBuf> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["build", "--release", "-p", "cargo-autodiff", "--message-format", "json-render-diagnostics"]);
    let output = cargo.current_dir(repository).stderr(Stdio::inherit()).output()?;
    ensure!(output.status.success(), "the tool cannot be built");
    let lines = String::from_utf8(output.stdout)?;
    let artifacts = lines.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    let mut executables = artifacts.filter_map(|it| it["executable"].as_str().map(PathBuf::from));
    executables.next_back().context("cargo names no executable")
}

pub(crate) fn measure(tool: &Path, repository: &Path) -> Result<Builds> {
    let (plain_dir, our_dir) = (tempfile::tempdir()?, tempfile::tempdir()?);
    let build = |program: &Path, first: &[&str], target: &Path| {
        let mut command = Command::new(program);
        command.args(first).args(["build", "--release", "-v", "-p", EXAMPLE]).current_dir(repository);
        let start = Instant::now();
        let output = command.env("CARGO_TARGET_DIR", target).output()?;
        ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        Ok((start.elapsed(), String::from_utf8_lossy(&output.stderr).into_owned()))
    };
    let (plain, _) = build(Path::new(env!("CARGO")), &[], plain_dir.path())?;
    let (cold, said) = build(tool, &["autodiff"], our_dir.path())?;
    let (again, _) = build(tool, &["autodiff"], our_dir.path())?;
    let stages = said.lines().find_map(|line| Some(line.split_once("derivative step: ")?.1.to_owned()));
    Ok(Builds { plain, cold, again, stages: stages.context("the tool says nothing of its stages")? })
}
