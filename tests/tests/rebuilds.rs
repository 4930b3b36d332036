//! What is built again, and when: nothing without need, and never in the user's own target directory.

use std::path::PathBuf;
use std::thread;

use autodiff_tests::{Outcome, Project, Snapshot, tool};

const LIBRARY: &str = "\
pub fn first(x: f64) -> f64 {
    x * x
}

pub fn second(x: f64) -> f64 {
    x * x * x
}

pub fn greeting() -> &'static str {
    \"hello\"
}
";

/// A library, and two programs that differentiate one function of it each.
fn project(name: &str) -> Project {
    let program = |function: &str| {
        format!(
            "fn main() {{\n    let slope = autodiff::derivative({name}::{function}, 2.0);\n    \
             println!(\"{{}} {{slope}}\", {name}::greeting());\n}}\n"
        )
    };
    let (first, second) = (program("first"), program("second"));
    let files = [("src/lib.rs", LIBRARY), ("src/bin/first.rs", &first), ("src/bin/second.rs", &second)];
    Project::package(name, &files)
}

fn run(project: &Project, program: &str) -> Outcome {
    project.autodiff(["run", "-v", "--bin", program]).passes()
}

/// Whether Enzyme ran, by what `-v` tells of each stage.
fn differentiates(outcome: &Outcome) -> bool {
    let mut steps = outcome.stderr.lines().filter(|line| line.starts_with("[autodiff] derivative step: "));
    steps.any(|line| line.contains("engine "))
}

#[test]
fn unchanged_tree_is_fresh() {
    let project = project("unchanged").with_own_target();
    for profile in autodiff_tests::PROFILES {
        let build = || project.autodiff(["build", "-v"]).args(profile).passes();
        let first = build();
        first.check(differentiates(&first), "derivatives are made");
        let stock = Snapshot::of(&project.path("target"));
        build().rebuilds_nothing().reports("Fresh unchanged");
        // Another verb finds everything as well.
        project
            .autodiff(["run", "--bin", "first"])
            .args(profile)
            .passes()
            .rebuilds_nothing()
            .prints("hello 4");
        let changed = stock.changed_since();
        // Cargo itself writes its notes anew.
        let is_note = |path: &&PathBuf| {
            path.extension().is_some_and(|extension| extension == "d")
                || [".cargo-lock", ".rustc_info.json"].iter().any(|name| path.ends_with(name))
        };
        let products: Vec<_> = changed.iter().filter(|path| !is_note(path)).collect();
        assert!(products.is_empty(), "made again: {products:?}");
    }
}

#[test]
fn changed_function_redoes_only_what_depends_on_it() {
    let project = project("changed").with_own_target();
    run(&project, "first").prints("hello 4");
    run(&project, "second").prints("hello 12");

    // Both programs are linked again, neither derivative is made again.
    project.edit("src/lib.rs", "hello", "hi");
    for (program, line) in [("first", "hi 4"), ("second", "hi 12")] {
        let outcome = run(&project, program);
        outcome.prints(line).reports("Compiling");
        outcome.check(!differentiates(&outcome), "neither function has changed");
    }

    project.edit("src/lib.rs", "x * x * x", "x * x * x * 2.0");
    let (first, second) = (run(&project, "first"), run(&project, "second"));
    first.prints("hi 4");
    first.check(!differentiates(&first), "it is the other function that has changed");
    second.prints("hi 24");
    second.check(differentiates(&second), "this function has changed");
}

#[test]
fn two_builds_at_once() {
    let (one, two) = (project("at_once_1").with_own_target(), project("at_once_2"));
    thread::scope(|scope| {
        for (project, profile) in [(&one, None), (&one, None), (&one, Some("--release")), (&two, None)] {
            scope.spawn(move || {
                for (program, line) in [("first", "hello 4"), ("second", "hello 12")] {
                    project.autodiff(["run", "--bin", program]).args(profile).passes().prints(line);
                }
            });
        }
    });
}

#[test]
fn plain_cargo_is_left_alone() {
    let project = project("left_alone").with_own_target();
    project.cargo(["build"]).passes().never_reports("warning");
    run(&project, "first").prints("hello 4");
    project.cargo(["build", "-v"]).passes().rebuilds_nothing().reports("Fresh left_alone");

    let message = "`cargo autodiff run`";
    let plain = project.cargo(["run", "--bin", "first"]).exits_with(101);
    plain.reports("was not differentiated").reports(message);
    run(&project, "first").rebuilds_nothing().prints("hello 4");

    // Cleaning is about our own directory only, and complete.
    project.autodiff(["clean"]).passes();
    project.cargo(["build", "-v"]).passes().rebuilds_nothing();
    run(&project, "first").reports("Compiling").prints("hello 4");
}

#[test]
fn cargo_finds_the_subcommand() {
    let project = project("found");
    let directory = tool().parent().expect("directory of the tool");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths([directory.into()].into_iter().chain(std::env::split_paths(&path)));
    let path = path.expect("a PATH");
    project.cargo(["autodiff", "run", "--bin", "first"]).env("PATH", &path).passes().prints("hello 4");
    project.cargo(["autodiff", "--version"]).env("PATH", &path).passes().prints("cargo-autodiff ");
    project.cargo(["help", "autodiff"]).env("PATH", &path).passes().prints("cargo autodiff");
}
