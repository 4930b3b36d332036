//! Sites and their parameters.

use autodiff_enzyme::protocol::{Activity, Layout, Mode, Param, Site};

/// What every derivative's symbol begins with.
const PREFIX: &str = "__autodiff_derivative_";

/// The symbol of the derivative of a shim.
pub(crate) fn derivative(shim: &str) -> String {
    format!("{PREFIX}{shim}")
}

/// A reverse-mode derivative of a shim.
pub(crate) fn reverse(shim: &str, params: impl Into<Vec<Param>>) -> Site {
    Site {
        symbol: derivative(shim),
        shim: shim.to_owned(),
        name: format!("snippet::{shim}"),
        location: None,
        mode: Mode::Reverse,
        width: 1,
        params: params.into(),
    }
}

/// A forward-mode derivative of a shim along `width` directions.
pub(crate) fn forward(shim: &str, width: u32, params: impl Into<Vec<Param>>) -> Site {
    Site { mode: Mode::Forward, width, ..reverse(shim, params) }
}

/// The usual shim: `(x: *const f64, n: usize, out: *mut f64)`.
pub(crate) fn of_slice(shim: &str) -> Site {
    reverse(shim, [floats(), length(), float()])
}

/// A differentiated pointer to any number of `f64`.
pub(crate) fn floats() -> Param {
    let element = Box::new(Layout::Float { size: 8 });
    pointer(Activity::Duplicated, Layout::Array { stride: 8, count: None, element })
}

/// A differentiated pointer to one `f64`.
pub(crate) fn float() -> Param {
    pointer(Activity::Duplicated, Layout::Float { size: 8 })
}

/// A pointer that is not differentiated.
pub(crate) fn constant() -> Param {
    Param { integer: false, exclusive: false, activity: Activity::Const, layout: None }
}

/// A length.
pub(crate) fn length() -> Param {
    Param { integer: true, exclusive: false, activity: Activity::Const, layout: None }
}

fn pointer(activity: Activity, layout: Layout) -> Param {
    Param { integer: false, exclusive: false, activity, layout: Some(layout) }
}
