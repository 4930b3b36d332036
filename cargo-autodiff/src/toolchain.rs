//! The cargo, rustc and LLVM a command is about.

use std::{
    env,
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context as _, Result, anyhow, bail};

/// The LLVM release that the engine is built on, and so rustc must be.
pub(crate) const LLVM_MAJOR: u32 = 22;

/// A rustc, as it describes itself.
#[derive(Debug, Clone)]
pub(crate) struct Rustc {
    /// How to call it.
    pub(crate) program: PathBuf,
    /// Such as `1.95.0`.
    pub(crate) release: String,
    /// The host triple.
    pub(crate) host: String,
    /// Such as `22.1.2`.
    pub(crate) llvm_version: String,
    /// Where its libraries are.
    pub(crate) sysroot: PathBuf,
}

/// The cargo that started us, or the one in `PATH`.
pub(crate) fn cargo() -> OsString {
    env::var_os("CARGO").filter(|cargo| !cargo.is_empty()).unwrap_or_else(|| "cargo".into())
}

impl Rustc {
    /// Asks the rustc that cargo would call: `configured` is `RUSTC` or `build.rustc`.
    pub(crate) fn find(configured: Option<&Path>) -> Result<Self> {
        Self::ask(configured.unwrap_or(Path::new("rustc")))
    }

    fn ask(program: &Path) -> Result<Self> {
        let about = output(program, &["-vV"])?;
        let field = |name: &str| {
            let line = about.lines().find_map(|line| line.strip_prefix(name));
            line.map(|value| value.trim().to_owned())
        };
        Ok(Self {
            program: program.to_owned(),
            release: field("release:").context("`rustc -vV` names no release")?,
            host: field("host:").context("`rustc -vV` names no host")?,
            llvm_version: field("LLVM version:").unwrap_or_default(),
            sysroot: output(program, &["--print", "sysroot"])?.trim().into(),
        })
    }

    /// The first number of LLVM's version.
    pub(crate) fn llvm_major(&self) -> Option<u32> {
        self.llvm_version.split('.').next()?.parse().ok()
    }

    /// Refuses a rustc whose LLVM the engine cannot read.
    pub(crate) fn check_llvm(&self) -> Result<()> {
        if self.llvm_major() == Some(LLVM_MAJOR) {
            return Ok(());
        }
        bail!(
            "rustc {} uses LLVM {}, but derivatives need LLVM {LLVM_MAJOR}; try a Rust release with \
             it, such as `cargo +1.95 autodiff ...`",
            self.release,
            if self.llvm_version.is_empty() { "of unknown version" } else { &self.llvm_version },
        )
    }
}

/// The LLVM library of a toolchain for `host`. Files such as `libLLVM-22-rust-1.95.0-stable.so`
/// beside it are linker scripts of a few bytes.
pub(crate) fn llvm_library(sysroot: &Path, host: &str) -> Result<PathBuf> {
    let folder = sysroot.join("lib");
    let is_library = |path: &Path| {
        let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
        name.starts_with("libLLVM") && fs_err::metadata(path).is_ok_and(|file| file.len() > 1 << 20)
    };
    let entries = fs_err::read_dir(&folder)?.filter_map(Result::ok).map(|entry| entry.path());
    entries.filter(|path| is_library(path)).min().ok_or_else(|| {
        let reason = if host.contains("musl") {
            "; toolchains for musl hosts have LLVM built into rustc: use a gnu toolchain"
        } else {
            ""
        };
        anyhow!("no LLVM library in {}{reason}", folder.display())
    })
}

/// What a program prints.
pub(crate) fn output(program: &Path, arguments: &[&str]) -> Result<String> {
    let shown = || format!("`{} {}`", program.display(), arguments.join(" "));
    let output =
        Command::new(program).args(arguments).output().with_context(|| format!("cannot run {}", shown()))?;
    if !output.status.success() {
        let message = String::from_utf8_lossy(&output.stderr);
        bail!("{} failed: {}", shown(), message.trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
