use std::cell::Cell;

fn main() {
    let square = Cell::new(0.0);
    let f = |x: f64| {
        square.set(x * x);
        square.get() + x
    };
    println!("{}", autodiff::derivative(f, 3.0));
}
