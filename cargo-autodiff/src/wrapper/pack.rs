//! The bitcode of one library crate, in a file beside the library.
//!
//! A pack is a zip file whose members are stored as they are, so that a module can be read in place.

use std::{
    collections::{HashSet, VecDeque},
    fs::File,
    io::{BufReader, Write as _},
    path::{Path, PathBuf, absolute},
};

use anyhow::{Context as _, Result, bail};
use autodiff_enzyme::protocol::Module;
use fs_err as fs;
use serde::{Deserialize, Serialize};
use tempfile::NamedTempFile;
use zip::{CompressionMethod, ZipArchive, ZipWriter, write::SimpleFileOptions};

use super::args::Extern;

const EXTENSION: &str = "autodiff";
const INDEX: &str = "crate.json";
const FORMAT: u32 = 1;

/// What a pack says of its crate.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Index {
    format: u32,
    name: String,
    /// The libraries the crate was built on; relative to the pack's directory where they are in it.
    externs: Vec<PathBuf>,
    /// BLAKE3 of each module, in the order of the members.
    hashes: Vec<String>,
}

/// Bitcode and the hash of its content.
#[derive(Debug, Clone)]
pub(crate) struct HashedModule {
    pub(crate) module: Module,
    pub(crate) hash: String,
}

/// Where the pack of a library is.
pub(crate) fn path_beside(library: &Path) -> PathBuf {
    library.with_extension(EXTENSION)
}

/// Packs the bitcode of a crate.
pub(crate) fn write(pack: &Path, name: &str, externs: &[Extern], bitcode: &[PathBuf]) -> Result<()> {
    let dir = absolute(pack.parent().unwrap_or(Path::new("")))?;
    let externs = externs
        .iter()
        .filter_map(|e| e.path.as_ref())
        .map(|path| Ok(relative(&absolute(path)?, &dir)))
        .collect::<Result<_>>()?;
    let contents = bitcode.iter().map(fs::read).collect::<std::io::Result<Vec<_>>>()?;
    let hashes = contents.iter().map(|bytes| hash(bytes)).collect();
    let index = Index { format: FORMAT, name: name.to_owned(), externs, hashes };

    let mut file = new_file(&dir)?;
    let mut zip = ZipWriter::new(&mut file);
    let stored = SimpleFileOptions::default().compression_method(CompressionMethod::Stored).large_file(true);
    zip.start_file(INDEX, stored)?;
    zip.write_all(&serde_json::to_vec(&index)?)?;
    for (number, bytes) in contents.iter().enumerate() {
        zip.start_file(format!("{number}.bc"), stored)?;
        zip.write_all(bytes)?;
    }
    zip.finish()?;
    file.persist(pack).with_context(|| format!("cannot write `{}`", pack.display()))?;
    Ok(())
}

/// A temporary file that others may read once it has its name.
fn new_file(dir: &Path) -> Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    Ok(builder.tempfile_in(dir)?)
}

fn relative(path: &Path, dir: &Path) -> PathBuf {
    path.strip_prefix(dir).unwrap_or(path).to_owned()
}

fn hash(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

/// The libraries a crate was built on, and its modules.
fn read(pack: &Path) -> Result<(Vec<PathBuf>, Vec<HashedModule>)> {
    let context = || format!("`{}` is damaged", pack.display());
    let mut zip = ZipArchive::new(BufReader::new(File::open(pack)?)).with_context(context)?;
    let index: Index =
        serde_json::from_reader(zip.by_name(INDEX).with_context(context)?).with_context(context)?;
    if index.format != FORMAT {
        bail!("`{}` was written by another version of cargo-autodiff", pack.display());
    }
    let mut modules = Vec::new();
    for (number, hash) in index.hashes.into_iter().enumerate() {
        let member = zip.by_name(&format!("{number}.bc")).with_context(context)?;
        let module = Module {
            path: pack.to_owned(),
            offset: member.data_start().with_context(context)?,
            length: member.size(),
            krate: index.name.clone(),
            std: false,
        };
        modules.push(HashedModule { module, hash });
    }
    let dir = pack.parent().unwrap_or(Path::new(""));
    Ok((index.externs.into_iter().map(|path| dir.join(path)).collect(), modules))
}

/// The modules of a crate that is just being built.
pub(crate) fn own_modules(name: &str, bitcode: &[PathBuf]) -> Result<Vec<HashedModule>> {
    let module = |path: &PathBuf| {
        let bytes = fs::read(path)?;
        let module = Module {
            path: path.clone(),
            offset: 0,
            length: bytes.len() as u64,
            krate: name.to_owned(),
            std: false,
        };
        Ok(HashedModule { module, hash: hash(&bytes) })
    };
    bitcode.iter().map(module).collect()
}

/// The modules of the given libraries and of everything they were built on. Libraries in `target_dir`
/// must have a pack.
pub(crate) fn closure(libraries: Vec<PathBuf>, target_dir: &Path) -> Result<Vec<HashedModule>> {
    let mut queue = VecDeque::from(libraries);
    let mut seen = HashSet::new();
    let mut modules = Vec::new();
    while let Some(library) = queue.pop_front() {
        let pack = path_beside(&library);
        if !seen.insert(pack.clone()) {
            continue;
        }
        if pack.exists() {
            let (externs, own) = read(&pack)?;
            queue.extend(externs);
            modules.extend(own);
        } else if needs_pack(&library) && library.starts_with(target_dir) {
            let name = crate_name(&library);
            bail!(
                "the bitcode of crate `{name}` is missing: run `cargo autodiff clean -p {name}` and build again"
            );
        }
    }
    Ok(modules)
}

/// Procedural macros and foreign shared libraries have none.
fn needs_pack(library: &Path) -> bool {
    library.extension().is_some_and(|e| e == "rlib" || e == "rmeta")
}

/// `num` for `libnum-0123.rlib`.
fn crate_name(library: &Path) -> String {
    let stem = library.file_stem().unwrap_or_default().to_string_lossy();
    let stem = stem.strip_prefix("lib").unwrap_or(&stem);
    stem.rsplit_once('-').map_or(stem, |(name, _)| name).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn library(dir: &Path, name: &str, on: &[&str], bitcode: &[u8]) -> PathBuf {
        let externs: Vec<_> = on
            .iter()
            .map(|n| Extern { name: (*n).into(), path: Some(dir.join(format!("lib{n}-1.rmeta"))) })
            .collect();
        let file = dir.join(format!("{name}.0.rcgu.no-opt.bc"));
        fs::write(&file, bitcode).unwrap();
        let library = dir.join(format!("lib{name}-1.rlib"));
        write(&path_beside(&library), name, &externs, &[file]).unwrap();
        library
    }

    #[test]
    fn follows_dependencies_and_gives_places() {
        let dir = tempfile::Builder::new().prefix("with space").tempdir().unwrap();
        library(dir.path(), "base", &[], b"BC base");
        library(dir.path(), "left", &["base"], b"BC left");
        let top = library(dir.path(), "top", &["left", "base"], b"BC top");
        // Packs may move together with their libraries.
        let moved = dir.path().with_extension("moved");
        fs::rename(dir.path(), &moved).unwrap();
        let top = moved.join(top.file_name().unwrap());
        let modules = closure(vec![top], &moved).unwrap();
        let names: Vec<_> = modules.iter().map(|m| m.module.krate.as_str()).collect();
        assert_eq!(names, ["top", "left", "base"]);
        for HashedModule { module, hash: expected } in &modules {
            let bytes = fs::read(&module.path).unwrap();
            let bytes = &bytes[module.offset as usize..][..module.length as usize];
            assert_eq!(bytes, format!("BC {}", module.krate).as_bytes());
            assert_eq!(hash(bytes), *expected);
        }
        fs::remove_dir_all(moved).unwrap();
    }

    #[test]
    fn names_the_crate_whose_pack_is_missing() {
        let dir = tempfile::tempdir().unwrap();
        let missing = dir.path().join("libgone-12ab.rlib");
        let error = closure(vec![missing.clone()], dir.path()).unwrap_err();
        assert!(error.to_string().contains("cargo autodiff clean -p gone"), "{error}");
        assert!(closure(vec![missing], Path::new("/elsewhere")).unwrap().is_empty());
    }
}
