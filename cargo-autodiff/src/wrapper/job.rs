//! What the wrappers tell each other, through files in the private directory of one rustc.

use std::{
    env,
    ffi::{OsStr, OsString},
    io,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result};
use autodiff_enzyme::protocol::Refusal;
use fs_err as fs;
use serde::{Deserialize, Serialize};

use super::{args::RustcArgs, diagnostic::Printer, private::PrivateDir};
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
    /// The job is that of rustdoc, which has rustc called many times, at once and elsewhere.
    pub(crate) doctest: bool,
}

impl Job {
    pub(crate) fn new(session: Session, rustc: RustcArgs, private: &PrivateDir) -> Self {
        let linker = rustc.default_linker();
        Self { linker, private: private.path().to_owned(), rustc, session, doctest: false }
    }

    /// Where our own files are, apart from rustc's.
    fn ours(private: &Path) -> PathBuf {
        private.join(".autodiff")
    }

    /// A new directory, for the files of one link. It lasts as long as the private directory.
    pub(crate) fn scratch(&self) -> Result<PathBuf> {
        Ok(tempfile::Builder::new().prefix("link-").tempdir_in(Self::ours(&self.private))?.keep())
    }

    /// What rustc must be told to keep its bitcode and to call us as its linker.
    pub(crate) fn capture_options(&self) -> Result<Vec<OsString>> {
        let mut options = ["-Csave-temps", "-Csymbol-mangling-version=v0"].map(OsString::from).to_vec();
        if !self.doctest && self.rustc.gets_lines() {
            options.push("-Cdebuginfo=line-tables-only".into());
        }
        if self.doctest || self.rustc.links() {
            let mut linker = OsString::from("-Clinker=");
            linker.push(self.install_linker()?);
            options.push(linker);
        }
        Ok(options)
    }

    /// The path by which rustc knows us as its linker.
    pub(crate) fn linker_path(&self) -> Result<PathBuf> {
        let name = match &self.rustc.linker {
            Some(linker) => Path::new(linker).file_name().context("`-C linker` names no file")?,
            None => OsStr::new("autodiff-linker"),
        };
        Ok(Self::ours(&self.private).join("linker").join(name))
    }

    /// Puts ourselves there, under the name of the user's linker, from which rustc tells what arguments
    /// it takes.
    fn install_linker(&self) -> Result<PathBuf> {
        let link = self.linker_path()?;
        fs::create_dir_all(link.parent().unwrap_or(&link))?;
        symlink(&self.session.executable, &link)?;
        Ok(link)
    }

    pub(crate) fn save(&self) -> Result<PathBuf> {
        let path = Self::ours(&self.private).join("job.json");
        fs::write(&path, serde_json::to_vec(self)?)?;
        Ok(path)
    }

    /// Tells whoever started rustc.
    pub(crate) fn report(&self, findings: Findings) -> Result<()> {
        if self.doctest {
            // rustdoc shows what rustc shows of what its linker says.
            return Printer::new(false, false).findings(&findings);
        }
        findings.report(&self.private)
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
    pub(crate) refusals: Vec<Refusal>,
    /// The same, put off until the derivative is called.
    pub(crate) warnings: Vec<Refusal>,
    /// Lines for `-v`.
    pub(crate) notes: Vec<String>,
}

/// A refusal with its files named as rustc does.
pub(crate) fn relative(mut refusal: Refusal) -> Refusal {
    let call = refusal.call.as_mut().map(|(place, _)| place);
    for place in [refusal.location.as_mut(), refusal.primal.as_mut(), call].into_iter().flatten() {
        shorten(&mut place.file);
    }
    if let Some(report) = &mut refusal.report {
        let mut path = report.display().to_string();
        shorten(&mut path);
        *report = path.into();
    }
    refusal
}

/// A failure that is not about one derivative.
pub(crate) fn failure(error: &anyhow::Error) -> Refusal {
    Refusal {
        site: String::new(),
        code: None,
        message: format!("{error:#}"),
        chain: Vec::new(),
        location: None,
        label: None,
        primal: None,
        call: None,
        help: None,
        report: None,
    }
}

/// Makes a file known by another path.
pub(crate) fn symlink(file: &Path, link: &Path) -> io::Result<()> {
    #[cfg(unix)]
    return fs::os::unix::fs::symlink(file, link);
    #[cfg(not(unix))]
    return fs::hard_link(file, link);
}

/// Names a file as rustc does, from where it was started.
fn shorten(file: &mut String) {
    if let Ok(current) = env::current_dir()
        && let Ok(relative) = Path::new(file).strip_prefix(current)
    {
        *file = relative.display().to_string();
    }
}

impl Findings {
    fn path(private: &Path) -> PathBuf {
        Job::ours(private).join("findings.json")
    }

    /// Adds to what an earlier link of the same rustc found.
    fn report(self, private: &Path) -> Result<()> {
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
