//! Derivatives kept from one request to the next, by the code that Enzyme was given: when a function
//! changes, only what depends on it is differentiated again.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::error::Error;
use crate::protocol::{Engine, Target};

/// One place in the cache.
pub(crate) struct Entry {
    object: PathBuf,
}

impl Entry {
    /// The place of what an engine makes of a prepared module for a target.
    pub(crate) fn new(
        directory: &Path,
        prepared: &Path,
        engine: &Engine,
        target: &Target,
    ) -> Result<Self, Error> {
        let read = |source| Error::Read { path: prepared.to_owned(), source };
        let mut hasher = blake3::Hasher::new();
        hasher.update(&fs::read(prepared).map_err(read)?);
        hasher.update(format!("{engine:?} {target:?} {}", env!("CARGO_PKG_VERSION")).as_bytes());
        let name = hasher.finalize().to_hex();
        Ok(Entry { object: directory.join(format!("{}.o", &name[..32])) })
    }

    /// The object file, if it is there.
    pub(crate) fn load(&self) -> Option<PathBuf> {
        let file = fs::File::open(&self.object).ok()?;
        // Whoever prunes the directory goes by what was used last.
        let _ = file.set_modified(SystemTime::now());
        Some(self.object.clone())
    }

    /// Keeps a copy of an object file.
    pub(crate) fn store(&self, object: &Path) -> Result<(), Error> {
        let write = |source: io::Error| Error::Write { path: self.object.clone(), source };
        let directory = self.object.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(directory).map_err(write)?;
        // Renamed into place, so that a file that is there is whole.
        let copy = tempfile::NamedTempFile::new_in(directory).map_err(write)?;
        fs::copy(object, copy.path()).map_err(write)?;
        copy.persist(&self.object).map_err(|error| write(error.error))?;
        Ok(())
    }
}
