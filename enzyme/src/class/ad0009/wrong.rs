fn f(x: f64) -> f64 {
    let root = || if x < 0.0 { panic!("negative") } else { x.sqrt() };
    std::panic::catch_unwind(root).unwrap_or(0.0)
}

fn main() {
    println!("{}", autodiff::derivative(f, 4.0));
}
