use autodiff::{autodiff_forward, autodiff_reverse};

#[autodiff_reverse]
fn bare(x: f64) -> f64 {
    x
}

#[autodiff_reverse()]
fn empty(x: f64) -> f64 {
    x
}

#[autodiff_reverse(d_unknown, Constant, Aktive)]
fn unknown(x: f64) -> f64 {
    x
}

#[autodiff_forward(d_wide, 4294967296, Dual, Dual)]
fn wide(x: f64) -> f64 {
    x
}

#[autodiff_reverse(d_structure, Active)]
struct Structure;

fn main() {
    bare(empty(unknown(wide(1.0))));
}
