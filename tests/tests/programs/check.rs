// The beginning of each batch of programs.
use std::panic::{AssertUnwindSafe, catch_unwind};

fn say(number: usize, mode: &str, answer: std::thread::Result<(f64, [f64; 3])>) {
    match answer {
        Ok((value, [a, b, c])) => println!("{number} {mode} {value:e} {a:e} {b:e} {c:e}"),
        Err(payload) => {
            let text = payload.downcast_ref::<String>().map(String::as_str).unwrap_or("a panic without a text");
            println!("{number} {mode} refused: {}", text.split_whitespace().collect::<Vec<_>>().join(" "));
        }
    }
}

macro_rules! check {
    ($number:literal, $module:ident, $x:expr) => {{
        let x: [f64; 3] = $x;
        let reverse = || autodiff::value_and_gradient(|x: &[f64; 3]| $module::f(x), &x);
        say($number, "reverse", catch_unwind(AssertUnwindSafe(reverse)));
        let forward = || {
            let mut slopes = [0.0; 3];
            let mut value = 0.0;
            for i in 0..3 {
                let along = |t: f64| {
                    let mut y = x;
                    y[i] = t;
                    $module::f(&y)
                };
                (value, slopes[i]) = autodiff::value_and_derivative(along, x[i]);
            }
            (value, slopes)
        };
        say($number, "forward", catch_unwind(AssertUnwindSafe(forward)));
    }};
}

/// The product of the Hessian with a direction as well.
macro_rules! check_second {
    ($number:literal, $module:ident, $x:expr, $direction:expr) => {{
        let x: [f64; 3] = $x;
        let second = || (0.0, autodiff::hvp(|x: &[f64; 3]| $module::f(x), &x, &$direction));
        say($number, "second", catch_unwind(AssertUnwindSafe(second)));
    }};
}
