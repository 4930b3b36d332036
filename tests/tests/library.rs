//! What ordinary code does beside the arithmetic: it prints, formats, hashes, sorts, and keeps numbers in collections.

use autodiff_tests::{PROFILES, Project};

fn library() -> Project {
    Project::fixture("library")
}

#[test]
fn ordinary_code_has_derivatives() {
    for profile in PROFILES {
        let outcome = library().autodiff(["run"]).args(profile).passes();
        outcome.check(!outcome.stdout.contains("WRONG"), "a wrong derivative");
        outcome.prints(" right, 0 wrong");
        let checks = outcome.stdout.lines().filter(|line| line.starts_with("ok ")).count();
        outcome.check(checks > 100, "fewer checks than there are");
    }
}

/// In reverse mode once, not again in the reverse sweep; in forward mode once.
#[test]
fn what_the_primal_prints_is_printed_once() {
    for profile in PROFILES {
        let outcome = library().autodiff(["run", "--quiet", "--bin", "printing"]).args(profile).passes();
        let lines = "step 0: 1.25\nstep 1: 1.359375\n";
        // By x: (1 - x/2) (1 - v/2), where v is 1.25; by y: (1 - v/2)/4 + 1/4.
        let slopes = "[0.1875, 0.34375] 0.1875\n";
        let expected = format!("reverse\n{lines}forward\n{lines}{slopes}");
        outcome.check(outcome.stdout == expected, "not what the primal prints twice");
        outcome
            .check(outcome.stderr == "1.25 after 1\n1.359375 after 2\n".repeat(2), "errors are printed once");
    }
}

#[test]
fn memory_shared_with_the_library_is_freed_once() {
    for profile in PROFILES {
        library().autodiff(["run", "--bin", "memory"]).args(profile).passes().prints(" right, 0 wrong");
    }
}

#[test]
fn numbers_that_pass_through_text_are_refused() {
    let ways = [
        r#"format!("{x}").parse::<f64>().unwrap()"#,
        r"x.to_string().parse::<f64>().unwrap()",
        r#"{ let mut t = String::from("0"); write!(t, "{x:e}").unwrap(); t.trim().parse::<f64>().unwrap() }"#,
        r#"f64::from(format!("{x:?}").parse::<f32>().unwrap())"#,
        r#"{ let t = format!("{x}"); format!("{t}0").parse::<f64>().unwrap() }"#,
        r#"[format!("{x}"), "5".to_owned()].concat().parse::<f64>().unwrap()"#,
    ];
    let functions =
        ways.iter().enumerate().map(|(number, way)| format!("fn f{number}(x: f64) -> f64 {{ x * {way} }}\n"));
    let calls = (0..ways.len()).map(|number| format!("    autodiff::derivative(f{number}, 2.0);\n"));
    let source = format!(
        "#![allow(unused_imports)]\nuse std::fmt::Write;\n{}\nfn main() {{\n{}}}\n",
        functions.collect::<String>(),
        calls.collect::<String>()
    );
    let outcome =
        Project::package("through-text", &[("src/main.rs", &source)]).autodiff(["build"]).exits_with(101);
    for number in 0..ways.len() {
        outcome.reports(&format!("cannot differentiate `through_text::f{number}`"));
    }
    let refusals = outcome.stderr.matches("error[AD0014]").count();
    outcome.check(refusals == ways.len(), "each is refused for this reason");
}

#[test]
fn hash_maps_that_numbers_are_put_in_are_refused() {
    let source = r#"
use std::collections::HashMap;

fn total(x: &[f64]) -> f64 {
    let map: HashMap<usize, f64> = x.iter().copied().enumerate().collect();
    map[&0] * map[&1]
}

fn main() {
    println!("{:?}", autodiff::gradient(total, &[1.0, 2.0][..]));
}
"#;
    let outcome = Project::package("tables", &[("src/main.rs", source)]).autodiff(["build"]).exits_with(101);
    outcome.reports("error[AD0021]").reports("puts numbers in a hash map");
}
