unsafe extern "C" {
    safe fn drag(speed: f64) -> f64;
}

fn power(speed: f64) -> f64 {
    drag(speed) * speed
}

fn main() {
    println!("{}", autodiff::derivative(power, 3.0));
}
