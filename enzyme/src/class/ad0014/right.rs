fn f(x: f64) -> f64 {
    let factor: f64 = "0.5".parse().unwrap();
    println!("{x:.2}");
    factor * x * x
}

fn main() {
    assert_eq!(autodiff::derivative(f, 3.0), 3.0);
}
