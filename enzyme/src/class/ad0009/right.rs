fn f(x: f64) -> f64 {
    let root = || if x < 0.0 { None } else { Some(x.sqrt()) };
    root().unwrap_or(0.0)
}

fn main() {
    assert_eq!(autodiff::derivative(f, 4.0), 0.25);
}
