//! What the wrappers tell each other, through files in the private directory of one rustc.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use autodiff_enzyme::protocol::{Location, Refusal, Site};
use fs_err as fs;
use serde::{Deserialize, Serialize};

use super::args::RustcArgs;
use crate::session::Session;

/// The rustc wrapper's word to the linker wrapper.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Job {
    /// The linker rustc would have called.
    pub(crate) linker: PathBuf,
    /// Directory that holds this rustc's bitcode and may be written to.
    pub(crate) private: PathBuf,
    pub(crate) rustc: RustcArgs,
    pub(crate) session: Session,
}

impl Job {
    pub(crate) fn save(&self) -> Result<PathBuf> {
        let path = self.private.join(".autodiff/job.json");
        fs::write(&path, serde_json::to_vec(self)?)?;
        Ok(path)
    }

    pub(crate) fn load(path: &Path) -> Result<Self> {
        let json = fs::read(path)?;
        serde_json::from_slice(&json).with_context(|| format!("`{}` is malformed", path.display()))
    }
}

/// The linker wrapper's answer. rustc swallows what a linker prints, so the rustc wrapper prints this.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Findings {
    /// Errors: the link was not done.
    pub(crate) refusals: Vec<Finding>,
    /// The same, put off until the derivative is called.
    pub(crate) warnings: Vec<Finding>,
    /// Lines for `-v`.
    pub(crate) notes: Vec<String>,
}

/// A refusal and the derivative call it is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Finding {
    pub(crate) refusal: Refusal,
    /// Where the call is, if it is about one and known.
    pub(crate) call: Option<Location>,
    /// What the call differentiates.
    pub(crate) name: String,
}

impl Finding {
    pub(crate) fn new(refusal: &Refusal, sites: &[Site]) -> Self {
        let site = sites.iter().find(|site| site.symbol == refusal.site);
        Self {
            refusal: refusal.clone(),
            call: site.and_then(|site| site.location.clone()),
            name: site.map(|site| site.name.clone()).unwrap_or_default(),
        }
    }

    /// A failure that is not about one derivative.
    pub(crate) fn failure(error: &anyhow::Error) -> Self {
        let refusal = Refusal {
            site: String::new(),
            message: format!("{error:#}"),
            chain: Vec::new(),
            location: None,
            help: None,
        };
        Self::new(&refusal, &[])
    }

    /// Said of the call, next to the offending place.
    pub(crate) fn call_label(&self) -> String {
        format!("`{}` is differentiated here", self.name)
    }
}

impl Findings {
    fn path(private: &Path) -> PathBuf {
        private.join(".autodiff/findings.json")
    }

    /// Adds to what an earlier link of the same rustc found.
    pub(crate) fn report(self, private: &Path) -> Result<()> {
        let mut all = Self::load(private)?;
        all.refusals.extend(self.refusals);
        all.warnings.extend(self.warnings);
        all.notes.extend(self.notes);
        Ok(fs::write(Self::path(private), serde_json::to_vec(&all)?)?)
    }

    /// Empty when no linker wrapper had anything to say.
    pub(crate) fn load(private: &Path) -> Result<Self> {
        let path = Self::path(private);
        if !path.exists() {
            return Ok(Self::default());
        }
        serde_json::from_slice(&fs::read(&path)?)
            .with_context(|| format!("`{}` is malformed", path.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_add_up() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join(".autodiff")).unwrap();
        assert_eq!(Findings::load(dir.path()).unwrap(), Findings::default());
        for note in ["a", "b"] {
            Findings { notes: vec![note.into()], ..Findings::default() }.report(dir.path()).unwrap();
        }
        assert_eq!(Findings::load(dir.path()).unwrap().notes, ["a", "b"]);
    }
}
