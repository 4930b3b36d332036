//! Derivatives touch no memory that is not theirs, and leave none behind: valgrind watches whole programs.
//!
//! Without valgrind this is skipped. With `AUTODIFF_TESTS_MEMORY=all`, the corpus is watched too.

use std::env;
use std::path::Path;
use std::process::Command;

use autodiff_tests::{Invocation, Outcome, PROFILES, Project, repository, scratch, tool};

const ERRORS: i32 = 99;

fn has_valgrind() -> bool {
    let found =
        Command::new("valgrind").arg("--version").output().is_ok_and(|output| output.status.success());
    if !found {
        println!("skipped: valgrind is not installed");
    }
    found
}

/// A program under valgrind, which makes it exit with [`ERRORS`] if it does anything wrong.
fn watched(program: &Path) -> Invocation {
    let leaks = ["--leak-check=full", "--show-leak-kinds=definite", "--errors-for-leak-kinds=definite"];
    Invocation::new("valgrind", scratch())
        .args(["--quiet", "--trace-children=yes", &format!("--error-exitcode={ERRORS}")])
        .args(leaks)
        .arg(program)
}

#[test]
fn kitchen() {
    if !has_valgrind() {
        return;
    }
    let kitchen = Project::fixture("kitchen");
    for profile in PROFILES {
        let build = kitchen.autodiff(["build", "--message-format", "json"]).args(profile).passes();
        for name in ["kitchen", "nested", "statics"] {
            watched(&build.artifact(name, name)).passes().prints(" right, 0 wrong");
        }
    }
}

#[test]
fn corpus() {
    if !has_valgrind() || env::var("AUTODIFF_TESTS_MEMORY").is_err() {
        return;
    }
    for profile in PROFILES {
        let build: Outcome = Invocation::new(tool(), repository())
            .args(["autodiff", "build", "-p", "corpus", "--example", "gradients", "--defer-errors"])
            .args(["--message-format", "json"])
            .args(profile)
            .env("CARGO_TARGET_DIR", scratch().join("target"))
            .passes();
        let run = watched(&build.artifact("gradients", "gradients")).passes();
        // Each case runs in a process of its own, whose exit code is shown if it is not 0.
        let wrong: Vec<_> = run.stdout.lines().filter(|line| line.contains(" wrong: ")).collect();
        run.check(wrong.is_empty(), &format!("{wrong:#?}"));
    }
}

/// So that the other tests can fail.
#[test]
fn mistakes_are_found() {
    if !has_valgrind() {
        return;
    }
    let leak = "fn main() { std::mem::forget(std::hint::black_box(Box::new([1u8; 100]))); }";
    let stale = "fn main() {\n    let p = Box::into_raw(Box::new(std::hint::black_box(1u64)));\n    \
                 unsafe { drop(Box::from_raw(p)) };\n    println!(\"{}\", unsafe { std::ptr::read_volatile(p) });\n}";
    let project = Project::package("mistaken", &[("src/bin/leak.rs", leak), ("src/bin/stale.rs", stale)]);
    let build = project.cargo(["build", "--message-format", "json"]).passes();
    for (name, message) in [("leak", "definitely lost"), ("stale", "Invalid read")] {
        watched(&build.artifact(name, name)).exits_with(ERRORS).reports(message);
    }
}
