//! Derivatives written by hand, values without one, and checkpoints: the fixture `rules` checks them, here it is
//! built; and the examples of `examples/rules` check themselves.

use std::fs;

use autodiff_tests::{Invocation, PROFILES, Project, repository, scratch, tool};

#[test]
fn rules_are_asked() {
    let rules = Project::fixture("rules");
    for profile in PROFILES {
        rules.autodiff(["run"]).args(profile).passes().prints(" right, 0 wrong");
        rules.autodiff(["run", "--bin", "nested"]).args(profile).passes().prints(" right, 0 wrong");
    }
    rules.cargo(["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]).passes();
}

/// The code in `docs/rules.md` does what it says.
#[test]
fn page_is_right() {
    let page = fs::read_to_string(repository().join("docs/rules.md")).expect("the page");
    let blocks = page.split("```rust\n").skip(1).map(|rest| rest.split_once("```").expect("an end").0);
    let files: Vec<_> =
        blocks.enumerate().map(|(number, block)| (format!("src/bin/block_{number}.rs"), block)).collect();
    assert!(files.len() >= 4, "fewer blocks than there are");
    let project = Project::package(
        "page",
        &files.iter().map(|(path, text)| (path.as_str(), *text)).collect::<Vec<_>>(),
    );
    for number in 0..files.len() {
        project.autodiff(["run", "--bin", &format!("block_{number}")]).passes();
    }
}

#[test]
fn examples_hold_what_they_assert() {
    for (name, last) in [("foreign", "coat ["), ("fixed_point", "torques [0.3582, -0.4395, 0.6718]")] {
        let run = Invocation::new(tool(), repository())
            .args(["autodiff", "run", "-p", "rules", "--bin", name])
            .env("CARGO_TARGET_DIR", scratch().join("target"));
        run.passes().prints(last);
    }
}

/// Functions that only a rule can differentiate, in a mode for which they have none or in a way that no rule fits.
#[test]
fn what_no_rule_fits_is_refused() {
    const RULES: &str = "
use autodiff::{autodiff_forward, checkpoint, custom_rule, derivative, gradient};

#[custom_rule(Active, Active, forward = forward)]
fn only_forward(x: f64) -> f64 {
    x * x
}

fn forward(x: f64, tangent: f64) -> (f64, f64) {
    (x * x, 2.0 * x * tangent)
}

#[custom_rule(Active, Active, reverse = reverse)]
fn only_reverse(x: f64) -> f64 {
    x * x
}

fn reverse(x: f64, _: f64, seed: f64) -> f64 {
    2.0 * x * seed
}
";
    let programs = [
        (
            "wide",
            "#[autodiff_forward(t_f, 2, Dual, Dual)]
             fn f(x: f64) -> f64 { only_forward(x) }
             fn main() { println!(\"{:?}\", t_f(1.0, 1.0, 2.0)); }",
            "rules take one direction at a time",
        ),
        (
            "reverse",
            "fn main() { println!(\"{:?}\", gradient(|x: &[f64; 1]| only_forward(x[0]), &[1.0])); }",
            "`reverse::only_forward` has no rule for reverse mode",
        ),
        (
            "second",
            "fn main() {
                 println!(\"{:?}\", derivative(|x: f64| gradient(|y: &[f64; 1]| only_reverse(y[0]), &[x])[0], 1.0));
             }",
            "`second::only_reverse` has no rule for forward mode",
        ),
        (
            "captured",
            "fn main() {
                 println!(\"{:?}\", gradient(|x: &[f64; 2]| {
                     let scale = x[0];
                     checkpoint(move |y: &[f64]| y[0] * scale, &x[1..])
                 }, &[1.0, 2.0]));
             }",
            "captures what depends on the arguments",
        ),
    ];
    let files: Vec<_> = programs
        .iter()
        .map(|(name, main, _)| {
            (format!("src/bin/{name}.rs"), format!("#![allow(unused)]\n{RULES}\n{main}\n"))
        })
        .collect();
    let files: Vec<_> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let project = Project::package("no_rule", &files);
    for profile in PROFILES {
        let build = project.autodiff(["build", "--keep-going"]).args(profile).exits_with(101);
        for (_, _, why) in programs {
            build.reports("error[AD0022]: ").reports(why);
        }
        build.reports("could not compile `no_rule` (bin \"second\")");
    }
}
