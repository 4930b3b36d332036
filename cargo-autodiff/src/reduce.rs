//! `cargo autodiff reduce`: makes the module of a report smaller, as long as Enzyme fails on it in
//! the same way.

use std::{
    env,
    ffi::OsStr,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context as _, Result, bail};
use fs_err as fs;

use crate::term;

/// Names another `llvm-reduce`.
const VARIABLE: &str = "AUTODIFF_LLVM_REDUCE";
/// The LLVM whose modules reports hold.
const LLVM: u32 = 22;

const WHERE_FROM: &str = "it is one of LLVM's tools: Debian and Ubuntu have it in the package llvm-22, Fedora in llvm, \
    Homebrew in llvm@22; AUTODIFF_LLVM_REDUCE may name it";

/// Reduces the module of the report in `directory`.
pub(crate) fn run(directory: &Path) -> Result<()> {
    let path = |name: &str| directory.join(name);
    if !["prepared.ll", "run.sh", "complains.sh"].iter().all(|name| path(name).is_file()) {
        bail!("{} is no report of a failure of Enzyme's", directory.display());
    }
    let directory = fs::canonicalize(directory)?;
    let (module, test, reduced) =
        (directory.join("prepared.ll"), directory.join("complains.sh"), directory.join("reduced.ll"));
    let reduce = find()?;
    check_version(&reduce)?;
    let complains = Command::new(&test).arg(&module).stderr(Stdio::null()).status();
    if !complains.with_context(|| format!("cannot run {}", test.display()))?.success() {
        bail!("Enzyme does not fail on {} as it did", module.display());
    }
    let mut option = std::ffi::OsString::from("--test=");
    option.push(&test);
    let mut command = Command::new(&reduce);
    command.arg(option).arg("-o").arg(&reduced).arg(&module).current_dir(&directory);
    let status = command.status().with_context(|| format!("cannot run {}", reduce.display()))?;
    if !status.success() || !reduced.is_file() {
        bail!("{} failed ({status})", reduce.display());
    }
    let lines = |path: &Path| Ok::<_, anyhow::Error>(fs::read_to_string(path)?.lines().count());
    let (after, before) = (lines(&reduced)?, lines(&module)?);
    term::status("Reduced", format!("{} ({after} lines, of {before})", reduced.display()));
    Ok(())
}

fn find() -> Result<PathBuf> {
    if let Some(named) = env::var_os(VARIABLE).filter(|value| !value.is_empty()) {
        return Ok(named.into());
    }
    let names = [format!("llvm-reduce-{LLVM}"), "llvm-reduce".to_owned()];
    names
        .iter()
        .find_map(|name| in_path(name.as_ref()))
        .with_context(|| format!("`llvm-reduce` is not installed; {WHERE_FROM}"))
}

fn in_path(name: &OsStr) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
}

/// Earlier versions cannot read the module, and would say so in their own way.
fn check_version(reduce: &Path) -> Result<()> {
    let output = Command::new(reduce).arg("--version").output();
    let output = output.with_context(|| format!("cannot run {}", reduce.display()))?;
    let said = String::from_utf8_lossy(&output.stdout);
    if let Some(version) = major(&said)
        && version < LLVM
    {
        bail!("{} is of LLVM {version}, that of LLVM {LLVM} is needed; {WHERE_FROM}", reduce.display());
    }
    Ok(())
}

/// The number in a line like `Debian LLVM version 14.0.6`.
fn major(said: &str) -> Option<u32> {
    said.split_once("LLVM version ")?.1.split('.').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn version_is_read() {
        assert_eq!(major("Debian LLVM version 14.0.6\n  Optimized build.\n"), Some(14));
        assert_eq!(major("LLVM (http://llvm.org/):\n  LLVM version 22.1.2-rust\n"), Some(22));
        assert_eq!(major(""), None);
    }

    #[test]
    fn other_directories_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let error = run(folder.path()).unwrap_err().to_string();
        assert!(error.ends_with("is no report of a failure of Enzyme's"), "{error}");
    }
}
