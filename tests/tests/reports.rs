//! What is left behind when Enzyme fails. A shell script stands in for it.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use autodiff_tests::{Invocation, Outcome, Project};

const SLOPE: &str = "fn main() { println!(\"{}\", autodiff::derivative(|x: f64| x * x, 3.0)); }";

/// An engine that fails in some way whenever there is a shim in the module, which comes last.
const ENGINE: &str = r#"for module; do :; done
grep -q 9transform10derivative4shim "$module" && . "$(dirname "$0")/failure"
exit 1"#;

const ASSERTS: &str = "
echo \"/build/of/enzyme/Utils.cpp:12: void f(): Assertion \\`ok' failed.\" >&2
echo 'Stack dump:' >&2
kill -ABRT $$
";

const CRASHES: &str = "kill -SEGV $$\n";

/// Takes all the memory that it may, if there is a limit to that.
const SWELLS: &str = "
[ \"$(ulimit -v)\" != unlimited ] && echo 'LLVM ERROR: out of memory' >&2
kill -ABRT $$
";

/// An `llvm-reduce` that leaves only one line, if the test agrees.
const REDUCES: &str = r#"case $1 in --version) echo "  LLVM version 22.1.2"; exit;; esac
test=${1#--test=} output=$3 input=$4
: >empty.ll
if "$test" empty.ll; then echo "an empty module is interesting" >&2; exit 1; fi
grep 9transform10derivative4shim "$input" | head -n 1 >smaller.ll
"$test" smaller.ll && mv smaller.ll "$output""#;

fn script(project: &Project, name: &str, text: &str) -> PathBuf {
    let path = project.path(name);
    project.write(name, &format!("#!/bin/sh\n{text}\n"));
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("the script can be run");
    path
}

/// A build in which the engine fails in this way, and the report that is named.
fn fails_with(project: &Project, failure: &str) -> (Outcome, PathBuf) {
    project.write("failure", failure);
    let engine = script(project, "engine", ENGINE);
    let outcome = project.autodiff(["build"]).env("AUTODIFF_ENZYME", engine).exits_with(101);
    outcome.reports("error[AD0017]: cannot differentiate a closure in `").reports("src/main.rs:1:");
    for word in ["Assertion", "Stack dump", "/build/of/enzyme", "9transform10derivative4shim"] {
        outcome.never_reports(word);
    }
    let named = outcome.stderr.split_once("see it again is in ").map(|(_, rest)| rest);
    let named = named.and_then(|rest| rest.lines().next()).unwrap_or_default();
    outcome.check(named.starts_with("target/autodiff/reports/"), "the report is named");
    let report = project.path(named);
    (outcome, report)
}

#[test]
fn failures_of_the_engine_leave_reports() {
    let project = Project::package("failures", &[("src/main.rs", SLOPE)]).with_own_target();
    failed_check(&project);
    crash(&project);
    if cfg!(target_os = "linux") {
        let (outcome, _) = fails_with(&project, SWELLS);
        outcome.reports("Enzyme needs more memory than there is");
    }
}

fn failed_check(project: &Project) {
    let (outcome, report) = fails_with(project, ASSERTS);
    outcome.reports("Enzyme failed a check of its own (in Utils.cpp)");
    let text = |name: &str| fs::read_to_string(report.join(name)).expect("a file of the report");
    assert!(text("prepared.ll").contains("define ") && report.join("prepared.bc").is_file());
    assert!(text("said.txt").contains("Stack dump:"));
    assert!(text("versions.txt").contains("rustc version 1."), "{}", text("versions.txt"));
    assert!(text("README.md").contains("run.sh"));

    // It can be moved, and shows the same again.
    let moved = project.path("moved report");
    let _ = fs::remove_dir_all(&moved);
    fs::rename(&report, &moved).expect("the report can be moved");
    let run = Invocation::new(moved.join("run.sh"), &project.path("")).run();
    run.reports("Assertion `ok' failed.");

    let reduce = script(project, "my-reduce", REDUCES);
    let reduced = project.autodiff(["reduce"]).arg(&moved).env("AUTODIFF_LLVM_REDUCE", reduce).passes();
    reduced.reports("Reduced").reports("(1 lines, of ");
    assert!(
        fs::read_to_string(moved.join("reduced.ll"))
            .expect("the outcome")
            .contains("9transform10derivative4shim")
    );
}

fn crash(project: &Project) {
    let (outcome, report) = fails_with(project, CRASHES);
    outcome.reports("Enzyme crashed");
    let complains = |module: &str| Invocation::new(report.join("complains.sh"), &report).arg(module);
    complains("prepared.ll").passes();
    complains("README.md").exits_with(1);
    let nothing = project.autodiff(["reduce", "src"]).exits_with(101);
    nothing.reports("src is no report of a failure of Enzyme's");
    let empty = project.path("empty");
    fs::create_dir_all(&empty).expect("an empty folder");
    let missing = project.autodiff(["reduce"]).arg(&report).env("PATH", &empty).exits_with(101);
    missing.reports("`llvm-reduce` is not installed").reports("llvm-22");
    let old = script(project, "old-reduce", "echo 'Debian LLVM version 14.0.6'");
    let old = project.autodiff(["reduce"]).arg(&report).env("AUTODIFF_LLVM_REDUCE", old).exits_with(101);
    old.reports("is of LLVM 14, that of LLVM 22 is needed");
}
