use std::sync::atomic::{AtomicU64, Ordering};

fn f(x: f64) -> f64 {
    let last = AtomicU64::new(x.to_bits());
    f64::from_bits(last.swap((x * x).to_bits(), Ordering::Relaxed)) * x
}

fn main() {
    println!("{}", autodiff::derivative(f, 3.0));
}
