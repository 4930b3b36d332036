//! The bitcode of the precompiled standard library, which its objects carry in a section.

use std::{
    fs::File,
    path::{Path, PathBuf},
};

use anyhow::Result;
use autodiff_enzyme::protocol::Module;
use fs_err as fs;
use object::{Object as _, ObjectSection as _, ReadCache, ReadRef as _, read::archive::ArchiveFile};

/// Crates of the sysroot that no differentiated function can use.
const LEFT_OUT: &[&str] = &[
    "compiler_builtins",
    "getopts",
    "panic_abort",
    "proc_macro",
    "profiler_builtins",
    "rustc_literal_escaper",
    "sysroot",
    "test",
    "unicode_width",
];

/// The libraries of a target.
pub(crate) fn library_dir(sysroot: &Path, target: &str) -> PathBuf {
    sysroot.join("lib/rustlib").join(target).join("lib")
}

/// Where each module of the standard library is. Empty if the toolchain was built without bitcode.
pub(crate) fn modules(sysroot: &Path, target: &str) -> Result<Vec<Module>> {
    let dir = library_dir(sysroot, target);
    let mut libraries = Vec::new();
    for entry in fs::read_dir(&dir)? {
        let path = entry?.path();
        if let Some(name) = crate_name(&path)
            && !LEFT_OUT.contains(&name.as_str())
        {
            libraries.push((name, path));
        }
    }
    libraries.sort();
    let mut modules = Vec::new();
    for (name, path) in libraries {
        library_modules(&name, &path, &mut modules)?;
    }
    Ok(modules)
}

/// `core` for `libcore-0123.rlib`.
fn crate_name(path: &Path) -> Option<String> {
    if path.extension()? != "rlib" {
        return None;
    }
    let stem = path.file_stem()?.to_str()?.strip_prefix("lib")?;
    Some(stem.rsplit_once('-').map_or(stem, |(name, _)| name).to_owned())
}

fn library_modules(name: &str, path: &Path, modules: &mut Vec<Module>) -> Result<()> {
    let cache = ReadCache::new(File::open(path)?);
    for member in ArchiveFile::parse(&cache)?.members() {
        let member = member?;
        let (start, size) = member.file_range();
        let member = cache.range(start, size);
        // The metadata is a member too, and no object.
        let Ok(object) = object::File::parse(member) else { continue };
        let Some(section) = ["__LLVM,__bitcode", ".llvmbc"].iter().find_map(|n| object.section_by_name(n))
        else {
            continue;
        };
        if let Some((offset, length)) = section.file_range()
            && length > 0
            && member.len().is_ok_and(|len| offset + length <= len)
        {
            let path = path.to_owned();
            modules.push(Module { path, offset: start + offset, length, krate: name.to_owned(), std: true });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::{
        io::{Read as _, Seek as _, SeekFrom},
        process::Command,
    };

    use super::*;

    #[test]
    fn places_hold_bitcode() {
        let rustc = |arguments: &[&str]| {
            let output = Command::new("rustc").args(arguments).output().unwrap();
            String::from_utf8(output.stdout).unwrap()
        };
        let sysroot = rustc(&["--print", "sysroot"]);
        let version = rustc(&["-vV"]);
        let host = version.lines().find_map(|l| l.strip_prefix("host: ")).unwrap();
        let modules = modules(Path::new(sysroot.trim()), host).unwrap();
        for expected in ["alloc", "core", "std"] {
            assert!(modules.iter().any(|m| m.krate == expected), "{expected}");
        }
        for module in modules {
            let mut file = File::open(&module.path).unwrap();
            file.seek(SeekFrom::Start(module.offset)).unwrap();
            let mut magic = [0; 4];
            file.read_exact(&mut magic).unwrap();
            assert_eq!(&magic, b"BC\xC0\xDE", "{}", module.krate);
        }
    }
}
