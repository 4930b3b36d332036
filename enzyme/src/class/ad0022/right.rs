use autodiff::custom_rule;

#[custom_rule(Active, Active, reverse = slope, forward = slide)]
fn square(x: f64) -> f64 {
    x * x
}

fn slope(x: f64, _square: f64, seed: f64) -> f64 {
    2.0 * x * seed
}

fn slide(x: f64, tangent: f64) -> (f64, f64) {
    (x * x, 2.0 * x * tangent)
}

fn main() {
    assert_eq!(autodiff::derivative(square, 3.0), 6.0);
}
