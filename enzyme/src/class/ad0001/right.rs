fn drag(speed: f64) -> f64 {
    0.5 * speed * speed
}

fn power(speed: f64) -> f64 {
    drag(speed) * speed
}

fn main() {
    assert_eq!(autodiff::derivative(power, 2.0), 6.0);
}
