fn f(x: &[f64]) -> f64 {
    x.get(5).copied().unwrap_or(3.0) * x[0]
}

fn main() {
    assert_eq!(autodiff::gradient(f, &[1.0, 2.0][..]), [3.0, 0.0]);
}
