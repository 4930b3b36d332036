fn main() {
    let f = |x: f64| {
        let square = x * x;
        square + x
    };
    assert_eq!(autodiff::derivative(f, 3.0), 7.0);
}
