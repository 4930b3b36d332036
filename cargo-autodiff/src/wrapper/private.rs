//! A directory of its own for the output of each captured rustc, so that bitcode and other temporary
//! files belong to their crate by construction and nothing has to be swept up afterwards.

use std::{
    ffi::OsString,
    fs::File,
    io,
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::{Context as _, Result};
use fs_err as fs;

const PREFIX: &str = ".autodiff-";
/// Where our own files are, apart from rustc's.
const OURS: &str = ".autodiff";
/// Time after which an unused directory is removed: it was left by a process that was killed.
const STALE: Duration = Duration::from_mins(1);

/// Lies inside the directory the output is meant for, hence on the same file system; removed when
/// dropped.
pub(crate) struct PrivateDir {
    path: PathBuf,
    out_dir: PathBuf,
    /// Tells others that the directory is in use.
    _lock: File,
}

impl PrivateDir {
    /// The same arguments give the same name, because it can end up in debug information.
    pub(crate) fn create(out_dir: &Path, arguments: &[OsString]) -> Result<Self> {
        fs::create_dir_all(out_dir)?;
        sweep(out_dir);
        let mut hasher = blake3::Hasher::new();
        for argument in arguments {
            hasher.update(argument.as_encoded_bytes()).update(&[0]);
        }
        let name = format!("{PREFIX}{}", &hasher.finalize().to_hex()[..16]);
        let path = out_dir.join(name);
        let _ = is_free(&path).then(|| fs::remove_dir_all(&path));
        let path = match fs::create_dir(&path) {
            Ok(()) => path,
            // Somebody else is doing the very same.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                tempfile::Builder::new().prefix(PREFIX).tempdir_in(out_dir)?.keep()
            }
            Err(error) => return Err(error).context("cannot write where rustc is to write"),
        };
        fs::create_dir(path.join(OURS))?;
        let lock = File::create(lock_path(&path))?;
        lock.lock()?;
        Ok(Self { path, out_dir: out_dir.to_owned(), _lock: lock })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// For files that are not rustc's.
    pub(crate) fn ours(&self) -> PathBuf {
        self.path().join(OURS)
    }

    /// What sets paths in here apart from the same paths in the output directory.
    pub(crate) fn component(&self) -> String {
        let name = self.path().file_name().unwrap_or_default().to_string_lossy();
        format!("{name}/")
    }

    /// Makes a file visible in the output directory while rustc may still be using it here.
    pub(crate) fn publish(&self, file: &Path) -> Result<()> {
        let Some(name) = file.file_name() else { return Ok(()) };
        let source = self.path().join(name);
        let copy = self.ours().join(name);
        if fs::hard_link(&source, &copy).is_err() {
            fs::copy(&source, &copy)?;
        }
        Ok(fs::rename(copy, self.out_dir.join(name))?)
    }

    /// Moves what rustc was asked for to the output directory: everything that `is_output` accepts.
    pub(crate) fn move_out(&self, is_output: impl Fn(&str, bool) -> bool) -> Result<()> {
        for entry in fs::read_dir(self.path())? {
            let entry = entry?;
            let name = entry.file_name();
            let is_dir = entry.file_type()?.is_dir();
            if !is_output(&name.to_string_lossy(), is_dir) {
                continue;
            }
            let destination = self.out_dir.join(&name);
            if is_dir && destination.is_dir() {
                fs::remove_dir_all(&destination)?;
            }
            fs::rename(entry.path(), destination)?;
        }
        Ok(())
    }

    /// The bitcode rustc left, in a fixed order.
    pub(crate) fn bitcode(path: &Path) -> Result<Vec<PathBuf>> {
        let mut found = Vec::new();
        for entry in fs::read_dir(path)? {
            let path = entry?.path();
            if path.to_string_lossy().ends_with(".no-opt.bc") {
                found.push(path);
            }
        }
        found.sort();
        Ok(found)
    }
}

impl Drop for PrivateDir {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.path) {
            tracing::warn!("{error}");
        }
    }
}

fn lock_path(private: &Path) -> PathBuf {
    private.join(OURS).join("lock")
}

/// Removes what killed processes left behind. Failing to is no reason to stop.
fn sweep(out_dir: &Path) {
    let Ok(entries) = fs::read_dir(out_dir) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        let is_old = || {
            path.metadata().and_then(|m| m.modified()).is_ok_and(|m| m.elapsed().is_ok_and(|age| age > STALE))
        };
        if entry.file_name().to_string_lossy().starts_with(PREFIX) && is_old() && is_free(&path) {
            let _ = fs::remove_dir_all(path);
        }
    }
}

/// Whether a directory is one that nobody uses any more. In one that is just being made there is no
/// lock yet.
fn is_free(private: &Path) -> bool {
    File::open(lock_path(private)).is_ok_and(|lock| lock.try_lock().is_ok())
}

/// Whether a file was asked for, rather than kept by `-Csave-temps`.
pub(crate) fn is_output(name: &str, is_dir: bool, emit: &[String]) -> bool {
    if is_dir {
        return name.ends_with(".dSYM");
    }
    let emitted = |kind: &str| emit.iter().any(|e| e == kind);
    let Some((_, extension)) = name.split_once(".rcgu.") else { return true };
    // With several codegen units there is one of these for each.
    match extension {
        "s" => emitted("asm"),
        "ll" => emitted("llvm-ir"),
        "bc" => emitted("llvm-bc"),
        "o" => emitted("obj"),
        "dwo" => true,
        _ => false,
    }
}

/// Whether a file is of use even though rustc failed: a type too long for the message it is part of.
pub(crate) fn is_message(name: &str) -> bool {
    name.contains(".long-type-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_output_from_temporaries() {
        let emit = ["link".to_owned(), "asm".to_owned()];
        for output in ["libx-1.rlib", "x-1", "x-1.d", "x-1.dwp", "x-1.x.0.rcgu.s", "rmetaAb12Cd"] {
            assert!(is_output(output, false, &emit), "{output}");
        }
        for temporary in ["x-1.x.0.rcgu.o", "x-1.x.0.rcgu.no-opt.bc", "x-1.x.0.rcgu.bc"] {
            assert!(!is_output(temporary, false, &emit), "{temporary}");
        }
        assert!(is_output("x-1.dSYM", true, &emit));
        assert!(!is_output("rmetaAb12Cd", true, &emit));
    }

    #[test]
    fn moves_output_and_leaves_nothing() {
        let out = tempfile::tempdir().unwrap();
        let private = PrivateDir::create(out.path(), &[]).unwrap();
        fs::write(private.path().join("liba.rmeta"), "meta").unwrap();
        fs::write(private.path().join("a.0.rcgu.no-opt.bc"), "bitcode").unwrap();
        private.publish(Path::new("elsewhere/liba.rmeta")).unwrap();
        assert!(out.path().join("liba.rmeta").exists());
        private.move_out(|name, is_dir| is_output(name, is_dir, &[])).unwrap();
        drop(private);
        // Left by a process that was killed, and made anew for the same arguments.
        let stale = PrivateDir::create(out.path(), &[]).unwrap().path().to_owned();
        fs::create_dir_all(stale.join(OURS)).unwrap();
        fs::write(lock_path(&stale), "").unwrap();
        let again = PrivateDir::create(out.path(), &[]).unwrap();
        assert_eq!(again.path(), stale);
        assert_ne!(PrivateDir::create(out.path(), &[]).unwrap().path(), stale);
        drop(again);
        let left: Vec<_> = fs::read_dir(out.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert_eq!(left, ["liba.rmeta"]);
    }
}
