//! The Enzyme of this machine, if it has one.

use std::path::{Path, PathBuf};
use std::{env, fs};

use autodiff_enzyme::protocol::Engine;

/// The engine to test with. Without one the test says that it is skipped, and passes.
pub(crate) fn engine(test: &str) -> Option<Engine> {
    let engine = found();
    if engine.is_none() {
        println!("{test} is skipped: there is no Enzyme; `cargo autodiff setup` fetches one");
    }
    engine
}

/// The engine of this machine: the one that `AUTODIFF_ENZYME` names, or the one that
/// `cargo autodiff setup` fetched.
fn found() -> Option<Engine> {
    let named = env::var_os("AUTODIFF_ENZYME").filter(|value| !value.is_empty()).map(PathBuf::from);
    // A plugin needs an `opt`, which the tool finds.
    let named = named.filter(|path| !path.extension().is_some_and(|end| end == "so" || end == "dylib"));
    let executable = named.or_else(|| fetched(&home()?))?;
    Some(Engine::Catalyst { executable })
}

fn home() -> Option<PathBuf> {
    let folder = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let caches = || {
        let home = folder("HOME")?;
        Some(if cfg!(target_vendor = "apple") { home.join("Library/Caches") } else { home.join(".cache") })
    };
    let cache = || Some(folder("XDG_CACHE_HOME").or_else(caches)?.join("cargo-autodiff"));
    folder("CARGO_AUTODIFF_HOME").or_else(cache)
}

fn fetched(home: &Path) -> Option<PathBuf> {
    let entries = fs::read_dir(home).ok()?;
    let mut found: Vec<_> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.join("manifest.json").exists())
        .map(|path| path.join("catalyst"))
        .filter(|path| path.exists())
        .collect();
    found.sort();
    found.pop()
}
