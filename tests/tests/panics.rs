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

/// Enzyme's copy of what panics was taken for something that returns, and dropped.
#[test]
fn panic_of_a_function_that_cannot_but_panic_is_not_dropped() {
    let source = r#"
fn f(x: &[f64]) -> f64 {
    if x[0] > 1.0 { panic!("large") } else if x.len() == 2 { panic!("two") } else { panic!("other") }
}

fn main() {
    println!("{:?}", autodiff::gradient(f, &[0.5, 2.0][..]));
}
"#;
    let doomed = Project::package("doomed", &[("src/main.rs", source)]);
    let run = doomed.autodiff(["run", "--config", "profile.dev.panic='abort'"]).run();
    run.reports("two");
    run.check(run.stdout.is_empty() && run.code != Some(0), "the panic is dropped");
}
