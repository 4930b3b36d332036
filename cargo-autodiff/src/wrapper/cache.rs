//! Derivatives kept from one link to the next, by the content of all they were made from.
//!
//! They are in two folders: `links` has what came of all the derivatives of a program, `prepared`,
//! which is the worker's, what came of single modules. In each, what was not used for longest is
//! removed when there is more than [`MOST`] of it.

use std::{
    fs::File,
    io,
    path::{Path, PathBuf},
    time::{SystemTime, UNIX_EPOCH},
};

use anyhow::Result;
use autodiff_enzyme::protocol::{Response, Site, Target};
use fs_err as fs;

use super::pack::HashedModule;
use crate::session::Session;

/// In the target directory.
const FOLDER: &str = "derivatives";
/// As many entries are kept in each folder.
const MOST: usize = 200;

/// Where the worker keeps what it makes.
pub(crate) fn prepared(target_dir: &Path) -> PathBuf {
    target_dir.join(FOLDER).join("prepared")
}

fn links(target_dir: &Path) -> PathBuf {
    target_dir.join(FOLDER).join("links")
}

/// Removes what was not used for longest. A build does not need that to succeed.
pub(crate) fn prune(target_dir: &Path) {
    // A lock goes with each entry of the first.
    for (folder, most) in [(links(target_dir), 2 * MOST), (prepared(target_dir), MOST)] {
        if let Err(error) = remove_oldest(&folder, most) {
            tracing::debug!("{error}");
        }
    }
}

fn remove_oldest(folder: &Path, most: usize) -> io::Result<()> {
    let mut entries = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        entries.push((entry.metadata()?.modified()?, entry.path()));
    }
    entries.sort();
    let surplus = entries.len().saturating_sub(most);
    for (_, path) in &entries[..surplus] {
        if path.is_dir() {
            fs::remove_dir_all(path)?;
        } else {
            fs::remove_file(path)?;
        }
    }
    Ok(())
}

/// Makes an entry the last that was used.
fn touch(path: &Path) -> io::Result<()> {
    File::open(path)?.set_modified(SystemTime::now())
}

/// A directory of responses and their objects.
pub(crate) struct Cache {
    dir: PathBuf,
}

/// Names one entry.
pub(crate) struct Key(String);

impl Key {
    /// Covers everything that can change the derivatives. The standard library's bitcode is as rustc's
    /// release says.
    pub(crate) fn new(
        session: &Session,
        sites: &[Site],
        target: &Target,
        modules: &[HashedModule],
    ) -> Result<Self> {
        let symbols: Vec<_> = sites.iter().map(|site| &site.symbol).collect();
        let hashes: Vec<_> = modules.iter().map(|module| &module.hash).collect();
        let identity = serde_json::to_vec(&(
            identity_of(&session.executable)?,
            &session.engine,
            &session.rustc_release,
            &session.sysroot,
            symbols,
            target,
            hashes,
        ))?;
        Ok(Self(blake3::hash(&identity).to_hex()[..32].to_owned()))
    }
}

/// Changes whenever the program is installed anew.
fn identity_of(executable: &Path) -> Result<(&'static str, u64, u128)> {
    let metadata = fs::metadata(executable)?;
    let changed = metadata.modified()?.duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
    Ok((env!("CARGO_PKG_VERSION"), metadata.len(), changed))
}

impl Cache {
    pub(crate) fn new(target_dir: &Path) -> Self {
        Self { dir: links(target_dir) }
    }

    /// Keeps others from making the same derivatives meanwhile; ends with the value.
    pub(crate) fn lock(&self, key: &Key) -> Result<File> {
        fs::create_dir_all(&self.dir)?;
        let lock = File::create(self.dir.join(format!("{}.lock", key.0)))?;
        lock.lock()?;
        lock.set_modified(SystemTime::now())?;
        Ok(lock)
    }

    /// The response stored under a key, if all of it is there.
    pub(crate) fn load(&self, key: &Key) -> Option<Response> {
        let dir = self.dir.join(&key.0);
        let json = fs::read(dir.join("response.json")).ok()?;
        let mut response: Response = serde_json::from_slice(&json).ok()?;
        for object in &mut response.objects {
            *object = dir.join(&*object);
        }
        touch(&dir).ok()?;
        response.objects.iter().all(|object| object.is_file()).then_some(response)
    }

    /// Stores a response; returns it with its objects where they are now.
    pub(crate) fn store(&self, key: &Key, response: &Response) -> Result<Response> {
        let new = tempfile::tempdir_in(&self.dir)?;
        let mut stored = response.clone();
        for (number, object) in stored.objects.iter_mut().enumerate() {
            let name = PathBuf::from(format!("derivatives-{number}.o"));
            fs::copy(&*object, new.path().join(&name))?;
            *object = name;
        }
        fs::write(new.path().join("response.json"), serde_json::to_vec(&stored)?)?;
        let dir = self.dir.join(&key.0);
        if dir.exists() {
            fs::remove_dir_all(&dir)?;
        }
        fs::rename(new.keep(), &dir)?;
        for object in &mut stored.objects {
            *object = dir.join(&*object);
        }
        Ok(stored)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_used_last_is_kept() {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name);
        fs::create_dir(path("old")).unwrap();
        fs::write(path("old/file"), "").unwrap();
        fs::write(path("older"), "").unwrap();
        for (age, name) in [(2, "old"), (3, "older")] {
            let time = SystemTime::now() - std::time::Duration::from_hours(age);
            File::open(path(name)).unwrap().set_modified(time).unwrap();
        }
        fs::write(path("new"), "").unwrap();
        remove_oldest(dir.path(), 3).unwrap();
        assert!(path("older").exists());
        touch(&path("older")).unwrap();
        remove_oldest(dir.path(), 2).unwrap();
        assert!(!path("old").exists() && path("older").exists() && path("new").exists());
    }

    #[test]
    fn stores_and_finds() {
        let dir = tempfile::tempdir().unwrap();
        let object = dir.path().join("a.o");
        fs::write(&object, "code").unwrap();
        let cache = Cache::new(dir.path());
        let key = Key("k".into());
        let _lock = cache.lock(&key).unwrap();
        assert!(cache.load(&key).is_none());
        let response = Response { objects: vec![object], derived: vec!["d".into()], ..Response::default() };
        for _ in 0..2 {
            cache.store(&key, &response).unwrap();
            let found = cache.load(&key).unwrap();
            assert_eq!(fs::read_to_string(&found.objects[0]).unwrap(), "code");
            assert_eq!(found.derived, ["d"]);
        }
        fs::remove_file(dir.path().join("derivatives/links/k/derivatives-0.o")).unwrap();
        assert!(cache.load(&key).is_none());
    }
}
