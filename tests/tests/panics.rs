//! Panics in differentiated functions: the same message at the same place, and only where the primal panics. The
//! fixture `state` compares; here it is built in the ways that matter for panics.

use autodiff_tests::Project;

const VARIANTS: [&[&str]; 4] = [
    &[],
    &["--config", "profile.dev.overflow-checks=false"],
    &["--release"],
    &["--release", "--config", "profile.release.overflow-checks=true"],
];

#[test]
fn panics_are_those_of_the_primal() {
    let state = Project::fixture("state");
    for variant in VARIANTS {
        let run = state.autodiff(["run", "--bin", "panics"]).args(variant).passes();
        run.check(!run.stdout.contains("WRONG"), "a derivative panics differently");
        run.prints("128 right, 0 wrong");
    }
}

#[test]
fn panics_that_abort_abort() {
    let state = Project::fixture("state");
    for (profile, key) in
        [(None, "profile.dev.panic='abort'"), (Some("--release"), "profile.release.panic='abort'")]
    {
        let run = state.autodiff(["run", "--bin", "panics", "--config", key]).args(profile).run();
        run.prints("ok before the panic").reports("index out of bounds: the len is 2 but the index is 2");
        run.check(!run.stdout.contains(" right, "), "it goes on after the panic");
        run.check(run.code != Some(0), "it ends as if nothing had happened");
    }
}
