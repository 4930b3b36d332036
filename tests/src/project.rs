//! Crates to run the tool on.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::Invocation;
use crate::tool::{cargo, repository, scratch, tool};

/// A crate or workspace in the scratch directory.
pub struct Project {
    directory: PathBuf,
    target: Option<PathBuf>,
}

impl Project {
    /// A copy of `fixtures/<fixture>`, made once per process: tests that share it do not change it.
    pub fn fixture(fixture: &str) -> Self {
        static PLACED: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
        let mut placed = PLACED.lock().unwrap_or_else(PoisonError::into_inner);
        if !placed.insert(fixture.to_owned()) {
            return Self::below_scratch(fixture);
        }
        let mut files = BTreeMap::new();
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures").join(fixture);
        collect(&source, Path::new(""), &mut files);
        Self::with_files(fixture, files)
    }

    /// A package called `name` with these files besides its manifest, which depends on the runtime crate.
    pub fn package(name: &str, files: &[(&str, &str)]) -> Self {
        let manifest = format!(
            "[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[dependencies]\n\
             autodiff-runtime = {{ path = \"../../../autodiff-runtime\" }}\n\n[workspace]\n"
        );
        let mut all = BTreeMap::from([(PathBuf::from("Cargo.toml"), manifest.into_bytes())]);
        all.extend(files.iter().map(|(path, text)| (PathBuf::from(path), text.as_bytes().to_vec())));
        Self::with_files(name, all)
    }

    /// Moves the project, to build it where paths are odd.
    #[must_use]
    pub fn moved_below(self, folder: &str) -> Self {
        let name = self.directory.file_name().expect("name of the project");
        let directory = scratch().join(folder).join(name);
        fs::create_dir_all(directory.parent().expect("parent")).expect("folder for the project");
        remove(&directory);
        fs::rename(&self.directory, &directory).expect("the project moves");
        Self { directory, ..self }
    }

    /// Builds in a target directory that only projects with the same word share.
    #[must_use]
    pub fn with_target(mut self, word: &str) -> Self {
        self.target = Some(scratch().join("targets").join(word));
        self
    }

    /// Builds below the project itself, from nothing, as a user's project does; others share a target directory.
    #[must_use]
    pub fn with_own_target(mut self) -> Self {
        self.target = None;
        remove(&self.path("target"));
        self
    }

    /// A path in the project.
    pub fn path(&self, relative: impl AsRef<Path>) -> PathBuf {
        self.directory.join(relative)
    }

    /// Writes a file of the project.
    pub fn write(&self, relative: impl AsRef<Path>, text: &str) {
        write(&self.path(relative), text.as_bytes());
    }

    /// Replaces `old`, which must occur, in a file of the project.
    pub fn edit(&self, relative: impl AsRef<Path>, old: &str, new: &str) {
        let path = self.path(relative);
        let text = fs::read_to_string(&path).expect("file of the project");
        assert!(text.contains(old), "{} lacks {old:?}", path.display());
        write(&path, text.replace(old, new).as_bytes());
    }

    /// `cargo autodiff <arguments>`, started the way cargo starts a subcommand.
    pub fn autodiff<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Invocation {
        self.command(tool()).env("CARGO", cargo()).arg("autodiff").args(arguments)
    }

    /// `cargo <arguments>`, without the tool.
    pub fn cargo<S: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = S>) -> Invocation {
        self.command(cargo()).args(arguments)
    }

    /// Any other program in the project's directory.
    pub fn command(&self, program: impl AsRef<OsStr>) -> Invocation {
        let invocation = Invocation::new(program, &self.directory);
        match &self.target {
            Some(target) => invocation.env("CARGO_TARGET_DIR", target),
            None => invocation,
        }
    }

    /// Puts the files in place, leaving equal ones alone so that cargo finds them unchanged.
    fn with_files(name: &str, mut files: BTreeMap<PathBuf, Vec<u8>>) -> Self {
        let directory = scratch().join(name);
        let lock = fs::read(repository().join("Cargo.lock")).expect("Cargo.lock of the repository");
        files.insert("Cargo.lock".into(), lock);
        for (path, contents) in &mut files {
            if path.ends_with("Cargo.toml") {
                *contents = with_absolute_runtime(&String::from_utf8_lossy(contents)).into_bytes();
            }
        }
        remove_others(&directory, Path::new(""), &files);
        for (path, contents) in &files {
            write(&directory.join(path), contents);
        }
        Self::below_scratch(name)
    }

    fn below_scratch(name: &str) -> Self {
        Self { directory: scratch().join(name), target: Some(scratch().join("target")) }
    }
}

/// Rewrites `path = "../../../autodiff-runtime"` for a manifest that has left the repository.
fn with_absolute_runtime(manifest: &str) -> String {
    let absolute = repository().join("autodiff-runtime");
    let replace = |line: &str| match line.split_once("path = \"../") {
        Some((before, rest)) if rest.contains("../autodiff-runtime\"") => {
            let after = rest.split_once('"').map_or("", |(_, after)| after);
            format!("{before}path = {:?}{after}\n", absolute.display().to_string())
        }
        _ => format!("{line}\n"),
    };
    manifest.lines().map(replace).collect()
}

fn collect(directory: &Path, relative: &Path, files: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs::read_dir(directory).expect("directory of the fixture").flatten() {
        let (path, relative) = (entry.path(), relative.join(entry.file_name()));
        if path.is_dir() {
            // Left behind by someone who ran the fixture where it stands.
            if entry.file_name() != "target" {
                collect(&path, &relative, files);
            }
        } else {
            files.insert(relative, fs::read(&path).expect("file of the fixture"));
        }
    }
}

/// Removes what an earlier run of the tests left in the project, but not what it built.
fn remove_others(directory: &Path, relative: &Path, files: &BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let (path, relative) = (entry.path(), relative.join(entry.file_name()));
        if relative == Path::new("target") || files.contains_key(&relative) {
            continue;
        }
        if files.keys().any(|file| file.starts_with(&relative)) {
            remove_others(&path, &relative, files);
        } else {
            remove(&path);
        }
    }
}

fn remove(path: &Path) {
    let removed = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    if let Err(error) = removed {
        assert!(!path.exists(), "{} cannot be removed: {error}", path.display());
    }
}

fn write(path: &Path, contents: &[u8]) {
    if fs::read(path).ok().as_deref() != Some(contents) {
        fs::create_dir_all(path.parent().expect("parent of a file")).expect("directory in the project");
        fs::write(path, contents).expect("file in the project");
    }
}
