//! Ways to write a call that must compile, and what such calls do in a program built without the tool.

use autodiff::{derivative, gradient, value_and_derivative, value_and_gradient};

/// Runs a derivative call and returns the text of its panic.
fn message(call: impl FnOnce()) -> String {
    let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(call)).expect_err("derivatives panic");
    panic.downcast_ref::<String>().expect("formatted text").clone()
}

const REMEDY: &str = "was not differentiated: build with `cargo autodiff` (for example `cargo autodiff run`)";

fn square(x: &[f64]) -> f64 {
    x.iter().map(|v| v * v).sum()
}

fn in_generic_code<F: Fn(&[f32]) -> f32>(f: F, x: &[f32]) -> (f32, Vec<f32>) {
    value_and_gradient(|x: &[f32]| 2.0 * f(x), x)
}

#[test]
fn slices() {
    let x = [1.0, 2.0];
    let scale = [3.0; 2].to_vec();
    let text = message(|| {
        let (_v, _g): (f64, Vec<f64>) = value_and_gradient(|x: &[f64]| x[0] * x[1] * scale[0], &x[..]);
    });
    assert_eq!(text, format!("a closure passed to `value_and_gradient` {REMEDY}"));
    message(|| drop(gradient(|x| x.iter().sum(), &x[..])));
    message(|| drop(gradient(square, &x[..])));
    message(|| drop(gradient(square, &[][..])));
    message(|| drop(in_generic_code(|x| x[0], &[1.0])));
}

#[test]
fn vectors() {
    let x = vec![1.0, 2.0];
    let text = message(|| drop(gradient(|x: &[f64]| x[0] * x[1], &x)));
    assert_eq!(text, format!("a closure passed to `gradient` {REMEDY}"));
    message(|| drop(gradient(|x| x[0] * x[1], &x)));
    message(|| drop(gradient(square, &x)));
    let rows: Vec<[f32; 2]> = vec![[1.0, 2.0]];
    message(|| {
        let _g: Vec<[f32; 2]> = gradient(|x: &[[f32; 2]]| x[0][0] * x[0][1], &rows);
    });
}

#[test]
fn arrays() {
    message(|| {
        let _g: [f64; 3] = gradient(|x: &[f64; 3]| x[0] * x[1] + x[2].sin(), &[1.0, 2.0, 3.0]);
    });
    message(|| {
        let _g = gradient(|x| x[0] * x[1], &[1.0, 2.0]);
    });
    message(|| {
        let _g = value_and_gradient(|x: &[f32; 2]| x.iter().sum(), &[1.0, 2.0]);
    });
    message(|| {
        let _g: [[f64; 2]; 2] = gradient(|x| x[0][0] * x[1][1], &[[1.0, 2.0], [3.0, 4.0]]);
    });
}

#[test]
fn scalars() {
    let a = 2.0;
    let text = message(|| {
        derivative(|x: f64| a * x.sin(), 1.0);
    });
    assert_eq!(text, format!("a closure passed to `derivative` {REMEDY}"));
    message(|| {
        let _vd: (f32, f32) = value_and_derivative(|x| x * x, 1.0);
    });
    message(|| {
        derivative(f64::sin, 1.0);
    });
}

#[test]
fn nested() {
    message(|| {
        derivative(|a: f64| gradient(|x: &[f64; 1]| a * x[0], &[1.0])[0], 2.0);
    });
}
