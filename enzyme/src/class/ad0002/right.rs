fn main() {
    let wave: fn(f64) -> f64 = [f64::cos, f64::sin][std::env::args().count() - 1];
    let f = |x: f64| wave(x) * x;
    assert_eq!(autodiff::derivative(f, 0.0), 1.0);
}
