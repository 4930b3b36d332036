use autodiff::autodiff_reverse;

fn main() {
    #[autodiff_reverse(d_let, Active)]
    let x = 1.0;
    #[autodiff_reverse(d_closure, Active)]
    |x: f64| x;
    #[autodiff_reverse(d_expression, Active)]
    x + 1.0;
}
