//! Set-up and its report.

use autodiff_tests::Project;
use serde_json::Value;

#[test]
fn doctor_finds_a_machine_that_builds_well() {
    let project = Project::package("doctored", &[("src/main.rs", "fn main() {}")]);
    project.autodiff(["setup"]).passes();
    project.autodiff(["doctor"]).passes().prints("rustc").prints("ok");
    let report = project.autodiff(["doctor", "--json"]).passes();
    let parsed = serde_json::from_str::<Value>(&report.stdout).ok();
    report.check(parsed.is_some(), "JSON and nothing else on stdout");
}

#[test]
fn second_setup_does_nothing() {
    let project = Project::package("set_up", &[("src/main.rs", "fn main() {}")]);
    project.autodiff(["setup"]).passes();
    project.autodiff(["--offline", "setup"]).passes();
}

#[test]
fn missing_engine_offline_says_what_to_run() {
    let source = "fn main() { println!(\"{}\", autodiff::derivative(|x: f64| x * x, 3.0)); }";
    let project = Project::package("without_engine", &[("src/main.rs", source)]).with_own_target();
    let empty = project.path("empty");
    let build = project
        .autodiff(["build", "--offline"])
        .env("CARGO_AUTODIFF_HOME", empty)
        .env_remove("AUTODIFF_ENZYME");
    let outcome = build.run();
    outcome.check(outcome.code != Some(0), "no engine, no derivatives");
    outcome.reports("error: ").reports("cargo autodiff setup");
}
