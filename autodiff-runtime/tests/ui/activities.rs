use autodiff::{autodiff_forward, autodiff_reverse};

#[autodiff_reverse(d_many, Active, Active, Const)]
fn many(x: f64) -> f64 {
    x
}

#[autodiff_reverse(d_few, Active, Active)]
fn few(x: f64, weights: &[f64]) -> f64 {
    x * weights[0]
}

#[autodiff_reverse(d_none)]
fn none(x: f64) -> f64 {
    x
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

#[autodiff_reverse(d_active_only, ActiveOnly, Active)]
fn active_only(x: f64) -> f64 {
    x
}

#[autodiff_reverse(d_by_value, Duplicated, Active)]
fn by_value(x: f64) -> f64 {
    x
}

// Two mistakes in one place.
#[autodiff_forward(d_duplicated, Duplicated, Active)]
fn duplicated(x: f64) -> f64 {
    x
}

#[autodiff_reverse(d_slice, Active, Active)]
fn slice(x: &[f64]) -> f64 {
    x[0]
}

type Reference<'a> = &'a f64;

#[autodiff_reverse(d_alias, Duplicated, Active)]
fn alias(x: Reference<'_>) -> f64 {
    *x
}

#[autodiff_forward(d_packed, 2, Dualv, DualvOnly)]
fn packed(x: &[f64; 2]) -> f64 {
    x[0]
}

#[autodiff_forward(d_active_return, Dual, Active)]
fn active_return(x: f64) -> f64 {
    x
}

#[autodiff_reverse(d_dual_return, Active, Dual)]
#[autodiff_reverse(d_duplicated_return, Active, Duplicated)]
fn other_return(x: f64) -> f64 {
    x
}

#[autodiff_forward(d_packed_return, 2, Dual, Dualv)]
fn packed_return(x: f64) -> f64 {
    x
}

fn main() {
    many(none(no_return(dual(active_only(by_value(duplicated(1.0)))))));
    few(1.0, &[]);
    unit(slice(&[1.0]));
    packed(&[alias(&1.0), active_return(other_return(packed_return(1.0)))]);
    // No errors of their own: the names exist.
    d_many(1.0);
    d_few(1.0, &[]);
    d_dual(1.0);
}
