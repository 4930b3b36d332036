use std::collections::HashMap;

fn f(x: &[f64]) -> f64 {
    let map: HashMap<&str, f64> = ["a", "b"].into_iter().zip(x.iter().copied()).collect();
    map["a"] * map["b"]
}

fn main() {
    println!("{:?}", autodiff::gradient(f, &[2.0, 3.0][..]));
}
