use autodiff::{custom_rule, inactive};

#[custom_rule(Duplicated, Active, Const, Active, reverse = too_few, forward = without_tangents)]
fn force(x: &[f64], scale: f64, n: usize) -> f64 {
    x[n] * scale
}

fn too_few(x: &[f64], dx: &mut [f64], scale: f64, n: usize, seed: f64) -> f64 {
    dx[n] += scale * seed;
    x[n] * seed
}

fn without_tangents(x: &[f64], scale: f64, n: usize) -> f64 {
    x[n] * scale
}

#[custom_rule(Active, Active, reverse = wrong_result)]
fn square(x: f64) -> f64 {
    x * x
}

fn wrong_result(x: f64, _: f64, seed: f64) -> f32 {
    (2.0 * x * seed) as f32
}

#[custom_rule(Active, Active, reverse = missing)]
fn unknown(x: f64) -> f64 {
    x
}

#[custom_rule(Duplicated, Active, reverse = sum_reverse)]
fn owned(x: &Vec<f64>) -> f64 {
    x.iter().sum()
}

fn sum_reverse(_: &Vec<f64>, dx: &mut Vec<f64>, _: f64, seed: f64) {
    dx.iter_mut().for_each(|dx| *dx += seed);
}

struct Config(f64);

#[custom_rule(Const, Active, Active, reverse = configured_reverse)]
fn not_cloned(config: &Config, x: f64) -> f64 {
    config.0 * x
}

fn configured_reverse(config: &Config, _: f64, _: f64, seed: f64) -> f64 {
    config.0 * seed
}

#[inactive]
fn text(x: f64) -> String {
    x.to_string()
}

fn main() {}
