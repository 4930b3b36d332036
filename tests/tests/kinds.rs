//! Every kind of thing that cargo builds can hold derivative calls.

use std::path::Path;

use autodiff_tests::{Outcome, PROFILES, Project};

fn workspace() -> Project {
    Project::fixture("kinds")
}

#[test]
fn binary_with_calls_in_a_library() {
    for profile in PROFILES {
        let outcome = workspace().autodiff(["run", "-p", "app"]).args(profile).passes();
        outcome.prints("library: 4 6").prints("attribute: 0 4").prints("generic: 0.500000 0.000000");
    }
}

#[test]
fn unit_integration_and_documentation_tests() {
    for profile in PROFILES {
        let outcome = workspace().autodiff(["test", "-p", "models"]).args(profile).passes();
        // The unit tests, the integration tests and the doctests, in this order.
        for count in ["ok. 3 passed; 0 failed", "ok. 2 passed; 0 failed"] {
            outcome.prints(count);
        }
        outcome.prints("tests::panics_stay_panics").prints("slopes_taken_here");
        outcome.prints("models/src/lib.rs - parabola (line").prints("models/src/lib.rs - descend (line");
        outcome.check(
            outcome.stdout.matches("test result: ok. 3 passed").count() == 2,
            "three unit and three doctests",
        );
    }
}

#[test]
fn example() {
    for profile in PROFILES {
        let outcome =
            workspace().autodiff(["run", "-p", "models", "--example", "descent"]).args(profile).passes();
        outcome.prints("example: 1.000000 -2.000000");
    }
}

#[test]
fn benchmark_without_harness() {
    let workspace = workspace();
    workspace.autodiff(["bench", "-p", "models", "--bench", "slopes"]).passes().prints("bench: 6 2");
    workspace.autodiff(["test", "-p", "models", "--bench", "slopes"]).passes().prints("bench: 6 2");
}

#[test]
fn dynamic_and_static_library() {
    for profile in PROFILES {
        let workspace = workspace();
        let build =
            workspace.autodiff(["build", "-p", "plugin", "--message-format", "json"]).args(profile).passes();
        let dynamic = build.artifact("plugin", std::env::consts::DLL_SUFFIX);
        compile(&workspace, "plugin/loaded.c", "loaded", &[]);
        workspace.command(workspace.path("loaded")).arg(dynamic).passes().prints("loaded: 12 6");

        let archive = build.artifact("plugin", ".a");
        compile(&workspace, "plugin/linked.c", "linked", &[&archive]);
        workspace.command(workspace.path("linked")).passes().prints("linked: 12 6");
    }
}

/// Compiles a C program, with the libraries that Rust's standard library needs.
fn compile(workspace: &Project, source: &str, program: &str, archives: &[&Path]) -> Outcome {
    let libraries: &[&str] =
        if cfg!(target_os = "linux") { &["-lgcc_s", "-lpthread", "-lm", "-ldl"] } else { &[] };
    workspace.command("cc").arg(source).args(archives).args(libraries).args(["-o", program]).passes()
}
