//! Random programs: their derivatives against a reference that shares nothing with the tool.
//!
//! `AUTODIFF_TESTS_PROGRAMS` is how many programs there are (100), `AUTODIFF_TESTS_SEED` where they begin. A failure
//! shows the program.

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
const BATCH: usize = 20;
/// More refusals than this, in percent, and the test fails.
const REFUSED: usize = 10;

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

#[test]
fn derivatives_of_random_programs() {
    let count = setting("AUTODIFF_TESTS_PROGRAMS", 100) as usize;
    let first = setting("AUTODIFF_TESTS_SEED", 1);
    let seeds = (first..).filter_map(|seed| program(seed).map(|(program, answer)| (seed, program, answer)));
    let programs: Vec<_> =
        seeds.take(count).enumerate().map(|(number, (seed, p, a))| (number, seed, p, a)).collect();
    for profile in PROFILES {
        let mut counted = Count::default();
        for (number, batch) in programs.chunks(BATCH).enumerate() {
            let sources: Vec<_> =
                batch.iter().map(|(number, _, program, _)| (*number, program.clone())).collect();
            let name = format!("programs{}", number % 4);
            let project = Project::package(&name, &[("src/main.rs", &source(&sources))]);
            let run = project.autodiff(["run", "--quiet", "--defer-errors"]).args(profile).run();
            counted.batch(&run, batch);
        }
        let Count { right, refused, wrong } = counted;
        println!("{profile:?}: {right} right, {} refused, {} wrong", refused.len(), wrong.len());
        refused.iter().for_each(|refusal| println!("refused: {refusal}"));
        assert!(wrong.is_empty(), "{profile:?}: {} wrong:\n{}", wrong.len(), wrong.join("\n"));
        let all = right + refused.len();
        assert!(refused.len() * 100 <= REFUSED * all, "{} of {all} refused", refused.len());
    }
}
