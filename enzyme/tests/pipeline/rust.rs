//! Bitcode from Rust source, as the tool captures it from rustc.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use autodiff_enzyme::protocol::Module;
use object::read::archive::ArchiveFile;
use object::{Object as _, ObjectSection as _, ObjectSymbol as _};

fn rustc() -> Command {
    Command::new(env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()))
}

fn printed(arguments: &[&str]) -> String {
    let output = rustc().args(arguments).output().unwrap();
    assert!(output.status.success(), "rustc {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Where rustc and its LLVM are.
pub(crate) fn sysroot() -> &'static Path {
    static SYSROOT: OnceLock<PathBuf> = OnceLock::new();
    SYSROOT.get_or_init(|| printed(&["--print", "sysroot"]).trim().into())
}

/// A crate compiled with its bitcode kept.
pub(crate) struct Compiled {
    pub(crate) rlib: PathBuf,
    pub(crate) module: Module,
}

/// Compiles a library crate. `std` says to treat it as one of the standard library's.
pub(crate) fn library(folder: &Path, name: &str, source: &str, std: bool) -> Compiled {
    let folder = folder.join(name);
    fs::create_dir(&folder).unwrap();
    let file = folder.join("lib.rs");
    fs::write(&file, source).unwrap();
    let rlib = folder.join(format!("lib{name}.rlib"));
    let arguments = ["--crate-type=rlib", "-Copt-level=3", "-Cdebuginfo=1", "-Csave-temps"];
    compile(&file, &rlib, &[&arguments[..], &["--crate-name", name]].concat());
    let mut files = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
    let path = files.find(|path| path.to_string_lossy().ends_with(".no-opt.bc")).unwrap();
    let length = fs::metadata(&path).unwrap().len();
    Compiled { rlib, module: Module { path, offset: 0, length, krate: name.to_owned(), std } }
}

/// Compiles a program that uses a library and is linked with further object files.
pub(crate) fn program(folder: &Path, source: &str, library: &Path, objects: &[PathBuf]) -> PathBuf {
    let file = folder.join("main.rs");
    fs::write(&file, source).unwrap();
    let program = folder.join("program");
    let mut dependency = OsString::from("snippet=");
    dependency.push(library);
    let mut arguments = vec!["--extern".into(), dependency];
    for object in objects {
        let mut argument = OsString::from("-Clink-arg=");
        argument.push(object);
        arguments.push(argument);
    }
    compile(&file, &program, &arguments);
    program
}

fn compile(file: &Path, to: &Path, arguments: &[impl AsRef<std::ffi::OsStr>]) {
    let output = rustc()
        .args(["--edition=2024", "-Csymbol-mangling-version=v0", "-Ccodegen-units=1"])
        .args(arguments)
        .arg(file)
        .arg("-o")
        .arg(to)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// The bitcode of `core` and `alloc`, which their objects carry in a section.
pub(crate) fn standard_library() -> Vec<Module> {
    let version = printed(&["-vV"]);
    let host = version.lines().find_map(|line| line.strip_prefix("host: ")).unwrap();
    let folder = sysroot().join("lib/rustlib").join(host).join("lib");
    let paths: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    let mut modules = Vec::new();
    for krate in ["core", "alloc"] {
        let named = |path: &&PathBuf| {
            let name = path.file_name().unwrap().to_string_lossy();
            name.starts_with(&format!("lib{krate}-")) && name.ends_with(".rlib")
        };
        modules.extend(modules_in(paths.iter().find(named).unwrap(), krate));
    }
    modules
}

fn modules_in(rlib: &Path, krate: &str) -> Vec<Module> {
    let bytes = fs::read(rlib).unwrap();
    let archive = ArchiveFile::parse(&*bytes).unwrap();
    let ranges = archive.members().filter_map(|member| {
        let member = member.unwrap();
        let (start, _) = member.file_range();
        // The metadata is a member too, and no object.
        let object = object::File::parse(member.data(&*bytes).unwrap()).ok()?;
        let names = [".llvmbc", "__LLVM,__bitcode"];
        let section = names.iter().find_map(|name| object.section_by_name(name))?;
        section.file_range().map(|(offset, length)| (start + offset, length))
    });
    let module = |(offset, length)| Module {
        path: rlib.to_owned(),
        offset,
        length,
        krate: krate.to_owned(),
        std: true,
    };
    ranges.map(module).collect()
}

/// The global symbols that an object file defines.
pub(crate) fn defined_symbols(object: &Path) -> Vec<String> {
    global_symbols(object, true)
}

/// The symbols that an object file needs from elsewhere.
pub(crate) fn undefined_symbols(object: &Path) -> Vec<String> {
    global_symbols(object, false)
}

fn global_symbols(object: &Path, defined: bool) -> Vec<String> {
    let bytes = fs::read(object).unwrap();
    let file = object::File::parse(&*bytes).unwrap();
    let wanted = file.symbols().filter(|symbol| symbol.is_global() && symbol.is_undefined() != defined);
    let names = wanted.map(|symbol| symbol.name().unwrap().to_owned());
    names.filter(|name| !name.is_empty()).collect()
}
