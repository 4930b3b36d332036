//! The field's benchmark problems: gradients against their functions, and against adjoints written by hand.
//!
//! ```console
//! $ cargo autodiff bench -p autodiff-benches --bench problems
//! ```

use std::hint::black_box;

use autodiff_benches::Ratio;
use autodiff_benches::problems::{Problem, ba, brusselator, gmm, lstm};

fn main() {
    // `cargo test --benches` only looks whether gradients are right.
    let measures = std::env::args().any(|argument| argument == "--bench");
    if measures {
        println!("problem        primal       gradient   gradient / primal   gradient / by hand");
    }
    compare::<gmm::Gmm>("GMM", measures);
    compare::<lstm::Lstm>("LSTM", measures);
    compare::<ba::Ba>("BA Jacobian", measures);
    compare::<brusselator::Change>("RHS vjp", measures);
    compare::<brusselator::Energy>("ODE", measures);
}

/// Makes sure that the gradient is right, and prints a row of the table.
fn compare<P: Problem + Default>(name: &str, measures: bool) {
    let only = std::env::args().skip(1).find(|argument| !argument.starts_with('-'));
    if only.is_some_and(|only| !name.contains(&only)) {
        return;
    }
    let problem = P::default();
    let error = problem.error();
    assert!(error < 1e-9, "{name}: the gradient is off by {error:e}");
    if !measures {
        return;
    }
    let mut shadow = problem.zero();
    let mut gradient = || {
        black_box(&problem).gradient(&mut shadow);
        black_box(&shadow);
    };
    let to_primal = Ratio::measure(|| _ = black_box(black_box(&problem).primal()), &mut gradient);
    let mut adjoint = problem.zero();
    let by_hand = || {
        black_box(&problem).by_hand(&mut adjoint);
        black_box(&adjoint);
    };
    let to_hand = Ratio::measure(by_hand, &mut gradient);
    println!("{name:14} {to_primal} {:7.2}", to_hand.ratio);
}
