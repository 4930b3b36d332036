//! The corpus: each function's gradient is right, or refused with a message that names the function.
//!
//! `corpus/passing-*.txt` list those that are right. With `AUTODIFF_TESTS_BLESS` set, the lists are written anew.

use std::collections::BTreeSet;
use std::{env, fs};

use autodiff_tests::{Invocation, Outcome, repository, scratch, tool};

/// The lines `NAME ok`, `NAME wrong: ...` and `NAME refused: ...` of one run.
fn run(profile: &[&str]) -> Outcome {
    Invocation::new(tool(), repository())
        .args(["autodiff", "run", "-p", "corpus", "--example", "gradients", "--defer-errors"])
        .args(profile)
        .env("CARGO_TARGET_DIR", scratch().join("target"))
        .passes()
}

fn compare(profile: &str, arguments: &[&str]) {
    let outcome = run(arguments);
    let lines: Vec<(&str, &str)> = outcome.stdout.lines().filter_map(|line| line.split_once(' ')).collect();
    outcome.check(lines.len() == corpus::NAMES.len(), "not a line for each case");

    let wrong: Vec<_> = lines.iter().filter(|(_, verdict)| verdict.starts_with("wrong")).collect();
    outcome.check(wrong.is_empty(), &format!("wrong gradients: {wrong:#?}"));

    let passing: BTreeSet<&str> =
        lines.iter().filter(|(_, verdict)| *verdict == "ok").map(|(name, _)| *name).collect();
    let file = repository().join("tests/corpus").join(format!("passing-{profile}.txt"));
    if env::var_os("AUTODIFF_TESTS_BLESS").is_some() {
        let text = passing.iter().copied().collect::<Vec<_>>().join("\n") + "\n";
        fs::write(&file, text).expect("the list is written");
    }
    let text = fs::read_to_string(&file).unwrap_or_default();
    let listed: BTreeSet<&str> = text.lines().collect();
    let (new, gone): (Vec<_>, Vec<_>) =
        (passing.difference(&listed).collect(), listed.difference(&passing).collect());
    outcome.check(gone.is_empty(), &format!("no longer right in {profile}: {gone:?}"));
    outcome
        .check(new.is_empty(), &format!("newly right in {profile}: {new:?}; add them to {}", file.display()));
    for (name, verdict) in &lines {
        let unnamed = verdict.starts_with("refused") && !verdict.contains(name);
        outcome.check(!unnamed, &format!("the refusal of {name} does not name the function: {verdict}"));
    }
    println!("{profile}: {} of {} right", passing.len(), lines.len());
}

#[test]
fn debug() {
    compare("debug", &[]);
}

#[test]
fn release() {
    compare("release", &["--release"]);
}
