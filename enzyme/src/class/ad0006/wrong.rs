fn f(x: f64) -> f64 {
    f64::from_bits(x.to_bits() / 3 + (1023 << 51)) * x
}

fn main() {
    println!("{}", autodiff::derivative(f, 4.0));
}
