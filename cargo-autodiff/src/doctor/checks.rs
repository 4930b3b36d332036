//! The checks. None of them needs another to succeed unless there is nothing to look at.

use std::{
    env,
    path::{Path, PathBuf},
};

use anyhow::Result;
use cargo_config2::Config;

use super::{Check, overrides};
use crate::{
    cli::{Own, Words},
    engine::{self, Found},
    project::{self, Project, Settings},
    setup,
    toolchain::{self, LLVM_MAJOR, Rustc},
};

pub(super) fn all(words: &Words, own: &Own) -> Vec<Check> {
    let mut checks = vec![cargo()];
    let config = match project::cargo_config() {
        Ok(config) => Some(config),
        Err(error) => {
            checks.push(Check::problem("config", format!("{error:#}"), "mend cargo's config.toml"));
            None
        }
    };
    let configured = config.as_ref().and_then(|config| config.build.rustc.as_deref());
    match Rustc::find(configured) {
        Ok(rustc) => {
            checks.push(Check::ok("rustc", format!("{} for {}", rustc.release, rustc.host)));
            checks.push(llvm(&rustc));
            checks.push(llvm_library(&rustc));
            checks.push(linker(config.as_ref(), &rustc.host));
            checks.extend(config.iter().flat_map(|config| overrides::all(config, &rustc.host)));
        }
        Err(error) => {
            checks.push(Check::problem("rustc", format!("{error:#}"), "install Rust, or mend RUSTC"));
        }
    }
    checks.push(engine(words, own));
    checks
}

fn cargo() -> Check {
    let cargo = toolchain::cargo();
    match toolchain::output(Path::new(&cargo), &["--version"]) {
        Ok(version) => Check::ok("cargo", format!("{} ({})", version.trim(), cargo.to_string_lossy())),
        Err(error) => Check::problem("cargo", format!("{error:#}"), "install cargo, or mend CARGO"),
    }
}

fn llvm(rustc: &Rustc) -> Check {
    match rustc.check_llvm() {
        Ok(()) => Check::ok("llvm", format!("{} in rustc", rustc.llvm_version)),
        Err(error) => {
            let fix = format!("use a Rust release with LLVM {LLVM_MAJOR}, such as 1.95");
            Check::problem("llvm", format!("{error:#}"), fix)
        }
    }
}

fn llvm_library(rustc: &Rustc) -> Check {
    match toolchain::llvm_library(&rustc.sysroot, &rustc.host) {
        Ok(path) => Check::ok("libLLVM", path.display().to_string()),
        Err(error) => Check::problem(
            "libLLVM",
            format!("{error:#}"),
            "use a toolchain of rustup for a gnu or Apple host",
        ),
    }
}

/// The linker that rustc would call: a configured one, else `cc`.
fn linker(config: Option<&Config>, host: &str) -> Check {
    let configured = config.and_then(|config| config.linker(host).ok().flatten());
    let linker = configured.unwrap_or_else(|| PathBuf::from("cc"));
    let is_cc = linker.as_os_str() == "cc";
    match toolchain::output(&linker, &["--version"]) {
        Ok(version) => {
            let first = version.lines().next().unwrap_or_default().trim();
            Check::ok("linker", format!("{} ({first})", linker.display()))
        }
        // A configured linker need not know `--version`.
        Err(_) if !is_cc && linker.is_file() => Check::ok("linker", linker.display().to_string()),
        Err(error) => {
            let fix = "install a C compiler (gcc or clang), which links Rust programs";
            Check::problem("linker", format!("{error:#}"), fix)
        }
    }
}

fn engine(words: &Words, own: &Own) -> Check {
    let fix = "run `cargo autodiff setup`, or set AUTODIFF_ENZYME to an Enzyme you have";
    match find_engine(words, own) {
        Ok(Some(found)) => answer(&found),
        Ok(None) => Check::problem("engine", format!("no Enzyme set up{}", where_it_would_be()), fix),
        Err(error) => Check::problem("engine", format!("{error:#}"), fix),
    }
}

fn find_engine(words: &Words, own: &Own) -> Result<Option<Found>> {
    let settings = match Project::find(words)? {
        Some(project) => project.settings,
        None => Settings::default(),
    };
    engine::find(own.enzyme.as_deref(), &settings)
}

fn where_it_would_be() -> String {
    setup::home().map(|home| format!(" in {}", home.display())).unwrap_or_default()
}

fn answer(found: &Found) -> Check {
    let files: Vec<_> =
        engine::files(&found.engine).into_iter().map(|path| path.display().to_string()).collect();
    let what = format!("{} ({})", files.join(" with "), found.origin);
    match engine::probe(&found.engine) {
        Ok(()) => {
            let version = engine::version(&found.engine).unwrap_or_default();
            Check::ok("engine", format!("{what}, {version}, answers"))
        }
        Err(error) => {
            let fix = match found.origin {
                engine::Origin::Setup if env::consts::OS == "linux" => {
                    "install libstdc++ and zlib if they are missing, or `cargo autodiff setup --force`"
                }
                engine::Origin::Setup => "run `cargo autodiff setup --force`",
                _ => "name a working Enzyme, or none and run `cargo autodiff setup`",
            };
            Check::problem("engine", format!("{what}: {error:#}"), fix)
        }
    }
}
