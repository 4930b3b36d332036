fn main() {
    let wave: fn(f64) -> f64 = [f64::sin, f64::cos][std::env::args().count() - 1];
    let f = |x: f64| wave(x) * x;
    println!("{}", autodiff::derivative(f, 0.0));
}
