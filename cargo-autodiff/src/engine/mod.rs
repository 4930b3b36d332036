//! Which Enzyme to use, and where it comes from.

mod plugin;
mod probe;

use std::{
    env,
    fmt::{self, Display, Formatter},
    path::{Path, PathBuf},
    time::UNIX_EPOCH,
};

use anyhow::{Context as _, Result, bail};
use autodiff_enzyme::protocol::Engine;

use crate::{
    project::Settings,
    setup::{self, Installed},
};

pub(crate) use probe::{probe, version};

/// An engine that is there.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    pub(crate) engine: Engine,
    pub(crate) origin: Origin,
    /// Changes when the engine does.
    pub(crate) identity: String,
}

impl From<Installed> for Found {
    fn from(installed: Installed) -> Self {
        let engine = Engine::Catalyst { executable: installed.executable };
        Self { engine, origin: Origin::Setup, identity: installed.identity }
    }
}

/// Who named an engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    CommandLine,
    Environment,
    Manifest,
    Setup,
    System,
}

impl Display for Origin {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::CommandLine => "--enzyme",
            Self::Environment => "AUTODIFF_ENZYME",
            Self::Manifest => "metadata.autodiff in Cargo.toml",
            Self::Setup => "cargo autodiff setup",
            Self::System => "found on this system",
        })
    }
}

/// Looks for an engine. What somebody named must work; else comes what `setup` fetched, else an
/// Enzyme that the system has. None when there is none.
pub(crate) fn find(option: Option<&Path>, settings: &Settings) -> Result<Option<Found>> {
    let variable = env::var_os("AUTODIFF_ENZYME").filter(|value| !value.is_empty());
    let named = [
        (option.map(Path::to_owned), Origin::CommandLine),
        (variable.map(PathBuf::from), Origin::Environment),
        (settings.enzyme.clone(), Origin::Manifest),
    ];
    for (path, origin) in named {
        if let Some(path) = path {
            let found = at(&path, origin);
            return found.map(Some).with_context(|| format!("the engine named by {origin}"));
        }
    }
    if let Some(installed) = setup::installed()? {
        return Ok(Some(installed.into()));
    }
    plugin::on_system().map(|path| at(&path, Origin::System)).transpose()
}

/// The engine that a path stands for: a shared library is a plugin, anything else is run.
fn at(path: &Path, origin: Origin) -> Result<Found> {
    let path = std::path::absolute(path)?;
    let size_and_time = identity(&path)?;
    let is_plugin = path.extension().is_some_and(|end| end == "so" || end == "dylib");
    if !is_plugin {
        if !is_executable(&path) {
            bail!("{} is neither an Enzyme plugin (.so, .dylib) nor executable", path.display());
        }
        let engine = Engine::Catalyst { executable: path };
        return Ok(Found { engine, origin, identity: size_and_time });
    }
    let opt = plugin::opt_for(&path)?;
    let identity = format!("{size_and_time} {}", identity(&opt)?);
    Ok(Found { engine: Engine::Plugin { opt, plugin: path }, origin, identity })
}

/// Path, size and time of change.
fn identity(path: &Path) -> Result<String> {
    let file = fs_err::metadata(path)?;
    if !file.is_file() {
        bail!("{} is not a file", path.display());
    }
    let time = file.modified()?.duration_since(UNIX_EPOCH).unwrap_or_default();
    Ok(format!("{} {} {}", path.display(), file.len(), time.as_nanos()))
}

fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    fs_err::metadata(path).is_ok_and(|file| file.permissions().mode() & 0o111 != 0)
}

/// The files an engine consists of, the one that is run first.
pub(crate) fn files(engine: &Engine) -> Vec<&Path> {
    match engine {
        Engine::Catalyst { executable } => vec![executable],
        Engine::Plugin { opt, plugin } => vec![opt, plugin],
    }
}
