//! Transforms of closures against closed forms: the fixture `transforms` checks them.

use autodiff_tests::{PROFILES, Project};

fn every_line_is_ok(profiles: &[&[&str]], arguments: &[&str], at_least: usize) {
    let transforms = Project::fixture("transforms");
    for profile in profiles {
        let outcome = transforms.autodiff(["run"]).args(arguments).args(*profile).passes();
        let checks = outcome.stdout.lines().filter(|line| line.starts_with("ok ")).count();
        outcome.check(!outcome.stdout.contains("WRONG"), "a wrong derivative");
        outcome.check(checks >= at_least, "fewer checks than there are");
        outcome.prints(" right, 0 wrong");
    }
}

#[test]
fn every_transform_is_right() {
    every_line_is_ok(&PROFILES, &[], 195);
}

/// In release only: a debug build of these crates takes long, and their types are like ours.
#[test]
fn types_of_other_crates_are_points_and_results() {
    every_line_is_ok(&[&["--release"]], &["--features", "libraries", "--bin", "libraries"], 30);
}
