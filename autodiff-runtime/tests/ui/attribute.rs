use autodiff::{autodiff_forward, autodiff_reverse};

#[autodiff_reverse]
fn bare(x: f64) -> f64 {
    x
}

#[autodiff_reverse()]
fn empty(x: f64) -> f64 {
    x
}

#[autodiff_reverse = ""]
fn equals(x: f64) -> f64 {
    x
}

#[autodiff_reverse("d_text", Active, Active)]
fn text(x: f64) -> f64 {
    x
}

#[autodiff_reverse(derivatives::d_path, Active, Active)]
fn path(x: f64) -> f64 {
    x
}

#[autodiff_reverse(Active, Active)]
fn nameless(x: f64) -> f64 {
    x
}

#[autodiff_reverse(_, Active, Active)]
fn blank(x: f64) -> f64 {
    x
}

#[autodiff_reverse(d_unknown, Constant, Aktive)]
fn unknown(x: f64) -> f64 {
    x
}

#[autodiff_reverse(d_tokens, 1.5, activities::Active, Active)]
fn tokens(x: f64) -> f64 {
    x
}

#[autodiff_reverse(d_gap, Active, , Active)]
fn gap(x: f64) -> f64 {
    x
}

#[autodiff_reverse(d_crate, Active, Active, crate = 1)]
fn where_the_runtime_is(x: f64) -> f64 {
    x
}

#[autodiff_forward(d_wide, 4294967296, Dual, Dual)]
fn wide(x: f64) -> f64 {
    x
}

#[autodiff_forward(d_narrow, 0, Dual, Dual)]
fn narrow(x: f64) -> f64 {
    x
}

#[autodiff_forward(d_broad, 1025, Dual, Dual)]
fn broad(x: f64) -> f64 {
    x
}

#[autodiff_forward(d_late, Dual, 2, Dual)]
fn late(x: f64) -> f64 {
    x
}

fn main() {
    bare(empty(equals(text(path(nameless(blank(unknown(tokens(gap(1.0))))))))));
    where_the_runtime_is(wide(narrow(broad(late(1.0)))));
    // No errors of their own: the names exist.
    d_unknown(d_wide(1.0));
}
