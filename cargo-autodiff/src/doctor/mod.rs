//! `cargo autodiff doctor`: what derivatives need, checked one by one.

mod checks;
mod overrides;

use std::io::{self, Write as _};

use anyhow::Result;
use serde::Serialize;

use crate::{
    cli::{Own, Words},
    term,
};

/// How a check came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Outcome {
    Ok,
    /// Worth knowing; derivatives work all the same.
    Warning,
    /// Derivatives do not work.
    Problem,
}

/// One line of the report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Check {
    name: &'static str,
    outcome: Outcome,
    /// What was found.
    detail: String,
    /// What to do about it.
    fix: Option<String>,
}

impl Check {
    fn ok(name: &'static str, detail: impl Into<String>) -> Self {
        Self { name, outcome: Outcome::Ok, detail: detail.into(), fix: None }
    }

    fn warning(name: &'static str, detail: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { name, outcome: Outcome::Warning, detail: detail.into(), fix: Some(fix.into()) }
    }

    fn problem(name: &'static str, detail: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { name, outcome: Outcome::Problem, detail: detail.into(), fix: Some(fix.into()) }
    }
}

/// Everything that was checked.
#[derive(Debug, Serialize)]
struct Report {
    /// Whether derivatives can be made.
    usable: bool,
    checks: Vec<Check>,
}

/// Checks everything and reports on standard output; says whether derivatives can be made.
pub(crate) fn run(words: &Words, own: &Own, json: bool) -> Result<bool> {
    let checks = checks::all(words, own);
    let usable = checks.iter().all(|check| check.outcome != Outcome::Problem);
    let report = Report { usable, checks };
    if json {
        let mut out = io::stdout().lock();
        serde_json::to_writer_pretty(&mut out, &report)?;
        writeln!(out)?;
    } else {
        for check in &report.checks {
            let verdict = match check.outcome {
                Outcome::Ok => term::good("ok"),
                Outcome::Warning => term::attention("warning"),
                Outcome::Problem => term::bad("problem"),
            };
            let fix = check.fix.as_ref().map(|fix| format!(" -> {fix}")).unwrap_or_default();
            let Check { name, detail, .. } = check;
            anstream::println!("{name:<9} {verdict}: {detail}{fix}");
        }
    }
    Ok(usable)
}
