//! What the README shows is what happens.

use std::fs;

use autodiff_tests::{Project, repository};

fn readme() -> String {
    fs::read_to_string(repository().join("README.md")).expect("the README")
}

/// The first code block in this language.
fn block<'a>(text: &'a str, language: &str) -> &'a str {
    let (_, rest) = text.split_once(&format!("```{language}\n")).expect("a code block");
    rest.split_once("```").expect("the end of the code block").0
}

#[test]
fn example_prints_what_it_says() {
    let readme = readme();
    let project = Project::package("readme", &[("src/main.rs", block(&readme, "rust"))]);
    for profile in autodiff_tests::PROFILES {
        let run = project.autodiff(["run"]).args(profile).passes();
        run.check(run.stdout == block(&readme, "text"), "the README shows another output");
    }
}

#[test]
fn continuous_integration_runs_the_commands() {
    let script = fs::read_to_string(repository().join(".ci/run")).expect(".ci/run");
    assert!(readme().contains("\n```console\ncargo test\n```\n"));
    assert!(script.contains("\nstep cargo test\n"));
    assert!(readme().contains("\ncargo run --release -p cargo-autodiff -- run --release -p diabetes\n"));
    assert!(script.contains("cargo run --release -p cargo-autodiff -- \"$@\""));
    assert!(script.contains("\nautodiff run --release -p diabetes\n"));
}
