//! Gives each state of the tool's sources a name of its own, so that a build directory left by
//! another state is not taken for one of ours.

use std::{
    collections::hash_map::DefaultHasher,
    fs,
    hash::{Hash as _, Hasher as _},
    io,
    path::Path,
};

fn main() -> io::Result<()> {
    let mut hash = DefaultHasher::new();
    // In a published crate the second is missing, and its exact version is required instead.
    for folder in ["src", "../enzyme/src"] {
        if Path::new(folder).is_dir() {
            println!("cargo::rerun-if-changed={folder}");
            add(Path::new(folder), &mut hash)?;
        }
    }
    println!("cargo::rustc-env=CARGO_AUTODIFF_SOURCES={:016x}", hash.finish());
    Ok(())
}

/// Adds the files below a folder, in the order of their names.
fn add(folder: &Path, hash: &mut DefaultHasher) -> io::Result<()> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder)? {
        paths.push(entry?.path());
    }
    paths.sort();
    for path in paths {
        if path.is_dir() {
            add(&path, hash)?;
        } else {
            path.hash(hash);
            fs::read(&path)?.hash(hash);
        }
    }
    Ok(())
}
