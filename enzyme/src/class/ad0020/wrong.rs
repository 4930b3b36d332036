fn f(x: &[f64]) -> f64 {
    x.get(5).unwrap_or(&3.0) * x[0]
}

fn main() {
    println!("{:?}", autodiff::gradient(f, &[1.0, 2.0][..]));
}
