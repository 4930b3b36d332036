fn f(x: f64) -> f64 {
    x.cbrt() * x
}

fn main() {
    assert_eq!(autodiff::derivative(f, 8.0), 8.0 / 3.0);
}
