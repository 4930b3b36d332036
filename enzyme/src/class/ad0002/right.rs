fn slope(wave: impl Fn(f64) -> f64) -> f64 {
    let f = |x: f64| wave(x) * x;
    autodiff::derivative(f, 0.0)
}

fn main() {
    assert_eq!([slope(f64::sin), slope(f64::cos)], [0.0, 1.0]);
}
