//! Calls of what is known at run time only: the fixture `dispatch` checks the derivatives, here it is built.

use autodiff_tests::Project;

/// With many object files for each crate, where functions have several copies, and with one.
const VARIANTS: [&[&str]; 3] =
    [&[], &["--release"], &["--release", "--config", "profile.release.codegen-units=1"]];

#[test]
fn derivatives_are_right() {
    let dispatch = Project::fixture("dispatch");
    for variant in VARIANTS {
        let run = dispatch.autodiff(["run", "-p", "app"]).args(variant).passes();
        let checks = run.stdout.lines().filter(|line| line.starts_with("ok ")).count();
        run.check(checks > 35, "fewer checks than there are");
        run.prints(" right, 0 wrong");
    }
}
