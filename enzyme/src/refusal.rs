//! A refusal in the user's terms: what, where, why, and what to do.

use crate::llvm::{Function, Module};
use crate::protocol::{Location, Refusal, Site};
use crate::reason::Reason;
use crate::route::Route;
use crate::words;
use crate::{derivative, symbol};

/// Puts the reason why `site` has no derivative in the user's terms. `closure` is the code of the
/// site alone, with its debug information and as rustc wrote it.
pub(crate) fn explain(site: &Site, reason: &Reason, closure: &Module<'_>) -> Refusal {
    let shim = derivative::shim(closure, site);
    let offender = match reason {
        Reason::Engine(text) => words::function(text),
        other => other.function().map(str::to_owned),
    };
    let route = shim.map(|shim| Route::to(shim, offender.as_deref().unwrap_or_default()));
    let primal = shim.and_then(user_function);
    let location = site.location.clone().or_else(|| primal.and_then(place));
    let what = match primal {
        Some(primal) if site.name.contains(' ') => {
            format!("{} (`{}`)", site.name, symbol::demangle(&primal.name()))
        }
        _ => format!("`{}`", site.name),
    };
    let (why, help) = describe(reason);
    Refusal {
        site: site.symbol.clone(),
        message: format!("cannot differentiate {what}: {why}"),
        chain: route.map(|route| route.names()).unwrap_or_default(),
        location,
        help: Some(help),
    }
}

/// The first function of the user's own that a shim calls.
fn user_function(shim: Function<'_>) -> Option<Function<'_>> {
    let named = |function: &Function<'_>| !symbol::is_ours_or_std(&function.name());
    Route::nearest(shim, named)
}

fn place(function: Function<'_>) -> Option<Location> {
    let (file, line) = function.place()?;
    Some(Location { file, line, column: 1 })
}

/// Why, and what to do.
fn describe(reason: &Reason) -> (String, String) {
    let name = |symbol: &str| format!("`{}`", symbol::demangle(symbol));
    match reason {
        Reason::NoBitcode => (
            "no bitcode was kept for it".to_owned(),
            "build its crate again: `cargo autodiff clean`, then the same command".to_owned(),
        ),
        Reason::Nested { function } => (
            format!(
                "{} takes a derivative itself, and derivatives of derivatives are not supported yet",
                name(function)
            ),
            "differentiate a function that computes values only".to_owned(),
        ),
        Reason::Catches { function } => (
            format!("{} catches panics, which a derivative cannot", name(function)),
            "move `catch_unwind` out of the differentiated function".to_owned(),
        ),
        Reason::Cleanup { function, destructor } => (
            format!(
                "{} keeps a `{destructor}`, whose destructor must run when a panic passes through, and in a derivative it would not",
                name(function)
            ),
            "take locks, borrows and other guards outside the differentiated function".to_owned(),
        ),
        Reason::Indirect { function } => (
            format!(
                "{} calls a function pointer or trait object that comes from outside (a captured value, a constant argument or a static), so what it calls is unknown",
                name(function)
            ),
            "pass the function as a generic parameter (`impl Fn`), so that it is known".to_owned(),
        ),
        Reason::Engine(text) => words::describe(text),
    }
}
