use autodiff::custom_rule;

#[custom_rule(Active, Active, reverse = slope)]
fn square(x: f64) -> f64 {
    x * x
}

fn slope(x: f64, _square: f64, seed: f64) -> f64 {
    2.0 * x * seed
}

fn main() {
    println!("{}", autodiff::derivative(square, 3.0));
}
