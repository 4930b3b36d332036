//! Right derivatives, whatever the profile: the fixture `kitchen` checks them, here it is built in many ways.

use std::process::Command;

use autodiff_tests::{Outcome, PROFILES, Project};

/// Arguments of one build, and what they are about.
type Variant = &'static [&'static str];

const DEBUG: [Variant; 3] = [
    &[],
    &["--config", "profile.dev.opt-level=1", "--config", "profile.dev.codegen-units=1"],
    &["--config", "profile.dev.debug=0", "--config", "profile.dev.overflow-checks=false"],
];

const RELEASE: [Variant; 4] = [
    &["--release"],
    &["--release", "--config", "profile.release.lto='thin'", "--config", "profile.release.opt-level=2"],
    &[
        "--release",
        "--config",
        "profile.release.lto='fat'",
        "--config",
        "profile.release.codegen-units=1",
        "--config",
        "profile.release.panic='abort'",
    ],
    &[
        "--release",
        "--config",
        "profile.release.opt-level='s'",
        "--config",
        "profile.release.codegen-units=256",
    ],
];

fn every_line_is_ok(outcome: &Outcome) {
    let checks = outcome.stdout.lines().filter(|line| line.starts_with("ok ")).count();
    outcome.check(!outcome.stdout.contains("WRONG"), "a wrong derivative");
    outcome.check(checks > 80, "fewer checks than there are");
    outcome.prints(" right, 0 wrong");
}

fn kitchen_is_right(variants: &[Variant]) {
    let kitchen = Project::fixture("kitchen");
    for variant in variants {
        every_line_is_ok(&kitchen.autodiff(["run"]).args(*variant).passes());
    }
}

#[test]
fn debug() {
    kitchen_is_right(&DEBUG);
}

#[test]
fn release() {
    kitchen_is_right(&RELEASE);
}

/// A copied static would still give right derivatives of the copy.
#[test]
fn statics_are_the_programs_own() {
    let kitchen = Project::fixture("kitchen");
    for profile in PROFILES {
        kitchen.autodiff(["run", "--bin", "statics"]).args(profile).passes().prints("7 right, 0 wrong");
    }
}

#[test]
fn derivatives_of_derivatives() {
    let kitchen = Project::fixture("kitchen");
    for profile in PROFILES {
        kitchen.autodiff(["run", "--bin", "nested"]).args(profile).passes().prints("15 right, 0 wrong");
    }
}

/// The bitcode of a nightly with the same LLVM major is readable too.
#[test]
fn nightly() {
    let version = Command::new("rustup").args(["run", "nightly", "rustc", "-vV"]).output();
    let version =
        version.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default();
    if !version.lines().any(|line| line.starts_with("LLVM version: 22.")) {
        println!("skipped: no nightly toolchain with LLVM 22 is installed");
        return;
    }
    let kitchen = Project::fixture("kitchen").with_target("nightly");
    for profile in PROFILES {
        let run = kitchen.autodiff(["run"]).args(profile).env("RUSTUP_TOOLCHAIN", "nightly");
        every_line_is_ok(&run.env("CARGO", "cargo").passes());
    }
}

#[test]
fn reverse_over_reverse_of_a_collected_vector_ends() {
    let files = [(
        "src/main.rs",
        "use autodiff::autodiff_reverse;

#[autodiff_reverse(d_energy, Duplicated, Active)]
fn energy(x: &[f64]) -> f64 {
    let steps: Vec<f64> = x.windows(2).map(|pair| pair[1] - pair[0]).collect();
    steps.iter().map(|step| step.powi(4)).sum()
}

#[autodiff_reverse(r_force, Duplicated, Duplicated)]
fn force(x: &[f64], out: &mut [f64]) {
    let mut dx = vec![0.0; x.len()];
    d_energy(x, &mut dx, 1.0);
    out.iter_mut().zip(&dx).for_each(|(out, d)| *out = -d);
}

fn main() {
    let (mut dx, mut out, mut seed) = ([0.0; 3], [0.0; 3], [0.0, 1.0, 0.0]);
    r_force(&[0.0, 1.0, 3.0], &mut dx, &mut out, &mut seed);
    println!(\"{dx:?}\");
}
",
    )];
    for profile in PROFILES {
        let run = Project::package("endless", &files).autodiff(["run"]).args(profile).passes();
        // The force on the middle one is 4 (x2 - x1)^3 - 4 (x1 - x0)^3.
        run.prints("[12.0, -60.0, 48.0]");
    }
}
