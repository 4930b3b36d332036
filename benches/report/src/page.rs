//! `docs/performance.md`.

use std::fmt::Write as _;

use crate::build::{Builds, EXAMPLE};
use crate::measurement::{Growth, Problem};

/// The page.
pub(crate) fn written(problems: &[Problem], growth: &[Growth], builds: &Builds) -> String {
    let mut page = format!(
        "# What derivatives cost

Written by

```console
cargo run -p bench-report
```

on {machine}, {rustc}. Processor time of one thread; a work and the one it is compared with take turns, and the ratios
are medians over the rounds. The machine is shared: trust ratios rather than times.

## Gradients

The problems are plain, safe Rust ([the functions](../benches/src/problems)), and each gradient is checked against an
adjoint written by hand before it is timed. The panics of the function (index checks and the like) are kept in the
derivative and are part of these times. Build settings are cargo's defaults for `bench`.

| problem | function | gradient | gradient / function | gradient / by hand |
| --- | --- | --- | --- | --- |
",
        machine = machine(),
        rustc = rustc(),
    );
    for it in problems.iter().filter(|it| it.ratio.is_some()) {
        let ratio = |ratio: Option<f64>| ratio.map_or(String::new(), |ratio| format!("{ratio:.2}"));
        let Problem { name, primal, gradient, .. } = it;
        let (primal, gradient) = (time(*primal), time(*gradient));
        let (ratio, to_hand) = (ratio(it.ratio), ratio(it.to_hand));
        _ = writeln!(page, "| {name} | {primal} | {gradient} | {ratio} | {to_hand} |");
    }
    page += "
![The ratios as bars](performance-problems.png)

GMM, LSTM and BA are `ADBench`'s, with 1000 points in 10 dimensions and 25 Gaussians; 2 layers and 1024 steps; 49
cameras, 7776 points and 31843 observations. \"RHS vjp\" is the right-hand side of a Brusselator on 32 × 32 cells, \"ODE\" 100
steps of it; \"FFT\" is one of 2^16 complex numbers, \"MLP\" a dense network with 64 hidden units over 64 samples, \"LSE\" the
logarithm of a sum of 100,000 exponentials.

## Other crates

The same functions written for their numbers ([the code](../benches/src/peers)), compared in one process, all built with
`lto = \"fat\"` and one codegen unit: `num-dual` is some ten times slower without.

| problem | ours | theirs | theirs / ours |
| --- | --- | --- | --- |
";
    for it in problems {
        let Some(theirs) = it.theirs else { continue };
        _ = writeln!(page, "| {} | {} | {} | {theirs:.1} |", it.name, time(it.primal), time(it.gradient));
    }
    page += "
## Growth

A loop of so many steps, and a function of so many parameters; each size in a process of its own.

| | size | function | gradient | gradient / function | most memory |
| --- | --- | --- | --- | --- | --- |
";
    for it in growth {
        let Growth { what, size, primal, gradient, peak } = it;
        let peak = peak.map_or("unknown".to_owned(), |bytes| format!("{:.1} MB", bytes as f64 / 1e6));
        let (ratio, primal, gradient) = (gradient / primal, time(*primal), time(*gradient));
        _ = writeln!(page, "| {what} | {size} | {primal} | {gradient} | {ratio:.2} | {peak} |");
    }
    page += "
![Time and memory against size](performance-growth.png)

Memory grows with the steps because each keeps what its adjoint needs; [checkpoints](guide.md) trade it for time.
";
    let seconds = |duration: &std::time::Duration| format!("{:.1} s", duration.as_secs_f64());
    let Builds { plain, cold, again, stages } = builds;
    let more = 100.0 * (cold.as_secs_f64() / plain.as_secs_f64() - 1.0);
    _ = write!(
        page,
        "
## Builds

A release build of the example `{EXAMPLE}` with nothing built before takes {} by cargo alone and {} by `cargo autodiff`
({more:.0} % more), and {} once more with nothing to do. The derivative step, as `-v` prints it: {stages}.

A link whose derivatives are known already starts neither the worker nor Enzyme; a changed function redoes only the
programs that depend on it.
",
        seconds(plain),
        seconds(cold),
        seconds(again),
    );
    page
}

fn time(seconds: f64) -> String {
    match seconds {
        s if s < 1e-3 => format!("{:.2} µs", 1e6 * s),
        s if s < 1.0 => format!("{:.2} ms", 1e3 * s),
        s => format!("{s:.2} s"),
    }
}

/// The processor's name and the number of its cores.
fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = text.lines().find_map(|line| Some(line.strip_prefix("model name")?.split_once(':')?.1.trim()));
    format!("{cores} cores of {}", name.unwrap_or("an unknown processor"))
}

fn rustc() -> String {
    let output = std::process::Command::new("rustc").arg("--version").output();
    let version = output.ok().and_then(|output| String::from_utf8(output.stdout).ok());
    version.map_or("an unknown rustc".to_owned(), |version| version.trim().to_owned())
}
