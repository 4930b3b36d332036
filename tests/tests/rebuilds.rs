//! What is built again, and when: nothing without need, and never in the user's own target directory.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;

use autodiff_tests::{Project, Snapshot, scratch};

const LIBRARY: &str = "\
//! Two functions, differentiated by one program each.

pub fn first(x: f64) -> f64 {
    x * x
}

pub fn second(x: f64) -> f64 {
    x * x * x
}

pub fn greeting() -> &'static str {
    \"hello\"
}
";

fn program(function: &str) -> String {
    format!(
        "fn main() {{\n    let slope = autodiff::derivative({function}, 2.0);\n    \
         println!(\"{{}} {{slope}}\", models::greeting());\n}}\n"
    )
    .replace("models::", &format!("{}::", "{package}"))
}

/// A library with two programs.
fn project(name: &str) -> Project {
    let source = |function: &str| program(&format!("{name}::{function}")).replace("{package}", name);
    Project::package(
        name,
        &[
            ("src/lib.rs", LIBRARY),
            ("src/bin/first.rs", &source("first")),
            ("src/bin/second.rs", &source("second")),
        ],
    )
    .with_own_target()
}
