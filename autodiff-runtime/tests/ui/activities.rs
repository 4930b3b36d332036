use autodiff::{autodiff_forward, autodiff_reverse};

#[autodiff_reverse(d_many, Active, Active, Const)]
fn many(x: f64) -> f64 {
    x
}

#[autodiff_reverse(d_few, Active, Active)]
fn few(x: f64, weights: &[f64]) -> f64 {
    x * weights[0]
}

#[autodiff_reverse(d_no_return, Active)]
fn no_return(x: f64) -> f64 {
    x
}

#[autodiff_reverse(d_unit, Active, Active)]
fn unit(_x: f64) {}

#[autodiff_reverse(d_dual, Dual, Active)]
fn dual(x: f64) -> f64 {
    x
}

#[autodiff_forward(d_duplicated, Duplicated, Active)]
fn duplicated(x: f64) -> f64 {
    x
}

#[autodiff_reverse(d_slice, Active, Active)]
fn slice(x: &[f64]) -> f64 {
    x[0]
}

fn main() {
    many(1.0);
    few(1.0, &[]);
    no_return(1.0);
    unit(1.0);
    dual(1.0);
    duplicated(1.0);
    slice(&[1.0]);
    // No errors of their own: the names exist.
    d_many(1.0);
    d_few(1.0, &[]);
    d_dual(1.0);
}
