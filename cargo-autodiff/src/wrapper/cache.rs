//! Derivatives kept from one link to the next, by the content of all they were made from.

use std::{
    fs::File,
    path::{Path, PathBuf},
    time::UNIX_EPOCH,
};

use anyhow::Result;
use autodiff_enzyme::protocol::{Response, Site, Target};
use fs_err as fs;

use super::pack::HashedModule;
use crate::session::Session;

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
        Self { dir: target_dir.join("derivatives") }
    }

    /// Keeps others from making the same derivatives meanwhile; ends with the value.
    pub(crate) fn lock(&self, key: &Key) -> Result<File> {
        fs::create_dir_all(&self.dir)?;
        let lock = File::create(self.dir.join(format!("{}.lock", key.0)))?;
        lock.lock()?;
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
        fs::remove_file(dir.path().join("derivatives/k/derivatives-0.o")).unwrap();
        assert!(cache.load(&key).is_none());
    }
}
