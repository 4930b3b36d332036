//! All code of a program, to be asked what a derivative may need of it.

use std::cell::OnceCell;

use crate::error::Error;
use crate::protocol::Module;
use crate::source::{self, Index, Source};
use crate::targets::Targets;

/// The bitcode of all crates, and what was found out about it.
pub(crate) struct Program {
    pub(crate) sources: Vec<Source>,
    pub(crate) index: Index,
    /// All code must be read for this, which few derivatives need.
    targets: OnceCell<Targets>,
}

impl Program {
    /// Reads the modules of a request.
    pub(crate) fn read(modules: &[Module]) -> Result<Self, Error> {
        let sources = source::read(modules)?;
        let index = Index::new(&sources)?;
        Ok(Program { sources, index, targets: OnceCell::new() })
    }

    /// Whether the standard library defines a symbol.
    pub(crate) fn is_in_std(&self, symbol: &str) -> bool {
        self.index.find(symbol).is_some_and(|source| self.sources[source].std)
    }

    /// The functions whose address is taken.
    pub(crate) fn targets(&self) -> Result<&Targets, Error> {
        if let Some(targets) = self.targets.get() {
            return Ok(targets);
        }
        let targets = Targets::of(&self.sources)?;
        Ok(self.targets.get_or_init(|| targets))
    }
}
