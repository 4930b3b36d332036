//! The project a command is about: its target directory and settings, as cargo sees them.

use std::{
    env,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result};
use cargo_config2::Config;
use cargo_metadata::{Metadata, MetadataCommand};
use serde::Deserialize;

use crate::{cli::Words, toolchain};

/// What we read of a project.
#[derive(Debug)]
pub(crate) struct Project {
    /// The target directory the user's own builds use.
    pub(crate) target_dir: PathBuf,
    /// `[package.metadata.autodiff]` over `[workspace.metadata.autodiff]`.
    pub(crate) settings: Settings,
}

/// The `autodiff` table of a manifest's metadata.
#[derive(Debug, Default, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct Settings {
    /// The engine, relative to the manifest.
    pub(crate) enzyme: Option<PathBuf>,
    /// As `--defer-errors`.
    pub(crate) defer_errors: Option<bool>,
}

/// cargo's configuration for the current directory, environment included.
pub(crate) fn cargo_config() -> Result<Config> {
    Config::load().context("cannot read cargo's configuration")
}

impl Project {
    /// Asks cargo. None when cargo finds no project; it will say so itself.
    pub(crate) fn find(words: &Words) -> Result<Option<Self>> {
        let mut command = MetadataCommand::new();
        command.cargo_path(toolchain::cargo()).no_deps().other_options(metadata_options(words));
        if let Some(manifest) = manifest_path(words) {
            command.manifest_path(manifest);
        }
        let metadata = match command.exec() {
            Ok(metadata) => metadata,
            Err(error) => {
                tracing::debug!(%error, "no project");
                return Ok(None);
            }
        };
        let settings = Settings::of(&metadata, manifest_path(words).as_deref())?;
        let target_dir = metadata.target_directory.into_std_path_buf();
        Ok(Some(Self { target_dir, settings }))
    }
}

/// The manifest named on the command line; `cargo install --path` names its folder.
fn manifest_path(words: &Words) -> Option<PathBuf> {
    let manifest = words.values("--manifest-path").pop().map(PathBuf::from);
    manifest.or_else(|| Some(PathBuf::from(words.values("--path").pop()?).join("Cargo.toml")))
}

/// The options that decide where cargo looks, to be repeated for `cargo metadata`.
fn metadata_options(words: &Words) -> Vec<String> {
    let flags = ["--offline", "--locked", "--frozen"].into_iter().filter(|flag| words.has(flag));
    let mut options: Vec<String> = flags.map(str::to_owned).collect();
    for name in ["--config", "-Z"] {
        for value in words.values(name) {
            options.push(name.to_owned());
            options.push(value.to_string_lossy().into_owned());
        }
    }
    options
}

impl Settings {
    fn of(metadata: &Metadata, manifest: Option<&Path>) -> Result<Self> {
        let root = metadata.workspace_root.as_std_path();
        let workspace =
            Self::read(&metadata.workspace_metadata, root).context("[workspace.metadata.autodiff]")?;
        let here = match manifest.and_then(Path::parent) {
            Some(folder) => std::path::absolute(folder.join("."))?,
            None => env::current_dir()?,
        };
        let folder_of = |package: &cargo_metadata::Package| {
            package.manifest_path.parent().map(|folder| folder.as_std_path().to_owned())
        };
        // The package we stand in: the innermost folder that holds us.
        let innermost = metadata
            .packages
            .iter()
            .filter_map(|package| Some((folder_of(package)?, package)))
            .filter(|(folder, _)| here.starts_with(folder))
            .max_by_key(|(folder, _)| folder.components().count());
        let Some((folder, package)) = innermost else { return Ok(workspace) };
        let own = Self::read(&package.metadata, &folder)
            .with_context(|| format!("[package.metadata.autodiff] in {}", package.manifest_path))?;
        Ok(Self {
            enzyme: own.enzyme.or(workspace.enzyme),
            defer_errors: own.defer_errors.or(workspace.defer_errors),
        })
    }

    fn read(metadata: &serde_json::Value, folder: &Path) -> Result<Self> {
        let Some(table) = metadata.get("autodiff") else { return Ok(Self::default()) };
        let mut settings = Self::deserialize(table)?;
        settings.enzyme = settings.enzyme.map(|path| folder.join(path));
        Ok(settings)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn settings_are_relative_to_their_manifest() {
        let table = json!({"autodiff": {"enzyme": "tools/Enzyme.so", "defer-errors": true}});
        let settings = Settings::read(&table, Path::new("/project")).unwrap();
        assert_eq!(settings.enzyme.unwrap(), Path::new("/project/tools/Enzyme.so"));
        assert_eq!(settings.defer_errors, Some(true));
    }

    #[test]
    fn misspelt_settings_are_refused() {
        let table = json!({"autodiff": {"enzime": "x"}});
        let error = Settings::read(&table, Path::new("/")).unwrap_err().to_string();
        assert!(error.contains("enzime"), "{error}");
    }
}
