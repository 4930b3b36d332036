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
const LIMIT: usize = 6;
/// Of so many programs, one is differentiated twice: that takes longest.
const SECOND: u64 = 5;
/// The direction of Hessian products, and the step of the differences that they are compared with.
const DIRECTION: [f64; INPUTS] = [1.0, -0.5, 0.25];
const STEP: f64 = 1.0 / 262_144.0;
/// Seeds of programs that are refused, of those that run by default.
const REFUSED: &str = include_str!("programs/refused.txt");

fn setting(name: &str, default: u64) -> u64 {
    env::var(name).map_or(default, |text| text.parse().expect("a number"))
}

/// A program and what its derivatives must be.
struct Case {
    number: usize,
    seed: u64,
    program: Program,
    answer: Dual,
    /// The product of the Hessian with the direction.
    product: Option<[f64; INPUTS]>,
}

impl Case {
    /// The program of a seed; none where it is out of bounds or rounding may do anything.
    fn of(seed: u64) -> Option<Self> {
        let program = generate::program(&mut Random::new(seed));
        dual::take_overflowed();
        let answer = run::run(&program);
        if dual::take_overflowed() {
            return None;
        }
        let bounded = |index: usize| {
            let slope = answer.exact_slopes[index].high;
            slope.abs() < 1e6 && answer.tolerance(index) < 1e-7 * (1.0 + slope.abs())
        };
        let usable = answer.value.abs() < 1e6 && (0..INPUTS).all(bounded);
        let moves = answer.sizes.iter().any(|size| *size > 0.0);
        let product = if seed.is_multiple_of(SECOND) { product(&program) } else { None };
        (usable && moves).then_some(Self { number: 0, seed, program, answer, product })
    }

    fn modes(&self) -> &'static [&'static str] {
        if self.product.is_some() { &["reverse", "forward", "second"] } else { &["reverse", "forward"] }
    }

    /// Whether these numbers are what they must be.
    fn is_right(&self, mode: &str, numbers: &[f64]) -> bool {
        let near = |got: f64, want: f64, tolerance: f64| (got - want).abs() <= tolerance;
        let Some((value, slopes)) = numbers.split_first().filter(|_| numbers.len() == 1 + INPUTS) else {
            return false;
        };
        if let Some(want) = self.product.filter(|_| mode == "second") {
            return (0..INPUTS).all(|i| near(slopes[i], want[i], 1e-5 * (1.0 + want[i].abs())));
        }
        let Dual { value: want, exact_slopes, .. } = &self.answer;
        near(*value, *want, 1e-9 * (1.0 + want.abs()))
            && (0..INPUTS).all(|i| near(slopes[i], exact_slopes[i].high, self.answer.tolerance(i)))
    }
}

/// The product of the Hessian with the direction, by differences of exact slopes; none near a kink.
fn product(program: &Program) -> Option<[f64; INPUTS]> {
    let slopes = |step: f64| {
        let inputs = program.inputs.iter().zip(DIRECTION).map(|(x, d)| x + step * d).collect();
        run::run(&Program { inputs, ..program.clone() }).exact_slopes
    };
    let differences = |step: f64| -> [f64; INPUTS] {
        let (above, below) = (slopes(step), slopes(-step));
        std::array::from_fn(|i| (above[i] - below[i]).high / (2.0 * step))
    };
    let (coarse, fine) = (differences(STEP), differences(STEP / 2.0));
    let smooth = |i: usize| fine[i].abs() < 1e6 && (coarse[i] - fine[i]).abs() < 1e-6 * (1.0 + fine[i].abs());
    (0..INPUTS).all(smooth).then_some(fine)
}

/// A program that prints, for each of these, `NUMBER MODE value slope...` or `NUMBER MODE refused: ...`.
fn source(cases: &[Case]) -> String {
    let mut text = String::from(include_str!("programs/check.rs"));
    text += emit::COMMON;
    let mut calls = String::new();
    for Case { number, program, product, .. } in cases {
        text += &emit::module(&format!("p{number}"), program);
        let inputs = &program.inputs;
        writeln!(calls, "check!({number}, p{number}, {inputs:?});").unwrap();
        if product.is_some() {
            writeln!(calls, "check_second!({number}, p{number}, {inputs:?}, {DIRECTION:?});").unwrap();
        }
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
    /// Looks at what a batch printed of a program.
    fn line(&mut self, line: &str, case: &Case, mode: &str) {
        let seed = case.seed;
        if let Some(reason) = line.strip_prefix("refused: ") {
            self.refused.push(format!("seed {seed}, {mode}: {reason}"));
            return;
        }
        let numbers: Vec<f64> = line.split(' ').filter_map(|word| word.parse().ok()).collect();
        if case.is_right(mode, &numbers) {
            self.right += 1;
            return;
        }
        let want = case.product.filter(|_| mode == "second");
        let want = want.unwrap_or(case.answer.exact_slopes.map(|slope| slope.high));
        let (inputs, source) = (&case.program.inputs, emit::module("p", &case.program));
        self.wrong.push(format!(
            "seed {seed}, at {inputs:?}, {mode}: {numbers:?}, want {:?}, {want:?}\n{}{source}",
            case.answer.value,
            emit::COMMON
        ));
    }

    fn batch(&mut self, outcome: &Outcome, cases: &[Case]) {
        for case in cases {
            for mode in case.modes() {
                let start = format!("{} {mode} ", case.number);
                let line = outcome.stdout.lines().find_map(|line| line.strip_prefix(&start));
                self.line(line.unwrap_or("nothing printed"), case, mode);
            }
        }
    }
}

/// The programs from `AUTODIFF_TESTS_SEED` on, with their answers.
fn cases(count: usize) -> Vec<Case> {
    let first = setting("AUTODIFF_TESTS_SEED", 1);
    let found = (first..).filter_map(Case::of).take(count).enumerate();
    found.map(|(number, case)| Case { number, ..case }).collect()
}

/// Builds and runs programs in batches of this size.
fn check(cases: &[Case], batch: usize, profile: &[&str]) -> Count {
    let mut counted = Count::default();
    for (number, batch) in cases.chunks(batch).enumerate() {
        let project =
            Project::package(&format!("programs{}", number % 4), &[("src/main.rs", &source(batch))]);
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
    let (skipped, cases): (Vec<_>, Vec<_>) =
        cases(count).into_iter().partition(|case| !all && known.contains(&case.seed));
    let modes = |cases: &[Case]| cases.iter().map(|case| case.modes().len()).sum::<usize>();
    let (skipped, total) = (modes(&skipped), modes(&skipped) + modes(&cases));
    for profile in PROFILES {
        let Count { right, refused, wrong } = check(&cases, if all { BATCH } else { count }, profile);
        println!(
            "{profile:?}: {right} right, {} refused, {skipped} skipped, {} wrong",
            refused.len(),
            wrong.len()
        );
        for refusal in &refused {
            println!("refused: {refusal}");
        }
        assert!(wrong.is_empty(), "{profile:?}: {} wrong:\n{}", wrong.len(), wrong.join("\n"));
        let refused = refused.len() + skipped;
        assert!(refused * 100 <= LIMIT * total, "{refused} of {total} refused");
    }
}
