use autodiff::autodiff_reverse;

#[autodiff_reverse(taken, Active, Active)]
fn square(x: f64) -> f64 {
    x * x
}

fn taken() {}

fn main() {}
