//! Derivatives of ordinary Rust functions on stable Rust, made by Enzyme.
//!
//! Write a function, ask for its gradient, and build with `cargo autodiff` where you would build
//! with `cargo`:
//!
//! ```no_run
//! // Not run here: derivatives exist only in programs that `cargo autodiff` built.
//! let x = vec![1.0, 2.0, 3.0];
//! let (value, gradient) = autodiff::value_and_gradient(|x: &[f64]| x.iter().map(|v| v * v).sum(), &x);
//! assert_eq!(value, 14.0);
//! assert_eq!(gradient, [2.0, 4.0, 6.0]);
//! ```
//!
//! ```console
//! $ cargo autodiff run --release
//! ```
//!
//! There are no special number types. The tool takes the compiled code of the function and of all
//! that it calls, in whatever crate, and derives the code of the derivative from it.
//!
//! # Derivatives of closures
//!
//! | function | of | gives |
//! | --- | --- | --- |
//! | [`derivative`], [`value_and_derivative`] | `Fn(T) -> T` | the derivative |
//! | [`gradient`], [`value_and_gradient`] | `Fn(&X) -> T` | the gradient, an `X` |
//! | [`jvp`] | `Fn(&X) -> Y` | the tangent of the value, a `Y` |
//! | [`vjp`] | `Fn(&X) -> Y` | a [`Pullback`] from `Y` to `X` |
//! | [`jacobian`], [`value_and_jacobian`] | `Fn(&X) -> Y` | a [`Matrix`] |
//! | [`hvp`], [`gradient_and_hvp`] | `Fn(&X) -> T` | the Hessian times a vector, an `X` |
//! | [`hessian`] | `Fn(&X) -> T` | a [`Matrix`] |
//! | [`directional_second`], [`directional_derivatives`] | `Fn(&X) -> T` | derivatives along a line |
//!
//! `T` is `f32` or `f64`, `X` and `Y` are whatever is [`Differentiable`](trait@Differentiable): floats, arrays, vectors, tuples,
//! your own structs and enums. Functions of a `Vec<X>` take a slice `&[X]`, see [`Point`]. What a closure
//! captures is constant. Most have a form that reuses memory ([`gradient_into`]), and one that
//! returns an error where shapes differ ([`try_jvp`]). [`check_gradient`] and [`assert_gradient!`] are for tests.
//!
//! The [guide](https://github.com/cargo-autodiff/cargo-autodiff/blob/main/docs/guide.md) introduces
//! them one by one.
//!
//! [`parallel`] has the same for sums whose parts are computed by several threads, [`sparse`] for Jacobians and
//! Hessians that are mostly zero.
//!
//! # Derivatives of functions
//!
//! [`autodiff_reverse`] and [`autodiff_forward`] stand on a function and make its derivative a
//! function of its own, with a say in what happens to each argument. They are written like the
//! attributes of the same name in nightly Rust's `std::autodiff`.
//!
//! A user's own types can be arguments as they are; [`Differentiable`](derive@Differentiable) tells
//! more of them. Programs need the standard library, as this crate does, but crates with
//! `#![no_std]` may use the attributes.
//!
//! # Derivatives written by hand, or left out
//!
//! | item | for |
//! | --- | --- |
//! | [`custom_rule`] | functions whose derivative is known, or whose body is out of reach |
//! | [`inactive()`], [`stop_gradient`], [`inactive`](macro@inactive) | values that count as constant |
//! | [`checkpoint()`], [`checkpoint::repeat`] | computing again instead of keeping |
//!
//! # Without the tool
//!
//! A program built by plain `cargo` compiles without a warning, and so do editors and documentation
//! builds. Only when it calls a derivative, it panics, naming the function and the command to use.
//! So a derivative is never silently wrong.

mod attribute;
mod call;
mod check;
pub mod checkpoint;
mod describe;
mod differentiable;
mod inactive;
mod layout;
mod matrix;
#[cfg(feature = "offload")]
pub mod offload;
pub mod parallel;
mod point;
mod probe;
pub mod rule;
mod scalar;
mod shape;
mod site;
pub mod sparse;
pub mod tape;
mod transform;

/// # Examples
///
/// ```no_run
/// use autodiff::{Differentiable, autodiff_reverse};
///
/// #[derive(Differentiable)]
/// struct Layer {
///     name: &'static str,
///     weights: Vec<f64>,
///     bias: f64,
/// }
///
/// #[autodiff_reverse(d_output, Duplicated, Const, Active)]
/// fn output(layer: &Layer, x: &[f64]) -> f64 {
///     layer.weights.iter().zip(x).map(|(w, x)| w * x).sum::<f64>() + layer.bias
/// }
///
/// let layer = Layer { name: "first", weights: vec![1.0, 2.0], bias: 0.5 };
/// let mut gradient = Layer { name: "gradient", weights: vec![0.0; 2], bias: 0.0 };
/// // Not run here: derivatives exist only in programs that `cargo autodiff` built.
/// let value = d_output(&layer, &mut gradient, &[3.0, 4.0], 1.0);
/// assert_eq!(value, 11.5);
/// assert_eq!((gradient.weights, gradient.bias), (vec![3.0, 4.0], 1.0));
/// ```
pub use autodiff_macros::Differentiable;
/// # Examples
///
/// ```no_run
/// use autodiff::autodiff_forward;
///
/// #[autodiff_forward(d_power, Dual, Const, Dual)]
/// fn power(x: f64, n: i32) -> f64 {
///     x.powi(n)
/// }
///
/// // Not run here: derivatives exist only in programs that `cargo autodiff` built.
/// let (value, tangent) = d_power(2.0, 1.0, 3);
/// assert_eq!((value, tangent), (8.0, 12.0));
/// ```
///
/// Two directions at once:
///
/// ```no_run
/// use autodiff::autodiff_forward;
///
/// #[autodiff_forward(d_product, 2, Dual, DualOnly)]
/// fn product(x: &[f64; 2]) -> f64 {
///     x[0] * x[1]
/// }
///
/// let tangents: [f64; 2] = d_product(&[3.0, 4.0], &[1.0, 0.0], &[0.0, 1.0]);
/// assert_eq!(tangents, [4.0, 3.0]);
/// ```
pub use autodiff_macros::autodiff_forward;
/// # Examples
///
/// ```no_run
/// use autodiff::autodiff_reverse;
///
/// #[autodiff_reverse(d_loss, Duplicated, Const, Active)]
/// fn loss(w: &[f64], n: u32) -> f64 {
///     w.iter().map(|w| w * w).sum::<f64>() * f64::from(n)
/// }
///
/// // Not run here: derivatives exist only in programs that `cargo autodiff` built.
/// let mut gradient = [0.0, 0.0];
/// let value = d_loss(&[1.0, 2.0], &mut gradient, 3, 1.0);
/// assert_eq!(value, 15.0);
/// assert_eq!(gradient, [6.0, 12.0]);
/// ```
///
/// A method whose struct is differentiated, too, and a function that writes its results:
///
/// ```no_run
/// use autodiff::autodiff_reverse;
///
/// struct Line {
///     slope: f64,
///     height: f64,
/// }
///
/// impl Line {
///     #[autodiff_reverse(d_at, Duplicated, Active, Active)]
///     fn at(&self, x: f64) -> f64 {
///         self.slope * x + self.height
///     }
/// }
///
/// #[autodiff_reverse(d_polar, Duplicated, Duplicated)]
/// fn polar(x: &[f64; 2], polar: &mut [f64; 2]) {
///     *polar = [x[0].hypot(x[1]), x[1].atan2(x[0])];
/// }
///
/// let mut d_line = Line { slope: 0.0, height: 0.0 };
/// let (value, by_x) = Line { slope: 2.0, height: 1.0 }.d_at(&mut d_line, 3.0, 1.0);
/// assert_eq!((value, by_x, d_line.slope, d_line.height), (7.0, 2.0, 3.0, 1.0));
///
/// // How the distance from the origin, the first result, depends on the point.
/// let (mut d_point, mut result, mut seeds) = ([0.0; 2], [0.0; 2], [1.0, 0.0]);
/// d_polar(&[3.0, 4.0], &mut d_point, &mut result, &mut seeds);
/// assert_eq!((result[0], seeds), (5.0, [0.0; 2]));
/// assert!((d_point[0] - 0.6).abs() < 1e-12 && (d_point[1] - 0.8).abs() < 1e-12);
/// ```
///
/// Two seeds at once, each with gradients of its own:
///
/// ```no_run
/// use autodiff::autodiff_reverse;
///
/// #[autodiff_reverse(d_area, 2, Active, Active, Active)]
/// fn area(width: f64, height: f64) -> f64 {
///     width * height
/// }
///
/// let (value, by_width, by_height) = d_area(3.0, 4.0, [1.0, 10.0]);
/// assert_eq!((value, by_width, by_height), (12.0, [4.0, 40.0], [3.0, 30.0]));
/// ```
pub use autodiff_macros::autodiff_reverse;
/// # Examples
///
/// ```no_run
/// use autodiff::custom_rule;
///
/// /// The real root of `y * y * y + y = x`.
/// #[custom_rule(Active, Active, reverse = root_reverse, forward = root_forward)]
/// fn root(x: f64) -> f64 {
///     (0..60).fold(0.0, |y, _| y - (y * y * y + y - x) / (3.0 * y * y + 1.0))
/// }
///
/// fn root_reverse(_x: f64, y: f64, seed: f64) -> f64 {
///     seed / (3.0 * y * y + 1.0)
/// }
///
/// fn root_forward(x: f64, tangent: f64) -> (f64, f64) {
///     let y = root(x);
///     (y, tangent / (3.0 * y * y + 1.0))
/// }
///
/// // Not run here: derivatives exist only in programs that `cargo autodiff` built.
/// assert_eq!(autodiff::derivative(root, 10.0), 1.0 / 13.0);
/// ```
pub use autodiff_macros::custom_rule;
/// # Examples
///
/// ```no_run
/// use autodiff::inactive;
///
/// #[inactive]
/// fn digits(x: f64) -> usize {
///     format!("{x:.0}").len()
/// }
///
/// // Not run here: derivatives exist only in programs that `cargo autodiff` built.
/// assert_eq!(autodiff::derivative(|x: f64| x * digits(x) as f64, 123.0), 3.0);
/// ```
pub use autodiff_macros::inactive;
pub use check::{GradientError, check_gradient};
pub use checkpoint::checkpoint;
pub use differentiable::Differentiable;
pub use inactive::{inactive, stop_gradient};
pub use matrix::Matrix;
pub use point::{Point, View};
pub use scalar::{Element, Scalar};
pub use shape::ShapeError;
pub use transform::{
    Hessian, Jacobian, Pullback, derivative, directional_derivatives, directional_second, gradient,
    gradient_and_hvp, gradient_into, hessian, hessian_into, hvp, hvp_into, jacobian, jacobian_into, jvp,
    jvp_into, try_directional_derivatives, try_directional_second, try_gradient_and_hvp, try_gradient_into,
    try_hessian_into, try_hvp, try_hvp_into, try_jacobian_into, try_jvp, try_jvp_into, value_and_derivative,
    value_and_gradient, value_and_jacobian, vjp,
};

/// What generated code and the tool rely on. Not public: it may change in any release.
#[doc(hidden)]
pub mod __private {
    pub use crate::attribute::{
        Shim, addresses, check_distinct, check_length, check_memory, check_pointers, check_result,
        check_shared, elements, elements_mut, length, part, place, pointer, reference, reference_mut, shim,
        zero, zero_of,
    };
    pub use crate::call::{__autodiff_call, call};
    pub use crate::describe::Describe;
    pub use crate::differentiable::Part;
    pub use crate::inactive::inactive_once;
    pub use crate::layout::{Field, Layout};
    pub use crate::probe::{NoLayout, Probe};
    pub use crate::rule::{
        __autodiff_rule, Elements, Rule, Slots, Tangent, Word, call_rule, cloned, copied, floats, keep,
        release, saved,
    };
    pub use crate::shape::Difference;

    /// Addresses of memory that a value owns.
    pub type Addresses = Vec<usize>;
    pub use crate::site::{Activity, Mode, Param, Site};
}
