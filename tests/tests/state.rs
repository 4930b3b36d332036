//! State in differentiated functions: statics, locks, thread-locals, threads. The fixture `state` checks what works;
//! here it is built, and what is refused is tried.

use autodiff_tests::{Outcome, PROFILES, Project, repository};

fn every_line_is_ok(outcome: &Outcome, checks: usize) {
    outcome.check(!outcome.stdout.contains("WRONG"), "a wrong derivative, or state left behind");
    outcome.prints(&format!("{checks} right, 0 wrong"));
}

#[test]
fn state_is_the_programs_own_and_in_order_after_a_panic() {
    let state = Project::fixture("state");
    for profile in PROFILES {
        every_line_is_ok(&state.autodiff(["run"]).args(profile).passes(), 124);
    }
}

#[test]
fn gradients_of_sums_are_computed_on_several_threads() {
    let state = Project::fixture("state");
    for profile in PROFILES {
        every_line_is_ok(&state.autodiff(["run", "--bin", "parallel"]).args(profile).passes(), 67);
    }
}

/// Derivatives that must not be made: what a program with them says in a debug build.
fn refused(name: &str, items: &str, closures: &[&str]) -> Outcome {
    let calls: Vec<_> = closures
        .iter()
        .map(|closure| format!("    println!(\"{{}}\", autodiff::derivative({closure}, 3.0));\n"))
        .collect();
    let source = format!("{items}\nfn main() {{\n    let table = vec![2.0, 3.0];\n{}}}\n", calls.concat());
    let project = Project::package(name, &[("src/main.rs", &source)]);
    project.autodiff(["build"]).exits_with(101)
}

/// The line of a program, counted as the messages count, that `text` is on.
fn line_with(items: &str, text: &str) -> usize {
    items.lines().position(|line| line.contains(text)).expect("a line of the program") + 1
}

#[test]
fn numbers_that_pass_through_statics_are_refused_by_name_at_the_line() {
    let items = "use std::cell::Cell;
use std::sync::{Mutex, OnceLock};
static LAST: Mutex<f64> = Mutex::new(0.0);
static mut PLAIN: f64 = 0.0;
static ONCE: OnceLock<f64> = OnceLock::new();
thread_local! { static OWN: Cell<f64> = const { Cell::new(0.0) }; }
fn locked(x: f64) -> f64 {
    *LAST.lock().unwrap() = x;
    let back = *LAST.lock().unwrap();
    back * x
}
fn plain(x: f64) -> f64 {
    unsafe {
        PLAIN = x * x;
        PLAIN
    }
}
fn set(x: f64) { OWN.set(x) }
fn own(x: f64) -> f64 { set(x); OWN.get() * x }
fn once(x: f64) -> f64 { *ONCE.get_or_init(|| x) * x }
";
    let outcome = refused("through_statics", items, &["locked", "plain", "own", "once"]);
    for name in ["LAST", "PLAIN", "OWN"] {
        let said =
            format!("a number that depends on the arguments through the static `through_statics::{name}`");
        outcome.reports(&said);
    }
    outcome.reports(&format!("src/main.rs:{}:", line_with(items, "*LAST.lock().unwrap() = x")));
    outcome.reports(&format!("src/main.rs:{}:", line_with(items, "PLAIN = x * x")));
    outcome.reports(
        "initialises a `OnceLock`, a `LazyLock` or a thread-local with what depends on the arguments",
    );
    outcome.reports(&format!("src/main.rs:{}:", line_with(items, "ONCE.get_or_init(|| x)")));
    outcome.reports("help: pass the value as an argument or return it");
}

#[test]
fn what_cannot_be_done_backward_is_refused_by_name() {
    let closures = [
        "|x: f64| std::thread::scope(|s| s.spawn(|| x * x).join().unwrap())",
        "|x: f64| std::thread::spawn(move || x * x).join().unwrap()",
        "|x: f64| std::panic::catch_unwind(|| x * x).unwrap_or(0.0)",
        "|x: f64| *std::sync::LazyLock::new(|| x * x)",
    ];
    let outcome = refused("not_backward", "", &closures);
    outcome.reports("starts threads (`std::thread::scope`)").reports("starts threads (`std::thread::spawn`)");
    outcome
        .reports("help: write it as a sum of parts and let `autodiff::parallel::value_and_gradient` start");
    outcome.reports("catches panics, which a derivative cannot");
    outcome.reports(
        "initialises a `OnceLock`, a `LazyLock` or a thread-local with what depends on the arguments",
    );
}

/// Enzyme would take the constant data for its own shadow: the derivative would be wrong, and in reverse mode it
/// would be added to the data.
#[test]
fn reference_to_constant_data_or_to_other_data_is_refused() {
    let items = "#[inline(never)]
fn pick<'a>(x: &'a [f64], table: &'a [f64]) -> &'a [f64] {
    if x[0] > 1.0 { table } else { x }
}
";
    let closures = [
        "|x: f64| pick(&[x, x], &table)[1] * x",
        "|x: f64| { let own = [x, x]; own.get(table.len()).unwrap_or(&3.0) * x }",
    ];
    let outcome = refused("constant_or_other", items, &closures);
    outcome.reports("pick` chooses between a reference to constant data");
    outcome.reports("help: choose between the numbers, or copy the constant data first");
}

/// The closure lost the bodies of such functions of the user's when it took in the standard library's.
#[test]
fn function_that_never_returns_does_not_break_the_link() {
    let source = "fn fail(x: f64) -> ! { panic!(\"{x} is too large\") }
fn main() {
    let f = |x: f64| if x < 5.0 { vec![x, x].iter().product() } else { fail(x) };
    println!(\"{}\", autodiff::derivative(f, 3.0));
    autodiff::derivative(f, 7.0);
}
";
    let project = Project::package("never_returns", &[("src/main.rs", source)]);
    project.autodiff(["run"]).exits_with(101).prints("6").reports("7 is too large");
}

#[test]
fn example_of_the_page_prints_what_it_says() {
    let page = std::fs::read_to_string(repository().join("docs/state.md")).expect("the page");
    let block = |language: &str| {
        let (_, rest) = page.split_once(&format!("```{language}\n")).expect("a block of code");
        rest.split_once("```").expect("the end of the block").0
    };
    let project = Project::package("page", &[("src/main.rs", block("rust"))]);
    let run = project.autodiff(["run", "--release"]).passes();
    run.check(run.stdout == block("text"), "the page shows another output");
}
