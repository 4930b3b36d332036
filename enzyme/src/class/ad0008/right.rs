fn f(x: f64, last: f64) -> f64 {
    last * x
}

fn main() {
    assert_eq!(autodiff::derivative(|x| f(x, 2.0), 3.0), 2.0);
}
