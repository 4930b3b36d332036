fn f(x: &[f64]) -> f64 {
    x.get(5).unwrap_or(&3.0) * x[0]
}

fn main() {
    let n = std::env::args().count();
    println!("{}", autodiff::derivative(|t: f64| f(&vec![t; n]), 1.0));
}
