//! The target directory of our own.
//!
//! cargo does not know that we change what rustc makes, so it would take a crate from plain cargo,
//! or from another engine, for up to date. Whatever changes what we make leads to another
//! directory, or empties it.

use std::{
    io::ErrorKind,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result};
use sha2::{Digest as _, Sha256};

use crate::{engine::Found, hex::hex};

/// Below the user's target directory.
pub(crate) const FOLDER: &str = "autodiff";
/// In that folder: what is needed to see failures of Enzyme's again.
pub(crate) const REPORTS: &str = "reports";
/// Ends the name of the file beside a directory that says which state of the tool filled it.
const STAMP: &str = "tool";
const THIS_TOOL: &str = concat!(env!("CARGO_PKG_VERSION"), " ", env!("CARGO_AUTODIFF_SOURCES"));

/// `<target directory>/autodiff/<hash>`, the hash being that of all that changes code.
pub(crate) fn of(users: &Path, engine: Option<&Found>, defer_errors: bool) -> PathBuf {
    let mut hash = Sha256::new();
    hash.update(env!("CARGO_PKG_VERSION"));
    hash.update(engine.map_or("no engine", |found| &found.identity));
    hash.update([u8::from(defer_errors)]);
    users.join(FOLDER).join(hex(&hash.finalize()[..8]))
}

/// Empties the directory if another state of the tool filled it.
pub(crate) fn prepare(directory: &Path) -> Result<()> {
    let folder = directory.parent().context("the target directory has no parent")?;
    fs_err::create_dir_all(folder)?;
    let stamp = directory.with_extension(STAMP);
    let is_ours = || std::fs::read_to_string(&stamp).is_ok_and(|text| text == THIS_TOOL);
    if is_ours() {
        return Ok(());
    }
    // Two commands at once: the second must not empty what the first has begun to fill.
    let lock = fs_err::File::create(folder.join(".lock"))?;
    lock.file().lock().with_context(|| format!("cannot lock {}", lock.path().display()))?;
    if is_ours() {
        return Ok(());
    }
    if directory.exists() {
        tracing::debug!(path = %directory.display(), "filled by another state of the tool");
        fs_err::remove_dir_all(directory)?;
    }
    fs_err::write(&stamp, THIS_TOOL)?;
    Ok(())
}

/// Removes all of ours; says whether there was anything.
pub(crate) fn remove(folder: &Path) -> Result<bool> {
    match fs_err::remove_dir_all(folder) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use autodiff_enzyme::protocol::Engine;

    use super::*;
    use crate::engine::Origin;

    fn engine(identity: &str) -> Found {
        let engine = Engine::Catalyst { executable: "/catalyst".into() };
        Found { engine, origin: Origin::Setup, identity: identity.to_owned() }
    }

    #[test]
    fn whatever_changes_code_changes_the_directory() {
        let target = Path::new("/t");
        let one = of(target, Some(&engine("a")), false);
        assert_eq!(one, of(target, Some(&engine("a")), false));
        assert_ne!(one, of(target, Some(&engine("b")), false));
        assert_ne!(one, of(target, Some(&engine("a")), true));
        assert_ne!(one, of(target, None, false));
        assert_eq!(one.parent().unwrap(), Path::new("/t/autodiff"));
    }

    #[test]
    fn what_another_tool_left_goes_and_our_own_stays() {
        let folder = tempfile::tempdir().unwrap();
        let directory = folder.path().join(FOLDER).join("x");
        prepare(&directory).unwrap();
        let file = directory.join("file");
        std::fs::create_dir(&directory).unwrap();
        std::fs::write(&file, "").unwrap();
        prepare(&directory).unwrap();
        assert!(file.exists());
        std::fs::write(directory.with_extension(STAMP), "older").unwrap();
        prepare(&directory).unwrap();
        assert!(!file.exists());
    }
}
