fn f(x: f64) -> f64 {
    let square = Box::new(x * x);
    *square + x
}

fn main() {
    assert_eq!(autodiff::derivative(f, 3.0), 7.0);
}
