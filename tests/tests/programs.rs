//! Random programs: their derivatives against a reference that shares nothing with the tool.
//!
//! Without further notice 100 programs are tried, but not those that are known to be refused (`refused.txt`).
//! `AUTODIFF_TESTS_PROGRAMS` is how many to try instead, and `AUTODIFF_TESTS_SEED` where they begin: 2000 take an
//! hour. A failure shows the program.

#[path = "programs/double.rs"]
mod double;
#[path = "programs/dual.rs"]
mod dual;
#[path = "programs/emit.rs"]
mod emit;
#[path = "programs/generate.rs"]
mod generate;
#[path = "programs/random.rs"]
mod random;
#[path = "programs/run.rs"]
mod run;
#[path = "programs/tree.rs"]
mod tree;

use std::env;
use std::fmt::Write as _;

use autodiff_tests::{Outcome, PROFILES, Project};

use dual::Dual;
use generate::INPUTS;
use random::Random;
use tree::Program;

/// So many programs are built as one: what is refused is looked at one by one.
const BATCH: usize = 10;
/// More refusals than this, in percent, and the test fails.
const LIMIT: usize = 5;
/// Seeds of programs that are refused, of those that run by default.
const REFUSED: &str = include_str!("programs/refused.txt");

fn setting(name: &str, default: u64) -> u64 {
    env::var(name).map_or(default, |text| text.parse().expect("a number"))
}

/// The program of a seed, and its value and slopes; none where they are out of bounds or rounding may do anything.
fn program(seed: u64) -> Option<(Program, Dual)> {
    let program = generate::program(&mut Random::new(seed));
    let answer = run::run(&program);
    let bounded = |index: usize| {
        let slope = answer.exact_slopes[index].high;
        slope.abs() < 1e6 && answer.tolerance(index) < 1e-7 * (1.0 + slope.abs())
    };
    let usable = answer.value.abs() < 1e6 && (0..INPUTS).all(bounded);
    let moves = answer.sizes.iter().any(|size| *size > 0.0);
    (usable && moves).then_some((program, answer))
}

/// A program that prints, for each of these, `NUMBER MODE value slope...` or `NUMBER MODE refused: ...`.
fn source(programs: &[(usize, Program)]) -> String {
    let mut text = String::from(include_str!("programs/check.rs"));
    text += emit::COMMON;
    let mut calls = String::new();
    for (number, program) in programs {
        text += &emit::module(&format!("p{number}"), program);
        let [a, b, c] = program.inputs[..] else { unreachable!("there are three inputs") };
        writeln!(calls, "check!({number}, p{number}, [{a:?}, {b:?}, {c:?}]);").unwrap();
    }
    write!(text, "fn main() {{\nstd::panic::set_hook(Box::new(|_| {{}}));\n{calls}}}\n").unwrap();
    text
}

/// What became of the programs.
#[derive(Default)]
struct Count {
    right: usize,
    refused: Vec<String>,
    wrong: Vec<String>,
}

impl Count {
    /// Looks at a line that a batch printed.
    fn line(&mut self, line: &str, seed: u64, answer: &Dual) {
        let (mode, rest) = line.split_once(' ').unwrap_or((line, ""));
        if let Some(reason) = rest.strip_prefix("refused: ") {
            self.refused.push(format!("seed {seed}, {mode}: {reason}"));
            return;
        }
        let numbers: Vec<f64> = rest.split(' ').filter_map(|word| word.parse().ok()).collect();
        let near = |got: f64, want: f64, tolerance: f64| (got - want).abs() <= tolerance;
        let value = numbers
            .first()
            .is_some_and(|value| near(*value, answer.value, 1e-9 * (1.0 + answer.value.abs())));
        let slopes = numbers.len() == 1 + INPUTS
            && (0..INPUTS).all(|i| near(numbers[1 + i], answer.exact_slopes[i].high, answer.tolerance(i)));
        if value && slopes {
            self.right += 1;
        } else {
            let want = answer.exact_slopes.map(|slope| slope.high);
            self.wrong.push(format!("{mode}: {numbers:?}, want {:?}, {want:?}", answer.value));
        }
    }

    fn batch(&mut self, outcome: &Outcome, programs: &[(usize, u64, Program, Dual)]) {
        for (number, seed, program, answer) in programs {
            let before = self.wrong.len();
            for mode in ["reverse", "forward"] {
                let start = format!("{number} {mode} ");
                let line = outcome.stdout.lines().find_map(|line| line.strip_prefix(&start));
                self.line(&format!("{mode} {}", line.unwrap_or("nothing printed")), *seed, answer);
            }
            for wrong in &mut self.wrong[before..] {
                let source = emit::module("p", program);
                *wrong = format!("seed {seed}, at {:?}, {wrong}\n{}{source}", program.inputs, emit::COMMON);
            }
        }
    }
}

/// The programs from `AUTODIFF_TESTS_SEED` on, with their seeds and answers.
fn programs(count: usize) -> Vec<(usize, u64, Program, Dual)> {
    let first = setting("AUTODIFF_TESTS_SEED", 1);
    let found = (first..).filter_map(|seed| program(seed).map(|(program, answer)| (seed, program, answer)));
    found
        .take(count)
        .enumerate()
        .map(|(number, (seed, program, answer))| (number, seed, program, answer))
        .collect()
}

/// Builds and runs programs in batches of this size.
fn check(programs: &[(usize, u64, Program, Dual)], batch: usize, profile: &[&str]) -> Count {
    let mut counted = Count::default();
    for (number, batch) in programs.chunks(batch).enumerate() {
        let sources: Vec<_> =
            batch.iter().map(|(number, _, program, _)| (*number, program.clone())).collect();
        let project =
            Project::package(&format!("programs{}", number % 4), &[("src/main.rs", &source(&sources))]);
        let run = project.autodiff(["run", "--quiet", "--defer-errors"]).args(profile).run();
        let before = counted.wrong.len();
        counted.batch(&run, batch);
        // Shown at once: many batches take long.
        for wrong in &counted.wrong[before..] {
            println!("wrong: {wrong}");
        }
    }
    counted
}

#[test]
fn derivatives_of_random_programs() {
    let all = env::var_os("AUTODIFF_TESTS_PROGRAMS").is_some();
    let count = setting("AUTODIFF_TESTS_PROGRAMS", 100) as usize;
    // One that is refused has all others of its batch looked at one by one, which takes a while.
    let known: Vec<u64> = REFUSED.lines().filter_map(|line| line.parse().ok()).collect();
    let (skipped, programs): (Vec<_>, Vec<_>) =
        programs(count).into_iter().partition(|(_, seed, ..)| !all && known.contains(seed));
    for profile in PROFILES {
        let Count { right, refused, wrong } = check(&programs, if all { BATCH } else { count }, profile);
        println!(
            "{profile:?}: {right} right, {} refused, {} skipped, {} wrong",
            refused.len(),
            skipped.len(),
            wrong.len()
        );
        for refusal in &refused {
            println!("refused: {refusal}");
        }
        assert!(wrong.is_empty(), "{profile:?}: {} wrong:\n{}", wrong.len(), wrong.join("\n"));
        let refused = refused.len() + 2 * skipped.len();
        assert!(refused * 100 <= LIMIT * 2 * count, "{refused} of {} refused", 2 * count);
    }
}
