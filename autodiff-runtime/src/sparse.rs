//! Jacobians and Hessians most of whose elements are zero.
//!
//! Columns that have no row in common are computed together, in one forward pass: the pattern says which
//! do, and a colouring of the columns says which are taken together. (Curtis, Powell and Reid 1974; Gebremedhin,
//! Manne and Pothen 2005, "What color is your Jacobian?".) A tridiagonal Jacobian of any size takes three.
//!
//! # Examples
//!
//! Derivatives exist only in a program that `cargo autodiff` built, so this one is not run here:
//!
//! ```no_run
//! use autodiff::sparse::{self, Pattern};
//!
//! // Heat in a rod: each point is pulled by its neighbours.
//! let flow = |x: &[f64]| -> Vec<f64> {
//!     let at = |i: usize| x.get(i).copied().unwrap_or(0.0);
//!     (0..x.len()).map(|i| at(i.wrapping_sub(1)) - 2.0 * x[i] + at(i + 1)).collect()
//! };
//! let x = vec![1.0; 1000];
//! let near = |i: usize| (i.saturating_sub(1)..(i + 2).min(1000)).map(move |j| (i, j));
//! let pattern = Pattern::new(1000, 1000, (0..1000).flat_map(near));
//! assert_eq!(pattern.colours(), 3);
//! let jacobian = sparse::jacobian(flow, &x[..], &pattern);
//! assert_eq!(jacobian.get(3, 3), -2.0);
//! ```

mod colouring;
mod matrix;
mod pattern;

pub use self::matrix::SparseMatrix;
pub use self::pattern::Pattern;
pub use crate::transform::sparse::{hessian, jacobian};
