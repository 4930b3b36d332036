//! Functions that calls through pointers may lead to, beside those that are reached by name.

use std::collections::BTreeSet;

use crate::llvm::Module;
use crate::route;

/// What is known of them in one attempt.
#[derive(Debug, Default)]
pub(crate) struct Candidates {
    all: BTreeSet<String>,
    /// Those that spoil a derivative. Where it comes to a call of one, the derivative panics.
    left_out: BTreeSet<String>,
    /// Those among them of which no derivative can be made whatever calls them.
    hopeless: BTreeSet<String>,
}

impl Candidates {
    /// What is known for another attempt with other sites.
    pub(crate) fn again(self) -> Self {
        Candidates { left_out: self.hopeless.clone(), ..self }
    }

    pub(crate) fn add(&mut self, names: BTreeSet<String>) {
        self.all.extend(names);
    }

    /// Whether a function was asked for before.
    pub(crate) fn contain(&self, name: &str) -> bool {
        self.all.contains(name)
    }

    /// Those whose bodies are wanted.
    pub(crate) fn wanted(&self) -> impl Iterator<Item = &str> {
        self.all.difference(&self.left_out).map(String::as_str)
    }

    /// Those that call a function, or are it.
    pub(crate) fn that_reach(&self, module: &Module<'_>, symbol: &str) -> BTreeSet<String> {
        let symbol = symbol.strip_prefix(THUNK).unwrap_or(symbol);
        let reaches = |name: &&str| {
            *name == symbol || module.function(name).is_some_and(|from| route::reaches(from, symbol))
        };
        self.wanted().filter(reaches).map(str::to_owned).collect()
    }

    /// Does without some. Says whether that changes anything.
    pub(crate) fn leave_out(&mut self, names: BTreeSet<String>, hopeless: bool) -> bool {
        let before = self.left_out.len();
        if hopeless {
            self.hopeless.extend(names.iter().cloned());
        }
        self.left_out.extend(names);
        self.left_out.len() > before
    }
}

/// The beginning of the names of functions that only call a candidate.
pub(crate) const THUNK: &str = "__autodiff_thunk_";
