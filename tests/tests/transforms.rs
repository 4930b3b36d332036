//! Transforms of closures against closed forms: the fixture `transforms` checks them.

use autodiff_tests::{PROFILES, Project};

#[test]
fn every_transform_is_right() {
    let transforms = Project::fixture("transforms");
    for profile in PROFILES {
        let outcome = transforms.autodiff(["run"]).args(profile).passes();
        let checks = outcome.stdout.lines().filter(|line| line.starts_with("ok ")).count();
        outcome.check(!outcome.stdout.contains("WRONG"), "a wrong derivative");
        outcome.check(checks > 180, "fewer checks than there are");
        outcome.prints(" right, 0 wrong");
    }
}
