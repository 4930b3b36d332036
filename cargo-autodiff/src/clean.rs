//! `cargo autodiff clean`.

use std::process::ExitCode;

use anyhow::{Result, bail};

use crate::{
    cli::Words,
    project::Project,
    target_dir::{self, FOLDER},
    term,
};

/// Options of cargo's that do not narrow what is to be removed.
const GENERAL: [&str; 13] = [
    "-v",
    "-vv",
    "--verbose",
    "-q",
    "--quiet",
    "--color",
    "--config",
    "-Z",
    "--manifest-path",
    "--target-dir",
    "--offline",
    "--locked",
    "--frozen",
];

/// Whether all of ours is to go; `-p`, `--release` and the like are cargo's to interpret.
pub(crate) fn is_whole(words: &Words) -> bool {
    words.options().all(|option| GENERAL.contains(&option.as_str()))
}

/// Removes our folder in the target directory, whatever engine or options filled it.
pub(crate) fn run(mut words: Words) -> Result<ExitCode> {
    let named = words.take_target_dir();
    let target_dir = match (named, Project::find(&words)?) {
        (Some(named), _) => std::path::absolute(named)?,
        (None, Some(project)) => project.target_dir,
        (None, None) => bail!("there is no Cargo.toml here or above, so there is nothing to clean"),
    };
    let folder = target_dir.join(FOLDER);
    let removed = target_dir::remove(&folder)?;
    if !words.is_quiet() {
        let what = if removed { "" } else { " (it was not there)" };
        term::status("Removed", format!("{}{what}", folder.display()));
    }
    Ok(ExitCode::SUCCESS)
}
