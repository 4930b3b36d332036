use autodiff::autodiff_forward;

#[autodiff_forward(d_first, Dual, Dual)]
fn first(x: &[f64]) -> Option<&f64> {
    x.first()
}

fn main() {
    first(&[]);
}
