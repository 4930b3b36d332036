//! A refusal in the user's terms: what, where, why, and what to do.

use crate::llvm::{Function, Module};
use crate::protocol::{Location, Refusal, Site};
use crate::reason::Reason;
use crate::route::{self, Route};
use crate::source::Source;
use crate::{caller, symbol};

/// Puts the reason why `site` has no derivative in the user's terms. `closure` is the code of the
/// site alone, with its debug information and as rustc wrote it.
pub(crate) fn explain(site: &Site, reason: &Reason, closure: &Module<'_>, sources: &[Source]) -> Refusal {
    let shim = crate::derivative::shim(closure, site);
    let route = shim.map(|shim| Route::to_reason(shim, reason)).unwrap_or_default();
    let primal = shim.and_then(|shim| primal(site, shim));
    let primal_place = primal.and_then(route::place);
    let words = Words { reason, primal, nearest: route.last_of_users().or(primal) };
    let row = reason.class.row();
    let users_place = reason.places.iter().find(|place| route::in_users_source(place)).cloned();
    let location = users_place.or_else(|| route.last_place());
    Refusal {
        site: site.symbol.clone(),
        code: Some(row.code.to_owned()),
        message: format!("cannot differentiate {}: {}", what(site, primal), words.fill(row.why)),
        chain: route.names(primal),
        label: location.is_some().then(|| words.fill(row.label)),
        location: location.or_else(|| primal_place.clone()),
        primal: primal_place,
        call: call(site, sources),
        help: Some(words.fill(row.help)),
        report: None,
    }
}

/// Where the derivative is asked for: an attribute, or a call.
fn call(site: &Site, sources: &[Source]) -> Option<(Location, String)> {
    match (&site.location, site.name.strip_prefix("a closure ")) {
        (Some(location), _) => Some((location.clone(), "differentiated here".to_owned())),
        (None, Some(passed)) => Some((caller::place(sources, &site.shim)?, format!("{passed} here"))),
        (None, None) => None,
    }
}

/// The function that the user wants differentiated. An attribute's derivative calls it from a
/// closure of its own.
fn primal<'c>(site: &Site, shim: Function<'c>) -> Option<Function<'c>> {
    Route::to_users(shim, |function| is_of_transform(site) || !symbol::is_closure(&function.name()))
}

/// Whether the derivative is one of a closure, not of a function with an attribute.
fn is_of_transform(site: &Site) -> bool {
    site.name.starts_with("a closure ")
}

/// What is differentiated.
fn what(site: &Site, primal: Option<Function<'_>>) -> String {
    match primal {
        _ if !is_of_transform(site) => format!("`{}`", site.name),
        Some(primal) => symbol::spoken(&primal.name()),
        // A function pointer.
        None => site.name.replacen("closure", "function", 1),
    }
}

/// What the words of a class are filled in with.
struct Words<'a, 'c> {
    reason: &'a Reason,
    primal: Option<Function<'c>>,
    /// The user's function that is nearest to the place.
    nearest: Option<Function<'c>>,
}

impl Words<'_, '_> {
    fn fill(&self, words: &str) -> String {
        let function = self.reason.function.as_deref();
        let what = self.reason.what.as_deref().unwrap_or("something");
        words
            .replace("{its}", &self.its())
            .replace("{it}", &self.it())
            .replace("{function}", &function.map_or_else(|| "a function".to_owned(), symbol::spoken))
            .replace("{what}", what)
    }

    fn it(&self) -> String {
        match self.nearest {
            Some(nearest) if Some(nearest) != self.primal => symbol::spoken(&nearest.name()),
            _ => "it".to_owned(),
        }
    }

    /// The same, or the function that it calls.
    fn its(&self) -> String {
        match self.reason.function.as_deref() {
            Some(function) if symbol::is_of_library(function) => {
                format!("{} calls {}, which", self.it(), symbol::spoken(function))
            }
            _ => self.it(),
        }
    }
}
