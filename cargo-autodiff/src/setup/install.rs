//! The unpacked engine and the manifest that vouches for it.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::release::{Release, VERSION};

const EXECUTABLE: &str = "catalyst";
const MANIFEST: &str = "manifest.json";

/// What an engine must be to count as complete; written after it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Manifest {
    version: String,
    wheel_sha256: String,
    size: u64,
}

/// An engine that is complete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Installed {
    pub(crate) executable: PathBuf,
    pub(crate) identity: String,
}

impl Installed {
    /// The engine in a folder, unless it is missing, cut short or another one.
    pub(crate) fn in_folder(folder: &Path, release: &Release) -> Option<Self> {
        let manifest = std::fs::read(folder.join(MANIFEST)).ok()?;
        let manifest: Manifest = serde_json::from_slice(&manifest).ok()?;
        let executable = folder.join(EXECUTABLE);
        let size = std::fs::metadata(&executable).ok()?.len();
        let complete =
            manifest.size == size && manifest.version == VERSION && manifest.wheel_sha256 == release.sha256;
        let identity = format!("catalyst {VERSION} {}", release.sha256);
        complete.then_some(Self { executable, identity })
    }
}
