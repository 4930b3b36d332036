//! How time and memory of gradients grow: with the steps of a loop, and with the number of parameters.
//!
//! ```console
//! $ cargo autodiff bench -p autodiff-benches --bench growth
//! ```
//!
//! Each size is measured in a process of its own, whose largest memory is known (on Linux). With `--json`, each line is
//! an object.

use std::hint::black_box;
use std::process::Command;

use autodiff_benches::Ratio;

/// What grows, and how far.
const GROWING: [(&str, &[usize]); 2] = [
    ("steps", &[1_000, 10_000, 100_000, 1_000_000, 10_000_000]),
    ("parameters", &[10, 100, 1_000, 10_000, 100_000, 1_000_000]),
];

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let has = |name: &str| arguments.iter().any(|argument| argument == name);
    if let [_, flag, what, size, ..] = &arguments[..]
        && flag == "--one"
    {
        return one(what, size.parse().expect("a size"), has("--json"));
    }
    // `cargo test --benches` only looks whether it runs.
    let most = if has("--bench") { usize::MAX } else { 1_000 };
    for (what, sizes) in GROWING {
        for size in sizes.iter().filter(|size| **size <= most) {
            let mut child = Command::new(std::env::current_exe().expect("this program has a path"));
            child.args(["--one", what, &size.to_string()]).args(has("--json").then_some("--json"));
            assert!(child.status().expect("it can be started").success(), "{size} {what}");
        }
    }
}

/// Measures one size.
fn one(what: &str, size: usize, json: bool) {
    let ratio = match what {
        "steps" => {
            let f = |x: &[f64]| pendulum(x, size);
            measure(f, &[1.0, 0.3])
        }
        _ => measure(chain, &(0..size).map(|i| (i as f64).sin()).collect::<Vec<f64>>()),
    };
    let (primal, gradient) = (ratio.primal, ratio.gradient);
    let peak = peak().map_or("null".to_owned(), |bytes| bytes.to_string());
    if json {
        println!(
            r#"{{"what":"{what}","size":{size},"primal":{primal:e},"gradient":{gradient:e},"peak":{peak}}}"#
        );
    } else {
        println!(
            "{size:10} {what:10} {:12.2} µs {:12.2} µs {:7.2} {peak:>12} bytes",
            1e6 * primal,
            1e6 * gradient,
            ratio.ratio
        );
    }
}

fn measure(f: impl Fn(&[f64]) -> f64, x: &[f64]) -> Ratio {
    let mut slopes = vec![0.0; x.len()];
    Ratio::few(
        || _ = black_box(f(black_box(x))),
        || {
            autodiff::gradient_into(&f, black_box(x), &mut slopes);
            black_box(&slopes);
        },
    )
}

/// The energy of a damped pendulum after so many steps.
fn pendulum(x: &[f64], steps: usize) -> f64 {
    let (mut angle, mut speed) = (x[0], x[1]);
    for _ in 0..steps {
        speed -= 1e-3 * (angle.sin() + 0.1 * speed);
        angle += 1e-3 * speed;
    }
    0.5 * speed * speed - angle.cos()
}

/// Neighbours of a chain.
fn chain(x: &[f64]) -> f64 {
    x.windows(2).map(|x| x[0].sin() * x[1] + (x[1] - x[0]).powi(2)).sum()
}

/// The most memory that this process has had, in bytes.
fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(1024 * line.trim().strip_suffix(" kB")?.parse::<u64>().ok()?)
}
