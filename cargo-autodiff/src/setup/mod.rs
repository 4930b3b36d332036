//! `cargo autodiff setup`: Enzyme, fetched once for all projects of a user.
//!
//! The engine is the compiler of the package `pennylane-catalyst`, one self-contained executable.
//! pip fetches the package by its name and a hash pinned here ([`release`], [`pip`]); the
//! executable is unpacked beside a manifest that says what it must be ([`install`]).

mod install;
mod release;

use std::{env, path::PathBuf};

use anyhow::{Context as _, Result};

pub(crate) use install::Installed;

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
