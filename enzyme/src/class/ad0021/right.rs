use std::collections::HashMap;

fn f(x: &[f64]) -> f64 {
    let map: HashMap<&str, usize> = ["a", "b"].into_iter().zip(0..).collect();
    x[map["a"]] * x[map["b"]]
}

fn main() {
    assert_eq!(autodiff::gradient(f, &[2.0, 3.0][..]), [3.0, 2.0]);
}
