//! Measures three functions and their gradients, then prints how many times longer the gradients take; and gradients
//! of three loops against those of the same loops without checks that can panic.
//!
//! ```console
//! $ cargo autodiff bench -p autodiff-benches
//! ```

use std::hint::black_box;

use autodiff::value_and_gradient;
use autodiff_benches::Ratio;
use autodiff_benches::functions::{INPUTS, WEIGHTS, inner_product, network_loss, population_distance};
use autodiff_benches::guards::{
    SIDE, growth, growth_unchecked, product, product_unchecked, stencil, stencil_unchecked,
};
use criterion::Criterion;

const VECTOR: usize = 1000;
const BATCH: usize = 32;

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    let vector = wave(VECTOR);
    let inputs = wave(INPUTS * BATCH);
    let targets = wave(BATCH);
    let rates = [1.1, 0.4, 0.1, 0.4, 10.0, 5.0];

    let rows = [
        measure(&mut criterion, "inner product", &wave(VECTOR), |x| inner_product(x, &vector)),
        measure(&mut criterion, "dense network", &wave(WEIGHTS), |w| network_loss(w, &inputs, &targets)),
        measure(&mut criterion, "ODE loop", &rates, |p| population_distance(p, [9.0, 4.0])),
    ];
    criterion.final_summary();

    println!("\nfunction             primal     gradient   ratio");
    for row in rows.iter().flatten() {
        println!("{row}");
    }
    print_guards();
}

/// Gradients of loops with checks against those without.
fn print_guards() {
    if !measures() {
        return;
    }
    println!("\nloop              unchecked      checked   ratio  (of the functions)");
    let (matrices, vector) = (wave(2 * SIDE * SIDE), wave(VECTOR));
    print_guard("stencil", &vector, stencil_unchecked, stencil);
    print_guard("matrix product", &matrices, product_unchecked, product);
    print_guard("growing vector", &vector, growth_unchecked, growth);
}

fn print_guard(name: &str, x: &[f64], without: impl Fn(&[f64]) -> f64, with: impl Fn(&[f64]) -> f64) {
    let primals =
        Ratio::measure(|| _ = black_box(without(black_box(x))), || _ = black_box(with(black_box(x))));
    let gradients = Ratio::measure(
        || _ = black_box(value_and_gradient(&without, black_box(x))),
        || _ = black_box(value_and_gradient(&with, black_box(x))),
    );
    println!("{name:14} {gradients} {:7.2}", primals.ratio);
}

/// Whether the program is run to measure: `cargo test` only tries each function once.
fn measures() -> bool {
    std::env::args().any(|argument| argument == "--bench")
}

/// Benches `f` and its gradient each for itself, then one against the other for a row of the table.
///
/// There is no row when the program is not run to measure.
fn measure(criterion: &mut Criterion, name: &str, x: &[f64], f: impl Fn(&[f64]) -> f64) -> Option<String> {
    let primal = || f(black_box(x));
    let gradient = || value_and_gradient(&f, black_box(x));

    let mut group = criterion.benchmark_group(name);
    group.bench_function("primal", |bencher| bencher.iter(primal));
    group.bench_function("gradient", |bencher| bencher.iter(gradient));
    group.finish();

    measures().then(|| {
        let ratio = Ratio::measure(|| _ = black_box(primal()), || _ = black_box(gradient()));
        format!("{name:14} {ratio}")
    })
}

/// Numbers between -0.3 and 0.3 that are all different.
fn wave(count: usize) -> Vec<f64> {
    (0..count).map(|i| 0.3 * (1.0 + 0.7 * i as f64).sin()).collect()
}
