use autodiff::autodiff_reverse;

#[autodiff_reverse(d_cube, Active, Active)]
fn cube(x: f64) -> f64 {
    x * x * x
}

#[autodiff_reverse(d_sum, Duplicated, Active)]
fn sum(x: &[f64]) -> f64 {
    x.iter().sum()
}

fn main() {
    // The seed is missing.
    d_cube(2.0);
    // The shadow is not mutable.
    d_sum(&[1.0], &[0.0], 1.0);
}
