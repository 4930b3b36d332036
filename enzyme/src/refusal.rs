//! A refusal in the user's terms: what, where, why, and what to do.

use crate::llvm::{Function, Instruction, Module};
use crate::protocol::{Location, Refusal, Site};
use crate::reason::Reason;
use crate::route::{self, Route};
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
    let route = shim.zip(offender).map(|(shim, offender)| Route::to(shim, &offender)).unwrap_or_default();
    let primal = shim.and_then(Route::to_users);
    let primal_place = primal.and_then(route::place);
    let (why, help) = describe(reason, route.last_of_users().or(primal));
    Refusal {
        site: site.symbol.clone(),
        message: format!("cannot differentiate {}: {why}", what(site, primal)),
        chain: route.names(),
        location: static_place(reason, closure)
            .or_else(|| route.last_place())
            .or_else(|| primal_place.clone()),
        primal: primal_place,
        help: Some(help),
    }
}

/// Where the static that a reason is about is first used in the user's own source.
fn static_place(reason: &Reason, closure: &Module<'_>) -> Option<Location> {
    let Reason::ThroughStatic { name, .. } = reason else { return None };
    let mentions = closure.global(name)?.mentions().into_iter();
    mentions.flat_map(Instruction::places).filter(route::in_users_source).min_by_key(|place| place.line)
}

/// What is differentiated: a function by its name, a closure by where it went as well.
fn what(site: &Site, primal: Option<Function<'_>>) -> String {
    let name = primal.map(|primal| symbol::demangle(&primal.name()));
    match (name, site.name.strip_prefix("a closure ")) {
        (Some(name), Some(passed)) if !name.ends_with('}') => format!("`{name}`, {passed}"),
        (Some(name), Some(_)) => format!("{} (`{name}`)", site.name),
        (None, Some(_)) => site.name.clone(),
        (_, None) => format!("`{}`", site.name),
    }
}

/// Why, and what to do. `nearest` is the user's function that is nearest to the offending one.
fn describe(reason: &Reason, nearest: Option<Function<'_>>) -> (String, String) {
    let nearest = nearest.map(|function| function.name());
    let nearest = nearest.as_deref();
    let name = |symbol: &str| format!("`{}`", symbol::demangle(symbol));
    // The offending function, begins a sentence. The runtime crate's are only around the user's.
    let subject = |function: &str| match nearest {
        Some(nearest) if nearest == function || symbol::is_ours(function) => name(nearest),
        Some(nearest) => format!("{} calls {}, which", name(nearest), name(function)),
        None => name(function),
    };
    match reason {
        Reason::NoBitcode => (
            "no bitcode was kept for it".to_owned(),
            "build its crate again: `cargo autodiff clean`, then the same command".to_owned(),
        ),
        Reason::Nested { function } => (
            format!(
                "{} takes a derivative of a function that is chosen at run time",
                name(nearest.unwrap_or(function))
            ),
            "take it where the function is known: as a generic parameter (`impl Fn`), say".to_owned(),
        ),
        Reason::Threads { function, kind } => (
            format!(
                "{} starts threads ({}), and in a derivative their work would have to be done backward as well",
                name(nearest.unwrap_or(function)),
                kind.name()
            ),
            "write it as a sum of parts and let `autodiff::parallel::value_and_gradient` start the threads".to_owned(),
        ),
        Reason::Catches { function } => (
            format!("{} catches panics, which a derivative cannot", name(nearest.unwrap_or(function))),
            "move `catch_unwind` out of the differentiated function".to_owned(),
        ),
        Reason::Cleanup { function } => (
            format!("{} has destructors which must run when a panic passes through, and in a derivative they would not", subject(function)),
            "take locks, borrows and other guards outside the differentiated function".to_owned(),
        ),
        Reason::Indirect { function } => (
            format!(
                "{} calls a function pointer or trait object that comes from outside (a captured value, a constant argument or a static), so what it calls is unknown",
                subject(function)
            ),
            "pass the function as a generic parameter (`impl Fn`), so that it is known".to_owned(),
        ),
        Reason::StoresInConstant { function } => (
            format!(
                "{} stores a number in memory that counts as constant (a captured `Cell`, a `Const` argument, a static), where its derivative would be lost",
                name(nearest.unwrap_or(function))
            ),
            "keep intermediate results in local variables, or give the argument a shadow".to_owned(),
        ),
        Reason::ThroughStatic { function, name: variable } => (
            format!(
                "{} keeps a number that depends on the arguments in the static `{}`, where its derivative would be lost",
                name(nearest.unwrap_or(function)),
                static_name(variable)
            ),
            "pass the value as an argument or return it; a `Cell` or `Mutex` that is local to the function may hold it, too".to_owned(),
        ),
        Reason::Mixes { function } => (
            format!(
                "{} chooses between a reference to constant data (a captured value, a `Const` argument, a static) and one to data that depends on the arguments",
                name(nearest.unwrap_or(function))
            ),
            "choose between the numbers, or copy the constant data first (`to_vec()`)".to_owned(),
        ),
        Reason::Initialises { function } => (
            format!(
                "{} initialises a `OnceLock`, a `LazyLock` or a thread-local with what depends on the arguments, where its derivative would be lost",
                name(nearest.unwrap_or(function))
            ),
            "initialise it with constants, or compute the value in a local variable".to_owned(),
        ),
        Reason::LeavesMemory { function } => (
            format!("{} leaves memory that it allocates in an argument, and a reverse-mode derivative frees it", subject(function)),
            "let the caller allocate (`Vec::with_capacity`, `vec![0.0; n]`), or return the values through a slice".to_owned(),
        ),
        Reason::Endless => (
            "the code that Enzyme makes of it would never end".to_owned(),
            "of derivatives of derivatives, take forward mode over reverse mode; otherwise simplify the loops".to_owned(),
        ),
        Reason::Engine(text) => words::describe(text),
    }
}

/// A static as the user wrote it: what a thread-local is made of stays out.
fn static_name(symbol: &str) -> String {
    let name = symbol::demangle(symbol);
    name.split_once("::{").map_or(name.clone(), |(path, _)| path.to_owned())
}
