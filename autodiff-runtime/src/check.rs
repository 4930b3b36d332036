//! Gradients against central differences, for tests.

use std::error::Error;
use std::fmt;

use crate::differentiable::Differentiable;
use crate::point::Point;
use crate::scalar::Scalar;
use crate::transform::gradient;

/// Compares the gradient of `f` at `x` with central differences, `(f(x + h) - f(x - h)) / 2 h`.
///
/// Differences are inexact, by their step and by rounding, so several steps are tried for each float of
/// `x`: about the third root of the precision, and ten times more and less, times the size of the
/// float. One of them must agree to six digits (two for `f32`) or as far as rounding of the value allows.
/// The function is evaluated six times for each float, so take a small `x`.
///
/// A function with a kink or a jump close to `x` has no gradient that could be compared there.
///
/// # Errors
///
/// If some derivative agrees with none of its differences. The error shows the worst as a table.
///
/// # Panics
///
/// If `f` panics, with its panic; and if the program was not built by `cargo autodiff`.
///
/// # Examples
///
/// A derivative exists only in a program that `cargo autodiff` built, so this one is not run here:
///
/// ```no_run
/// let f = |x: &[f64]| x[0].sin() * x[1];
/// assert!(autodiff::check_gradient(f, &[0.5, 2.0][..]).is_ok());
///
/// // An integer has no derivative: this one is a staircase.
/// let stairs = |x: &[f64]| (x[0] * 1e9) as i64 as f64;
/// let error = autodiff::check_gradient(stairs, &[0.5][..]).unwrap_err();
/// assert_eq!((error.component(), error.derivative()), (0, 0.0));
/// ```
#[track_caller]
pub fn check_gradient<X, F>(f: F, x: &X) -> Result<(), GradientError>
where
    X: Point + ToOwned<Owned = <X as Point>::Gradient> + ?Sized,
    F: Fn(&X::View) -> X::Scalar,
{
    let derivatives = gradient(&f, x).flatten();
    let mut moved = x.to_owned();
    let mut flat = moved.flatten();
    let mut worst: Option<GradientError> = None;
    let mut count = 0;
    for (component, derivative) in derivatives.iter().enumerate() {
        let derivative = derivative.__wide();
        let at = flat[component];
        let mut value_at = |x: f64| {
            flat[component] = X::Scalar::__nearest(x);
            moved.unflatten_from(&flat);
            // As it was rounded.
            moved.flatten_into(&mut flat);
            (flat[component].__wide(), f(moved.__view()).__wide())
        };
        let differences = steps::<X::Scalar>(at.__wide())
            .map(|step| Difference::new(step, value_at(at.__wide() + step), value_at(at.__wide() - step)));
        flat[component] = at;
        if differences.iter().any(|difference| difference.agrees::<X::Scalar>(derivative)) {
            continue;
        }
        count += 1;
        let error = GradientError { component, at: at.__wide(), derivative, differences, count };
        if worst.as_ref().is_none_or(|worst| worst.excess() < error.excess()) {
            worst = Some(error);
        }
    }
    worst.map_or(Ok(()), |worst| Err(GradientError { count, ..worst }))
}

/// Panics unless the gradient of a function at a point agrees with central differences: what
/// [`check_gradient`] compares.
///
/// # Panics
///
/// As it says, with the table of the worst derivative; and as [`check_gradient`].
///
/// # Examples
///
/// In a test, which `cargo autodiff test` runs:
///
/// ```no_run
/// autodiff::assert_gradient!(|x: &[f64; 2]| x[0].powi(3) * x[1], &[2.0, 3.0]);
/// ```
#[macro_export]
macro_rules! assert_gradient {
    ($f:expr, $x:expr $(,)?) => {
        if let ::core::result::Result::Err(error) = $crate::check_gradient($f, $x) {
            ::core::panic!("{error}");
        }
    };
}

/// A derivative that does not agree with central differences.
#[derive(Debug, Clone, PartialEq)]
pub struct GradientError {
    component: usize,
    at: f64,
    derivative: f64,
    differences: [Difference; STEPS],
    /// How many components differ.
    count: usize,
}

const STEPS: usize = 3;

/// Some steps, the best guess first.
fn steps<S: Scalar>(at: f64) -> [f64; STEPS] {
    [1.0, 10.0, 0.1].map(|factor| factor * S::EPSILON.cbrt() * at.abs().max(1.0))
}

/// A central difference.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Difference {
    step: f64,
    slope: f64,
    /// The larger value, whose rounding matters.
    size: f64,
}

impl Difference {
    /// The arguments as they were rounded, with their values.
    fn new(step: f64, (above, upper): (f64, f64), (below, lower): (f64, f64)) -> Self {
        let slope = (upper - lower) / (above - below);
        Self { step, slope, size: upper.abs().max(lower.abs()) }
    }

    fn agrees<S: Scalar>(&self, derivative: f64) -> bool {
        let digits = if S::EPSILON > 1e-10 { 1e-2 } else { 1e-6 };
        let rounding = 10.0 * S::EPSILON * self.size / self.step;
        let both_undefined = self.slope.is_nan() && derivative.is_nan();
        both_undefined
            || (self.slope - derivative).abs() <= digits * derivative.abs().min(self.slope.abs()) + rounding
    }

    /// How far a derivative is off, relative to the larger of both.
    fn relative(&self, derivative: f64) -> f64 {
        (self.slope - derivative).abs() / self.slope.abs().max(derivative.abs())
    }
}

impl GradientError {
    /// The worst component: the index of a float, in the order of [`Differentiable::flatten`].
    pub const fn component(&self) -> usize {
        self.component
    }

    /// Its derivative.
    pub const fn derivative(&self) -> f64 {
        self.derivative
    }

    /// The central difference that is nearest to it.
    pub fn difference(&self) -> f64 {
        self.nearest().slope
    }

    fn nearest(&self) -> &Difference {
        let error = |difference: &&Difference| difference.relative(self.derivative);
        self.differences.iter().min_by(|a, b| error(a).total_cmp(&error(b))).expect("some steps")
    }

    /// How bad it is.
    fn excess(&self) -> f64 {
        let error = self.nearest().relative(self.derivative);
        if error.is_nan() { f64::INFINITY } else { error }
    }
}

impl fmt::Display for GradientError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { component, at, derivative, differences, count } = self;
        let others = match count - 1 {
            0 => String::new(),
            1 => ", as does one other".into(),
            others => format!(", as do {others} others"),
        };
        writeln!(
            f,
            "component {component} of the gradient disagrees with all central differences{others}\n\
             it is {derivative:e} where the component of the point is {at}\n\
             \x20      step          difference   relative error"
        )?;
        for difference in differences {
            let Difference { step, slope, .. } = difference;
            writeln!(f, "{step:11.1e}  {slope:18.10e}  {:15.1e}", difference.relative(*derivative))?;
        }
        write!(f, "a kink, a jump or a conversion to integers near the point may be the reason")
    }
}

impl Error for GradientError {}

#[cfg(test)]
mod tests {
    use super::*;

    fn difference(step: f64, f: impl Fn(f64) -> f64) -> Difference {
        Difference::new(step, (2.0 + step, f(2.0 + step)), (2.0 - step, f(2.0 - step)))
    }

    #[test]
    fn digits_and_rounding_are_allowed_for() {
        let cube = difference(1e-5, |x| x.powi(3));
        assert!(cube.agrees::<f64>(12.0) && !cube.agrees::<f64>(12.001) && cube.agrees::<f32>(12.001));
        let large = difference(1e-5, |x| x.powi(3) + 1e9);
        assert!(large.agrees::<f64>(12.01) && !large.agrees::<f64>(13.0));
        assert!(!cube.agrees::<f64>(f64::NAN) && !cube.agrees::<f64>(f64::INFINITY));
    }

    #[test]
    fn errors_are_a_table() {
        let differences = [1e-5, 1e-4, 1e-6].map(|step| difference(step, |x| x * x));
        let error = GradientError { component: 3, at: 2.0, derivative: 3.0, differences, count: 2 };
        let text = error.to_string();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines[..3],
            [
                "component 3 of the gradient disagrees with all central differences, as does one other",
                "it is 3e0 where the component of the point is 2",
                "       step          difference   relative error",
            ]
        );
        assert!(
            lines[3].contains("1.0e-5") && lines[3].contains("4.0000000") && lines[3].contains("2.5e-1"),
            "{text}"
        );
    }
}
