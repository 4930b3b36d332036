use std::collections::HashMap;
use std::rc::Rc;

use autodiff::{Differentiable, gradient, jvp};

struct Plain {
    x: f64,
}

#[derive(Differentiable)]
struct Sharing {
    x: f64,
    table: Rc<f64>,
}

#[derive(Differentiable)]
struct Skipping {
    x: f64,
    #[autodiff(skip)]
    table: HashMap<String, f64>,
}

fn main() {
    // No derive.
    gradient(|p: &Plain| p.x, &Plain { x: 1.0 });
    // A field without tangents.
    gradient(|p: &Sharing| p.x * *p.table, &Sharing { x: 1.0, table: Rc::new(1.0) });
    // What is skipped could hold floats, too.
    gradient(|p: &Skipping| p.x, &Skipping { x: 1.0, table: HashMap::new() });
    // A reference to a slice.
    let x: &[f64] = &[1.0];
    gradient(|x: &&[f64]| x[0], &x);
    // A result without tangents.
    jvp(|x: &f64| Rc::new(*x), &1.0, &1.0);
    // A tangent of another type.
    jvp(|x: &f64| *x, &1.0, &1);
}
