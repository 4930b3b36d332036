//! Enzyme as a plugin of LLVM's `opt`, as distributions and people who build it have it.

use std::{
    env,
    path::{Path, PathBuf},
};

use anyhow::{Result, bail};

use crate::toolchain::{self, LLVM_MAJOR};

/// The plugin in one of the places where packages and `make install` put it.
pub(crate) fn on_system() -> Option<PathBuf> {
    let brew = env::var_os("HOMEBREW_PREFIX").map(PathBuf::from);
    let brew = brew.unwrap_or_else(|| "/opt/homebrew".into());
    let folders = [
        format!("/usr/lib/llvm-{LLVM_MAJOR}/lib").into(),
        format!("/usr/lib/llvm/{LLVM_MAJOR}/lib64").into(),
        "/usr/local/lib".into(),
        "/usr/lib".into(),
        "/usr/lib64".into(),
        format!("/usr/lib/{}-linux-gnu", env::consts::ARCH).into(),
        brew.join("opt/enzyme/lib"),
        brew.join("lib"),
    ];
    let names = ["so", "dylib"].map(|end| format!("LLVMEnzyme-{LLVM_MAJOR}.{end}"));
    let paths = folders.iter().flat_map(|folder| names.iter().map(|name| folder.join(name)));
    // Without an `opt` to go with it a plugin that nobody asked for is no engine.
    paths.into_iter().find(|path| path.is_file() && opt_for(path).is_ok())
}

/// The `opt` to load a plugin with: it must be of the LLVM the plugin was built for.
pub(crate) fn opt_for(plugin: &Path) -> Result<PathBuf> {
    if let Some(opt) = env::var_os("AUTODIFF_OPT").filter(|value| !value.is_empty()) {
        let opt = std::path::absolute(opt)?;
        return match major(&opt) {
            Ok(LLVM_MAJOR) => Ok(opt),
            Ok(other) => {
                bail!("AUTODIFF_OPT names {} of LLVM {other}, but LLVM {LLVM_MAJOR} is needed", opt.display())
            }
            Err(error) => Err(error.context("AUTODIFF_OPT does not name LLVM's `opt`")),
        };
    }
    let found = candidates(plugin).into_iter().find(|opt| matches!(major(opt), Ok(LLVM_MAJOR)));
    match found {
        Some(opt) => Ok(opt),
        None => bail!(
            "the plugin {} needs `opt` of LLVM {LLVM_MAJOR}, which is neither beside it nor in \
             PATH; name it in AUTODIFF_OPT",
            plugin.display()
        ),
    }
}

fn candidates(plugin: &Path) -> Vec<PathBuf> {
    let mut folders = Vec::new();
    if let Some(folder) = plugin.parent() {
        folders.extend([folder.to_owned(), folder.join("../bin")]);
    }
    folders.push(format!("/usr/lib/llvm-{LLVM_MAJOR}/bin").into());
    folders.push(format!("/opt/homebrew/opt/llvm@{LLVM_MAJOR}/bin").into());
    folders.extend(env::split_paths(&env::var_os("PATH").unwrap_or_default()));
    let names = [format!("opt-{LLVM_MAJOR}"), "opt".to_owned()];
    let paths = folders.iter().flat_map(|folder| names.iter().map(|name| folder.join(name)));
    paths.filter(|path| path.is_file()).collect()
}

/// The LLVM an `opt` is of.
fn major(opt: &Path) -> Result<u32> {
    let text = toolchain::output(opt, &["--version"])?;
    match parse_major(&text) {
        Some(major) => Ok(major),
        None => bail!("`{} --version` names no LLVM", opt.display()),
    }
}

fn parse_major(text: &str) -> Option<u32> {
    text.split_once("LLVM version ")?.1.split('.').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn version_is_read_with_and_without_vendor() {
        assert_eq!(parse_major("Ubuntu LLVM version 22.1.2\n  Optimized build."), Some(22));
        assert_eq!(parse_major("LLVM (http://llvm.org/):\n  LLVM version 19.0.0git"), Some(19));
        assert_eq!(parse_major("cargo 1.95.0"), None);
    }
}
