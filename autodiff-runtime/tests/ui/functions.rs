use autodiff::autodiff_reverse;

#[autodiff_reverse(d_parts, Active, Active)]
fn parts((x, y): (f64, f64)) -> f64 {
    x * y
}

#[autodiff_reverse(d_later, Active, Active)]
async fn later(x: f64) -> f64 {
    x
}

#[autodiff_reverse(d_anything, Const, Active, Active)]
fn anything(f: impl Fn(f64) -> f64, x: f64) -> f64 {
    f(x)
}

#[autodiff_reverse(d_batch, 2, Active, Active)]
fn batch(x: f64) -> f64 {
    x
}

fn main() {}
