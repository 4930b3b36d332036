//! Finds the minimum of Rosenbrock's function by gradient descent.
//!
//! The function is plain Rust. Its gradient comes from Enzyme:
//!
//! ```text
//! cargo autodiff run -p rosenbrock
//! ```

use autodiff::{autodiff_reverse, value_and_gradient};

/// Rosenbrock's valley in any number of dimensions. The minimum is 0, at (1, 1, …).
fn rosenbrock(x: &[f64]) -> f64 {
    x.windows(2).map(|pair| 100.0 * (pair[1] - pair[0].powi(2)).powi(2) + (1.0 - pair[0]).powi(2)).sum()
}

/// The same in two dimensions. The attribute makes `d_valley(x, y, seed) -> (value, d/dx, d/dy)`.
#[autodiff_reverse(d_valley, Active, Active, Active)]
fn valley(x: f64, y: f64) -> f64 {
    100.0 * (y - x * x).powi(2) + (1.0 - x).powi(2)
}

fn main() {
    let (value, dx, dy) = d_valley(-1.2, 1.0, 1.0);
    println!("at (-1.2, 1): value {value:.1}, gradient ({dx:.1}, {dy:.1})");

    let start = [-1.2, 1.0, -1.2, 1.0];
    let minimum = descend(rosenbrock, &start);
    println!("minimum at {minimum:.4?}");
}

/// Gradient descent from `start` until the gradient all but vanishes.
fn descend(f: impl Fn(&[f64]) -> f64, start: &[f64]) -> Vec<f64> {
    let mut x = start.to_vec();
    let mut step = 1.0;
    for iteration in 0..50_000 {
        let (value, gradient) = value_and_gradient(&f, &x);
        let slope: f64 = gradient.iter().map(|g| g * g).sum();
        let done = slope.sqrt() < 1e-6;
        if done || iteration % 2000 == 0 {
            println!("{iteration:6}  value {value:.3e}  |gradient| {:.3e}", slope.sqrt());
        }
        if done {
            break;
        }
        // Halve the step until it lowers the value by half of what the slope promises.
        step *= 2.0;
        x = loop {
            let next: Vec<f64> = x.iter().zip(&gradient).map(|(x, g)| x - step * g).collect();
            if f(&next) <= value - 0.5 * step * slope || step < 1e-12 {
                break next;
            }
            step /= 2.0;
        };
    }
    x
}
