//! A function of a C library in a gradient. Nothing is known of its body, but its adjoint is known: that of solving
//! linear equations is solving the transposed ones.
//!
//! A rod is heated along its length, and loses heat through a coat. How should the coat be, for the temperature to be
//! the same everywhere?

use autodiff::{custom_rule, value_and_gradient};

unsafe extern "C" {
    fn solve_tridiagonal(n: usize, diagonal: *const f64, beside: f64, x: *mut f64, scratch: *mut f64);
}

/// Solves the equations of a symmetric matrix with three diagonals; `x` holds the right-hand side, then the solution.
#[custom_rule(Duplicated, Const, Duplicated, reverse = solve_reverse)]
fn solve(diagonal: &[f64], beside: f64, x: &mut [f64]) {
    assert_eq!(diagonal.len(), x.len());
    let mut scratch = vec![0.0; x.len()];
    // SAFETY: all three have so many elements.
    unsafe {
        solve_tridiagonal(x.len(), diagonal.as_ptr(), beside, x.as_mut_ptr(), scratch.as_mut_ptr());
    }
}

/// `x` is the solution now, and `dx` how the result depends on it.
fn solve_reverse(diagonal: &[f64], d_diagonal: &mut [f64], beside: f64, x: &[f64], dx: &mut [f64]) {
    // By the right-hand side: the matrix is its own transpose.
    solve(diagonal, beside, dx);
    for ((d_diagonal, x), dx) in d_diagonal.iter_mut().zip(x).zip(dx) {
        *d_diagonal -= x * *dx;
    }
}

/// How far the temperature is from 1 in the mean, with a coat.
fn unevenness(coat: &[f64]) -> f64 {
    let along = |number: usize| number as f64 / coat.len() as f64;
    let mut heat: Vec<f64> = (0..coat.len()).map(|number| 1.0 + along(number).powi(2)).collect();
    let mut diagonal: Vec<f64> = coat.iter().map(|coat| 8.0 + coat.exp()).collect();
    // The ends have one neighbour.
    diagonal[0] -= 4.0;
    diagonal[coat.len() - 1] -= 4.0;
    solve(&diagonal, -4.0, &mut heat);
    heat.iter().map(|heat| (heat - 1.0).powi(2)).sum::<f64>() / coat.len() as f64
}

fn main() {
    let mut coat = vec![0.5; 6];
    let (_, slopes) = value_and_gradient(unevenness, &coat);
    rules::compare(&slopes, &rules::differences(unevenness, &coat));
    for round in 0..=1000 {
        let (value, slopes) = value_and_gradient(unevenness, &coat);
        if round % 250 == 0 {
            println!("round {round:4}: {value:.3e}");
        }
        coat.iter_mut().zip(&slopes).for_each(|(coat, slope)| *coat -= 3.0 * slope);
    }
    println!("coat {coat:.4?}");
    assert!(unevenness(&coat) < 1e-6, "the temperature is the same everywhere");
}
