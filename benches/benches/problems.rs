//! The field's benchmark problems: gradients against their functions, against adjoints written by hand, and against
//! other crates.
//!
//! ```console
//! $ cargo autodiff bench -p autodiff-benches --bench problems
//! $ cargo autodiff bench -p autodiff-benches --bench problems --features peers -- GMM --json
//! ```

use std::hint::black_box;

use autodiff_benches::problems::{Problem, ba, brusselator, fft, gmm, lse, lstm, mlp};
use autodiff_benches::{Ratio, Row};

fn main() {
    let mut table = Table::of_arguments();
    table.compare::<gmm::Gmm>("GMM");
    table.compare::<gmm::ByIterators>("GMM, iterators");
    table.compare::<lstm::Lstm>("LSTM");
    table.compare::<ba::Ba>("BA Jacobian");
    table.compare::<brusselator::Change>("RHS vjp");
    table.compare::<brusselator::Energy>("ODE");
    table.compare::<fft::Fft>("FFT");
    table.compare::<mlp::Mlp>("MLP");
    table.compare::<lse::Lse>("LSE");
    #[cfg(feature = "peers")]
    peers(&mut table);
}

/// What is measured, and how it is shown.
struct Table {
    /// `cargo test --benches` only looks whether gradients are right.
    measures: bool,
    json: bool,
    only: Option<String>,
    started: bool,
}

impl Table {
    fn of_arguments() -> Self {
        let has = |name: &str| std::env::args().any(|argument| argument == name);
        let only = std::env::args().skip(1).find(|argument| !argument.starts_with('-'));
        Self { measures: has("--bench"), json: has("--json"), only, started: false }
    }

    fn wants(&self, name: &str) -> bool {
        self.only.as_ref().is_none_or(|only| name.contains(&**only))
    }

    /// Makes sure that the gradient is right, and prints a row.
    fn compare<P: Problem + Default>(&mut self, name: &str) {
        if !self.wants(name) {
            return;
        }
        let problem = P::default();
        let error = problem.error();
        assert!(error < 1e-9, "{name}: the gradient is off by {error:e}");
        if !self.measures {
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
        self.print(&Row::of(name, &to_primal, &to_hand));
    }

    /// Makes sure that another crate's gradient is of the same function, and prints a row.
    #[cfg(feature = "peers")]
    fn against<P: Problem>(&mut self, name: &str, problem: &P, mut theirs: impl FnMut() -> P::Shadow) {
        if !self.wants(name) {
            return;
        }
        let mut shadow = problem.zero();
        problem.by_hand(&mut shadow);
        let near = |(a, b): (&f64, &f64)| (a - b).abs() < 1e-6 * (1.0 + b.abs());
        let same = P::components(&theirs()).iter().zip(&P::components(&shadow)).all(near);
        assert!(same, "{name} is another function");
        if self.measures {
            let ours = || {
                black_box(problem).gradient(&mut shadow);
                black_box(&shadow);
            };
            let ratio = Ratio::few(ours, || _ = black_box(theirs()));
            self.print(&Row::of_peer(name, &ratio));
        }
    }

    fn print(&mut self, row: &Row) {
        if self.json {
            return println!("{}", row.json());
        }
        if !std::mem::replace(&mut self.started, true) {
            println!("{:24} {:>13} {:>13} {:>9} {:>9}", "problem", "primal", "gradient", "ratio", "to hand");
        }
        println!("{row}");
    }
}

/// Other crates: our gradient in the place of the function, theirs in the place of the gradient.
#[cfg(feature = "peers")]
fn peers(table: &mut Table) {
    use autodiff_benches::peers;

    let gmm = gmm::Gmm::default();
    table.against("GMM by num-dual", &gmm, || peers::gmm::by_num_dual(black_box(&gmm)));
    table.against("GMM by ad_trait", &gmm, || peers::gmm::by_ad_trait(black_box(&gmm)));
    let ba = ba::Ba::default();
    table.against("BA Jacobian by num-dual", &ba, || peers::ba::by_num_dual(black_box(&ba)));
}
