//! `cargo autodiff setup`: Enzyme, fetched once for all projects of a user.
//!
//! The engine is the compiler of the package `pennylane-catalyst`, one self-contained executable.
//! pip fetches the package by its name and a hash pinned here ([`release`], [`pip`]); the
//! executable is unpacked beside a manifest that says what it must be ([`install`]).

mod install;
mod pip;
mod release;

use std::{
    env,
    env::consts::{ARCH, OS},
    fs::TryLockError,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result, bail};

use self::{pip::Python, release::Release};
use crate::term;

pub(crate) use install::Installed;

/// Names of directories that hold a set-up in progress.
const UNFINISHED: &str = ".unfinished-";

/// The directory that holds what was fetched.
pub(crate) fn home() -> Result<PathBuf> {
    if let Some(home) = env::var_os("CARGO_AUTODIFF_HOME").filter(|value| !value.is_empty()) {
        return Ok(std::path::absolute(home)?);
    }
    let directories = directories::ProjectDirs::from("", "", "cargo-autodiff")
        .context("this user has no home directory: set CARGO_AUTODIFF_HOME")?;
    Ok(directories.cache_dir().to_owned())
}

/// The engine that was set up, if it is complete and the one this version wants.
pub(crate) fn installed() -> Result<Option<Installed>> {
    let Some(release) = release::for_this_machine() else { return Ok(None) };
    Ok(Installed::in_folder(&release.folder(&home()?), release))
}

/// The verb `setup`.
pub(crate) fn run(force: bool, offline: bool, quiet: bool) -> Result<()> {
    if !force && let Some(installed) = installed()? {
        if !quiet {
            term::status("Ready", format!("already set up: {}", installed.executable.display()));
        }
        return Ok(());
    }
    if offline {
        bail!("set-up needs the network: run `cargo autodiff setup` without --offline once");
    }
    let installed = fetch_for_this_machine(force, quiet)?;
    if !quiet {
        term::status("Installed", format!("Enzyme in {}", installed.executable.display()));
    }
    Ok(())
}

/// Sets up for a build that needs the engine, saying so in one line.
pub(crate) fn for_build(offline: bool, quiet: bool) -> Result<Installed> {
    if offline {
        bail!(
            "derivatives need Enzyme, which is not set up, and the network is off: run `cargo \
             autodiff setup` once with the network"
        );
    }
    if !quiet && release::for_this_machine().is_some() {
        term::status("Setting up", "Enzyme, once for all projects (as `cargo autodiff setup` does)");
    }
    fetch_for_this_machine(false, quiet)
}

fn fetch_for_this_machine(force: bool, quiet: bool) -> Result<Installed> {
    let Some(release) = release::for_this_machine() else {
        bail!(
            "there is no ready-made Enzyme for {ARCH} {OS}: set AUTODIFF_ENZYME to an \
             LLVMEnzyme-22 plugin (.so, .dylib) that you built or installed"
        );
    };
    fetch(&home()?, release, &Python::candidates(), force, term::is_terminal() && !quiet)
}

/// Fetches a release into `home` unless it is there. Whoever comes second waits and finds it.
fn fetch(
    home: &Path,
    release: &Release,
    pythons: &[Python],
    force: bool,
    progress: bool,
) -> Result<Installed> {
    fs_err::create_dir_all(home)?;
    let lock = fs_err::File::create(home.join(".lock"))?;
    if let Err(TryLockError::WouldBlock) = lock.file().try_lock() {
        term::status("Blocking", "waiting for another set-up to end");
    }
    lock.file().lock().with_context(|| format!("cannot lock {}", lock.path().display()))?;
    remove_unfinished(home);
    let folder = release.folder(home);
    if !force && let Some(installed) = Installed::in_folder(&folder, release) {
        return Ok(installed);
    }
    let workspace = tempfile::Builder::new()
        .prefix(UNFINISHED)
        .tempdir_in(home)
        .with_context(|| format!("cannot write in {}", home.display()))?;
    let wheel = pip::download(release, pythons, workspace.path(), progress)?;
    release.check(&wheel)?;
    let unpacked = install::unpack(&wheel, workspace.path(), progress)?;
    install::place(&unpacked, &folder, release)
}

/// Removes what interrupted set-ups left. We hold the lock, so none of it is in use; what cannot
/// be removed does no harm.
fn remove_unfinished(home: &Path) {
    let Ok(entries) = fs_err::read_dir(home) else { return };
    for entry in entries.filter_map(Result::ok) {
        if entry.file_name().to_string_lossy().starts_with(UNFINISHED) {
            let removed = fs_err::remove_dir_all(entry.path());
            tracing::debug!(?removed, path = %entry.path().display(), "unfinished set-up");
        }
    }
}

#[cfg(test)]
mod tests;
