use std::sync::LazyLock;

fn f(x: f64) -> f64 {
    let square = LazyLock::new(|| x * x);
    *square * x
}

fn main() {
    println!("{}", autodiff::derivative(f, 3.0));
}
