//! What the tool says and how it exits: results on stdout, errors in the user's terms, exit codes passed on.

use std::env::consts::ARCH;
use std::fs;
use std::path::Path;

use autodiff_tests::{Invocation, Outcome, Project, scratch, tool};
use serde_json::Value;

const SLOPE: &str = "fn main() { println!(\"{}\", autodiff::derivative(|x: f64| x * x, 3.0)); }";

/// A program that differentiates a function which calls assembler code: nobody can see what that computes.
fn opaque(name: &str) -> Project {
    assert!(["x86_64", "aarch64"].contains(&ARCH), "`ret` returns the argument on these");
    let source = r#"//! Calls code without a body.

use std::arch::global_asm;

#[cfg(not(target_os = "macos"))]
global_asm!(".globl mystery", "mystery:", "ret");
#[cfg(target_os = "macos")]
global_asm!(".globl _mystery", "_mystery:", "ret");

unsafe extern "C" {
    safe fn mystery(x: f64) -> f64;
}

#[inline(never)]
fn puzzling_energy(x: &[f64]) -> f64 {
    x[0] * mystery(x[1])
}

fn main() {
    println!("value {}", puzzling_energy(&[2.0, 3.0]));
    let slope: Vec<f64> = autodiff::gradient(puzzling_energy, &[2.0, 3.0][..]);
    println!("slope {slope:?}");
}
"#;
    Project::package(name, &[("src/main.rs", source)])
}

/// The words in which no user thinks.
fn is_in_rust_terms(outcome: &Outcome) {
    for word in
        ["LLVM ERROR", "Stack dump", "PLEASE submit", "linking with", "!dbg", "__enzyme", "getelementptr"]
    {
        outcome.never_reports(word);
    }
}

#[test]
fn refusal_is_a_compile_error_that_names_the_function() {
    for profile in autodiff_tests::PROFILES {
        let refusal = opaque("refusal").autodiff(["build"]).args(profile).exits_with(101);
        refusal
            .reports("error[AD0001]: ")
            .reports("mystery")
            .reports("puzzling_energy")
            .reports("could not compile");
        is_in_rust_terms(&refusal);
    }
}

/// A program that differentiates a closure, which is refused in every profile. Gives what is said.
fn refused_closure(name: &str, before: &str, closure: &str) -> Vec<Outcome> {
    let source = format!(
        "fn main() {{
    {before}
    let total_cost = {closure};
    println!(\"{{}}\", autodiff::derivative(total_cost, 3.0));
}}
"
    );
    let project = Project::package(name, &[("src/main.rs", &source)]);
    let build = |profile: &[&str]| project.autodiff(["build"]).args(profile).exits_with(101);
    let refusals: Vec<_> = autodiff_tests::PROFILES.iter().map(|profile| build(profile)).collect();
    for refusal in &refusals {
        refusal.reports(&format!("cannot differentiate a closure in `{name}::main`: ")).reports("help: ");
        refusal.never_reports("{closure");
        is_in_rust_terms(refusal);
    }
    // Only debug information has places.
    refusals[0].reports("src/main.rs:");
    refusals
}

#[test]
fn number_in_a_captured_cell_is_refused() {
    let before = "let best = std::cell::Cell::new(0.0);";
    for refusal in refused_closure("cell", before, "|x: f64| { best.set(x * x); best.get() + x }") {
        refusal.reports("stores a number in memory without a shadow");
        refusal.reports("keep it in a local variable");
    }
}

#[test]
fn too_many_functions_to_try_are_refused() {
    let functions: Vec<String> = (0..80).map(|number| format!("f::<{number}>")).collect();
    let before = format!(
        "fn f<const N: usize>(x: f64) -> f64 {{ x * N as f64 }}
    let all: [fn(f64) -> f64; 80] = [{}];
    let f = all[std::env::args().count()];",
        functions.join(", ")
    );
    for refusal in refused_closure("functions", &before, "move |x: f64| f(x) * x") {
        refusal.reports("calls a function that is chosen at run time among 80");
        refusal.reports("pass the function as a generic parameter (`impl Fn`)");
    }
}

#[test]
fn memory_left_in_an_argument_is_refused() {
    let files = [(
        "src/main.rs",
        "use autodiff::autodiff_reverse;

struct Path {
    points: Vec<f64>,
}

#[autodiff_reverse(d_extend, Duplicated, Active, Active)]
fn extend(path: &mut Path, x: f64) -> f64 {
    path.points.push(x * x);
    path.points.iter().sum()
}

fn main() {
    let (mut path, mut shadow) = (Path { points: vec![1.0] }, Path { points: vec![0.0] });
    println!(\"{:?}\", d_extend(&mut path, &mut shadow, 2.0, 1.0));
}
",
    )];
    let project = Project::package("memory_left", &files);
    for profile in [None, Some("--release")] {
        let refusal = project.autodiff(["run"]).args(profile).exits_with(101);
        refusal.reports("leaves memory that it allocates in an argument").reports("let the caller allocate");
    }
}

#[test]
fn refusal_is_a_compiler_message_for_editors() {
    let refusal = opaque("refusal_json").autodiff(["build", "--message-format", "json"]).exits_with(101);
    let messages = refusal.messages();
    let is_ours = |message: &&Value| {
        let text = message["message"]["message"].as_str().unwrap_or_default();
        message["reason"] == "compiler-message"
            && message["message"]["level"] == "error"
            && text.contains("mystery")
    };
    refusal
        .check(messages.iter().any(|message| is_ours(&message)), "a compiler-message tells of the refusal");
    let last = messages.last().cloned().unwrap_or_default();
    refusal.check(last["reason"] == "build-finished" && last["success"] == false, "the build has failed");
}

#[test]
fn deferred_refusal_is_a_warning_and_panics_when_called() {
    let project = opaque("deferred");
    let run = project.autodiff(["run", "--defer-errors"]).exits_with(101);
    run.prints("value 6")
        .reports("warning")
        .reports("panicked")
        .reports("mystery")
        .reports("puzzling_energy");
    run.check(!run.stdout.contains("slope"), "there is no derivative");
    is_in_rust_terms(&run);
}

/// Without the tool, the panic is at the user's call.
#[test]
fn call_without_a_derivative_panics_at_its_own_line() {
    let source = r"use autodiff::{autodiff_forward, autodiff_reverse};

#[autodiff_reverse(d_square, Active, Active)]
fn square(x: f64) -> f64 {
    x * x
}

struct Scale(f64);

trait Length {
    #[autodiff_forward(t_length, Const, Dual, Dual)]
    fn length(&self, x: f64) -> f64;
}

impl Length for Scale {
    fn length(&self, x: f64) -> f64 {
        self.0 * x
    }
}

fn sum(x: &[f64]) -> f64 {
    x.iter().sum()
}

fn main() {
    let calls: [fn(); 6] = [
        || drop(autodiff::derivative(square, 1.0)),
        || drop(autodiff::value_and_gradient(sum, &[1.0][..])),
        || drop(autodiff::gradient(sum, &vec![1.0])),
        || drop(autodiff::gradient(|x: &[f64; 1]| x[0], &[1.0])),
        || drop(d_square(1.0, 1.0)),
        || drop(Scale(2.0).t_length(1.0, 1.0)),
    ];
    for call in calls {
        assert!(std::panic::catch_unwind(call).is_err());
    }
}
";
    let project = Project::package("undifferentiated", &[("src/main.rs", source)]);
    for profile in autodiff_tests::PROFILES {
        let run = project.cargo(["run"]).args(profile).passes();
        for line in 27..33 {
            run.reports(&format!("panicked at src/main.rs:{line}:"));
        }
        let said = run.stderr.matches("was not differentiated: build with `cargo autodiff`").count();
        run.check(said == 6, "each says what to do");
    }
}

#[test]
fn json_alone_on_stdout() {
    let project = Project::package("json", &[("src/main.rs", SLOPE)]);
    let build = project.autodiff(["build", "-v", "--message-format", "json"]).passes();
    let messages = build.messages();
    let last = messages.last().cloned().unwrap_or_default();
    build.check(last["reason"] == "build-finished" && last["success"] == true, "the build has finished");
    let program = build.artifact("json", std::env::consts::EXE_SUFFIX);
    project.command(program).passes().prints("6");
}

#[test]
fn exit_codes_are_passed_on() {
    let source =
        "fn main() { let x = autodiff::derivative(|x: f64| x * x, 3.5); std::process::exit(x as i32) }
#[test]
fn fails() { assert_eq!(autodiff::derivative(|x: f64| x, 0.0), 2.0); }";
    let project = Project::package("exits", &[("src/main.rs", source)]);
    project.autodiff(["run"]).exits_with(7);
    project.autodiff(["run", "--quiet"]).exits_with(7);
    project.autodiff(["test"]).exits_with(101).prints("test result: FAILED");
    project.autodiff(["check"]).passes();
    project.write("src/main.rs", "fn main() { let x: u32 = 0.5; }");
    project.autodiff(["build"]).exits_with(101).reports("mismatched types");
    project.autodiff(["build", "--no-such-option"]).exits_with(1).reports("--no-such-option");
}

#[test]
fn arguments_belong_to_whom_they_do_under_cargo() {
    let source = "fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    println!(\"{arguments:?} {}\", autodiff::derivative(|x: f64| x * x, 1.0));
}";
    let project = Project::package("arguments", &[("src/main.rs", source)]);
    let run = project
        .autodiff(["run", "-p", "arguments", "--", "-v", "--release", "--defer-errors", "a b"])
        .passes();
    run.prints(r#"["-v", "--release", "--defer-errors", "a b"] 2"#);

    let manifest = project.path("Cargo.toml");
    let run = project.autodiff(["-q", "run", "--manifest-path"]).arg(&manifest).passes();
    run.prints("[] 2").never_reports("Finished");
    // Started by its own name, from a folder inside, with a target directory on the command line.
    let run = Invocation::new(tool(), &project.path("src")).args(["run", "--target-dir"]);
    run.arg(scratch().join("target")).args(["x", "-v"]).passes().prints(r#"["x", "-v"] 2"#);
    assert!(!project.path("target").exists(), "the target directory given is used");
}

#[test]
fn stages_are_written_on_request() {
    let project = Project::package("stages", &[("src/main.rs", SLOPE)]).with_own_target();
    project.autodiff(["run", "--dump-ir", "stages"]).passes().prints("6");
    // A folder for each program, in it a numbered file for each stage.
    let entries = |path: &Path| fs::read_dir(path).into_iter().flatten().flatten().map(|entry| entry.path());
    let folders: Vec<_> = entries(&project.path("stages")).collect();
    assert_eq!(folders.len(), 1, "one program, one folder: {folders:?}");
    let stages: Vec<_> =
        entries(&folders[0]).filter(|path| path.extension().is_some_and(|e| e == "ll")).collect();
    assert!(stages.len() >= 2, "one module before Enzyme, one after: {stages:?}");
}

#[test]
fn bitcode_that_is_not_there_is_asked_for() {
    let library = "pub fn slope(x: f64) -> f64 { autodiff::derivative(|x: f64| x * x, x) }";
    let program = "fn main() { println!(\"{}\", removed::slope(3.0)); }";
    let project =
        Project::package("removed", &[("src/lib.rs", library), ("src/main.rs", program)]).with_own_target();
    project.autodiff(["run"]).passes().prints("6");
    let pack = |name: &str| {
        let packs = files(&project.path("target"), "autodiff");
        packs.into_iter().find(|path| path.to_string_lossy().contains(name)).expect("a library's bitcode")
    };

    // Another library's, as if another tool had put it there.
    fs::copy(pack("libautodiff-"), pack("libremoved-")).expect("it can be replaced");
    project.write("src/main.rs", &program.replace("3.0", "4.0"));
    let refusal = project.autodiff(["run"]).exits_with(101);
    refusal
        .reports(
            "error[AD0015]: cannot differentiate a function passed to `derivative`: no bitcode was kept for it",
        )
        .reports("help: build its crate again: `cargo autodiff clean`");
    is_in_rust_terms(&refusal);

    fs::remove_file(pack("libremoved-")).expect("it can be removed");
    let refusal = project.autodiff(["run"]).exits_with(101);
    refusal.reports(
        "the bitcode of crate `removed` is missing: run `cargo autodiff clean -p removed` and build again",
    );
    is_in_rust_terms(&refusal);
    project.autodiff(["clean", "-p", "removed"]).passes();
    project.autodiff(["run"]).passes().prints("8");
}

/// The files below a directory with this extension.
fn files(directory: &Path, extension: &str) -> Vec<std::path::PathBuf> {
    let entries: Vec<_> =
        fs::read_dir(directory).into_iter().flatten().flatten().map(|it| it.path()).collect();
    let inner = entries.iter().filter(|path| path.is_dir()).flat_map(|path| files(path, extension));
    let here = entries.iter().filter(|path| path.extension().is_some_and(|it| it == extension)).cloned();
    inner.chain(here).collect()
}
