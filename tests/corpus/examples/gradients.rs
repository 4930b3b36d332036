//! Differentiates every case and prints, for each, `NAME ok`, `NAME wrong: ...` or `NAME refused: ...`.
//!
//! Each case runs in a process of its own, so that one which crashes is a line among the others. Build it with
//! `cargo autodiff run --defer-errors`: a derivative that cannot be made then panics with the reason when called.

use std::env;
use std::panic::{self, AssertUnwindSafe};
use std::process::{Command, ExitCode, Stdio};

use corpus::{NAMES, Visitor};

/// Values and central-difference gradients, as `reference` prints them.
const EXPECTED: &str = include_str!("../expected.txt");

fn main() -> ExitCode {
    let names: Vec<String> = env::args().skip(1).collect();
    match names.as_slice() {
        [mode, name] if mode == "--case" => {
            panic::set_hook(Box::new(|_| {}));
            corpus::all(&mut One { name });
            ExitCode::SUCCESS
        }
        [] => in_processes(NAMES.iter().copied()),
        chosen => in_processes(chosen.iter().map(String::as_str)),
    }
}

fn in_processes<'a>(names: impl Iterator<Item = &'a str>) -> ExitCode {
    let program = env::current_exe().expect("path of this program");
    for name in names {
        let run = Command::new(&program).args(["--case", name]).stderr(Stdio::null()).output();
        let output = run.expect("this program starts again");
        let line = String::from_utf8_lossy(&output.stdout);
        match line.lines().find(|line| line.starts_with(name)) {
            Some(line) => println!("{line}"),
            None => println!("{name} wrong: it ended with {}", output.status),
        }
    }
    ExitCode::SUCCESS
}

/// Looks at the case of this name only.
struct One<'a> {
    name: &'a str,
}

impl Visitor for One<'_> {
    fn case<F: Fn(&[f64]) -> f64>(&mut self, name: &str, x: &[f64], step: f64, tol: f64, f: F) {
        if name != self.name {
            return;
        }
        let derivative = || autodiff::value_and_gradient(|x: &[f64]| f(x), x);
        match panic::catch_unwind(AssertUnwindSafe(derivative)) {
            Err(payload) => println!("{name} refused: {}", one_line(&payload)),
            Ok((value, gradient)) => {
                let (want_value, want_gradient) = expected(name);
                let slopes: Vec<f64> = (0..x.len()).map(|i| slope(&f, x, i, step)).collect();
                if !near(&[value], &[want_value], 1e-6) {
                    println!("{name} wrong: value {value}, want {want_value}");
                } else if !near(&gradient, &want_gradient, tol) {
                    println!("{name} wrong: {gradient:?}, want {want_gradient:?}");
                } else if !near(&gradient, &slopes, tol) {
                    println!("{name} wrong: {gradient:?}, differences {slopes:?}");
                } else {
                    println!("{name} ok");
                }
            }
        }
    }
}

fn near(got: &[f64], want: &[f64], tolerance: f64) -> bool {
    let close = |(g, w): (&f64, &f64)| (g - w).abs() <= tolerance * (1.0 + w.abs());
    got.len() == want.len() && got.iter().zip(want).all(close)
}

fn slope(f: impl Fn(&[f64]) -> f64, x: &[f64], i: usize, step: f64) -> f64 {
    let (mut above, mut below) = (x.to_vec(), x.to_vec());
    above[i] += step;
    below[i] -= step;
    (f(&above) - f(&below)) / (2.0 * step)
}

/// Reads `NAME VALUE [SLOPE, SLOPE, ...]`.
fn expected(name: &str) -> (f64, Vec<f64>) {
    let number = |text: &str| text.trim().parse().expect("a number in expected.txt");
    let line = EXPECTED.lines().find(|line| line.split(' ').next() == Some(name));
    let (value, slopes) =
        line.and_then(|line| line[name.len()..].split_once('[')).expect("a line for each case");
    (number(value), slopes.trim_end_matches(']').split(',').map(number).collect())
}

fn one_line(payload: &Box<dyn std::any::Any + Send>) -> String {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("a panic without a text");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
