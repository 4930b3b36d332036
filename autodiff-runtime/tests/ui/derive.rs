use autodiff::Differentiable;

#[derive(Differentiable)]
#[autodiff(krate = autodiff)]
struct Misspelt {
    x: f64,
}

#[derive(Differentiable)]
struct Generic<T> {
    x: T,
}

struct Opaque;

#[derive(Differentiable)]
struct Skipping {
    #[autodiff(skipped)]
    x: f64,
}

fn main() {
    fn describes<T: autodiff::__private::Describe>(_: &T) {}
    describes(&Generic { x: Opaque });
    describes(&Misspelt { x: 1.0 });
    describes(&Skipping { x: 1.0 });
}
