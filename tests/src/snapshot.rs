//! What is in a directory tree, to see later what has changed.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// Length and time of change of every file below a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    root: PathBuf,
    files: BTreeMap<PathBuf, (u64, SystemTime)>,
}

impl Snapshot {
    /// Takes stock of `root`.
    pub fn of(root: &Path) -> Self {
        let mut files = BTreeMap::new();
        walk(root, root, &mut files);
        Self { root: root.to_owned(), files }
    }

    /// Files, relative to the root, that have appeared, gone or changed since.
    pub fn changed_since(&self) -> Vec<PathBuf> {
        let now = Self::of(&self.root);
        let differs = |path: &&PathBuf| self.files.get(*path) != now.files.get(*path);
        let mut changed: Vec<PathBuf> =
            self.files.keys().chain(now.files.keys()).filter(differs).cloned().collect();
        changed.sort();
        changed.dedup();
        changed
    }
}

fn walk(root: &Path, directory: &Path, files: &mut BTreeMap<PathBuf, (u64, SystemTime)>) {
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let path = entry.path();
        let Ok(metadata) = fs::symlink_metadata(&path) else { continue };
        if metadata.is_dir() {
            walk(root, &path, files);
        } else {
            let relative = path.strip_prefix(root).expect("below the root").to_owned();
            files.insert(relative, (metadata.len(), metadata.modified().expect("time of change")));
        }
    }
}
