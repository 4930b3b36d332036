use autodiff::{custom_rule, inactive};

#[custom_rule(Active, Active)]
fn no_rule(x: f64) -> f64 {
    x
}

#[custom_rule(Active, reverse = reverse)]
fn too_few(x: f64) -> f64 {
    x
}

#[custom_rule(Dual, Active, reverse = reverse)]
fn unknown_activity(x: f64) -> f64 {
    x
}

#[custom_rule(Active, Active, backward = reverse)]
fn unknown_entry(x: f64) -> f64 {
    x
}

#[custom_rule(Active, Active, reverse = |x| x)]
fn closure(x: f64) -> f64 {
    x
}

#[custom_rule(Active, Duplicated, Const, Duplicated, reverse = reverse)]
fn activities_that_do_not_fit(x: &[f64], y: f64, z: &mut [f64]) -> f64 {
    z[0] = x[0];
    y
}

#[custom_rule(Const, Const, Active, reverse = reverse)]
fn texts_and_pointers(text: &str, pointer: *const f64) -> f64 {
    text.len() as f64
}

#[custom_rule(Duplicated, Const, reverse = reverse)]
fn reference(x: &[f64]) -> &f64 {
    &x[0]
}

struct Line(f64);

impl Line {
    #[custom_rule(Duplicated, Active, reverse = reverse)]
    fn method(&self) -> f64 {
        self.0
    }
}

#[custom_rule(Active, Active, reverse = reverse)]
const unsafe extern "C" fn qualified(x: f64) -> f64 {
    x
}

#[custom_rule(Active, Active, reverse = reverse)]
struct NoFunction;

#[inactive]
fn changes(x: &mut [f64]) {
    x[0] = 0.0;
}

#[inactive(reverse)]
fn argument(x: f64) -> f64 {
    x
}

#[inactive]
const fn constant(x: &[f64]) -> &f64 {
    &x[0]
}

fn main() {}
