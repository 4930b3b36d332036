//! Gradient descent, as the suite prescribes it, with gradients of either mode.

/// How gradients are taken.
pub(super) trait Mode {
    fn gradient<const N: usize>(f: impl Fn(&[f64; N]) -> f64, x: &[f64; N]) -> [f64; N];
}

/// A derivative for each direction.
pub(super) struct Forward;

/// All in one sweep.
pub(super) struct Reverse;

impl Mode for Forward {
    fn gradient<const N: usize>(f: impl Fn(&[f64; N]) -> f64, x: &[f64; N]) -> [f64; N] {
        let mut gradient = [0.0; N];
        for i in 0..N {
            let mut direction = [0.0; N];
            direction[i] = 1.0;
            let mut value = 0.0;
            autodiff::jvp_into(&f, x, &direction, &mut value, &mut gradient[i]);
        }
        gradient
    }
}

impl Mode for Reverse {
    fn gradient<const N: usize>(f: impl Fn(&[f64; N]) -> f64, x: &[f64; N]) -> [f64; N] {
        autodiff::gradient(f, x)
    }
}

fn length<const N: usize>(x: &[f64; N]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// A minimum of `f` near `start`; not numbers, where `f` has no value.
///
/// The step size doubles after ten steps down, and halves after one up.
pub(super) fn minimum<M: Mode, const N: usize>(f: impl Fn(&[f64; N]) -> f64, start: [f64; N]) -> [f64; N] {
    const SMALL: f64 = 1e-5;
    let (mut x, mut value, mut rate, mut streak) = (start, f(&start), 1e-5, 0);
    if !value.is_finite() {
        return [f64::NAN; N];
    }
    let mut slope = M::gradient(&f, &x);
    while length(&slope) > SMALL {
        if streak == 10 {
            (rate, streak) = (2.0 * rate, 0);
        }
        let step = slope.map(|slope| rate * slope);
        if length(&step) <= SMALL {
            break;
        }
        let mut next = x;
        for i in 0..N {
            next[i] -= step[i];
        }
        let next_value = f(&next);
        if next_value < value {
            (x, value, streak) = (next, next_value, streak + 1);
            slope = M::gradient(&f, &x);
        } else {
            (rate, streak) = (rate / 2.0, 0);
        }
    }
    x
}
