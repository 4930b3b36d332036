//! Fetching the wheel with the user's own pip, so that their index, proxy and cache settings count.

use std::{
    env,
    ffi::OsString,
    io,
    os::fd::AsFd as _,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use anyhow::{Context as _, Result, anyhow, bail};

use super::release::{PACKAGE, Release, VERSION};

const NO_PIP: &str = "fetching Enzyme needs Python 3 with pip, and there is none; either install \
    pip, or set AUTODIFF_ENZYME to an Enzyme you have: an LLVMEnzyme-22 plugin (.so, .dylib) or a \
    `catalyst` executable";

/// A way to start pip.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Python {
    program: OsString,
    first: &'static [&'static str],
}

impl Python {
    /// A Python that runs pip as a module.
    pub(crate) fn new(program: impl Into<OsString>) -> Self {
        Self { program: program.into(), first: &["-m", "pip"] }
    }

    /// What to try, in order. Which Python it is does not matter: nothing is installed into it.
    pub(crate) fn candidates() -> Vec<Self> {
        if let Some(named) = env::var_os("CARGO_AUTODIFF_PYTHON").filter(|value| !value.is_empty()) {
            return vec![Self::new(named)];
        }
        let pip = |program: &str| Self { program: program.into(), first: &[] };
        vec![Self::new("python3"), Self::new("python"), pip("pip3"), pip("pip")]
    }

    /// Runs pip. None when there is no such program, or it has no pip.
    fn pip(&self, arguments: &[OsString], visible: bool) -> Result<Option<Output>> {
        let mut command = Command::new(&self.program);
        command
            .args(self.first)
            .args(arguments)
            .env("PIP_REQUIRE_VIRTUALENV", "0")
            .env("PIP_DISABLE_PIP_VERSION_CHECK", "1")
            .stdin(Stdio::null())
            .stderr(Stdio::piped());
        if visible {
            // pip draws its progress on standard output, which is not ours to write to.
            command.stdout(io::stderr().as_fd().try_clone_to_owned()?);
        }
        tracing::debug!(?command, "pip");
        let output = match command.spawn() {
            Ok(child) => child.wait_with_output()?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => {
                let program = self.program.to_string_lossy();
                return Err(error).with_context(|| format!("cannot run {program}"));
            }
        };
        let message = String::from_utf8_lossy(&output.stderr);
        let lacks_pip = !output.status.success() && message.contains("No module named pip");
        Ok((!lacks_pip).then_some(output))
    }
}

/// Downloads the wheel into a directory.
pub(crate) fn download(
    release: &Release,
    pythons: &[Python],
    folder: &Path,
    progress: bool,
) -> Result<PathBuf> {
    let requirements = folder.join("requirements.txt");
    let pinned = format!("{PACKAGE}=={VERSION} --hash=sha256:{}\n", release.sha256);
    fs_err::write(&requirements, pinned)?;
    let mut arguments: Vec<OsString> = [
        "download",
        "--no-deps",
        "--only-binary=:all:",
        "--python-version",
        "3.11",
        "--require-hashes",
        "--no-input",
        "--platform",
        release.platform,
    ]
    .map(OsString::from)
    .to_vec();
    if !progress {
        arguments.extend(["--quiet".into(), "--progress-bar".into(), "off".into()]);
    }
    arguments.extend(["-d".into(), folder.into(), "-r".into(), requirements.into()]);
    for python in pythons {
        if let Some(output) = python.pip(&arguments, progress)? {
            if !output.status.success() {
                return Err(explain(&String::from_utf8_lossy(&output.stderr)));
            }
            return wheel_in(folder);
        }
    }
    bail!(NO_PIP)
}

/// What went wrong, from what pip says.
fn explain(message: &str) -> anyhow::Error {
    if message.contains("DO NOT MATCH THE HASHES") {
        return anyhow!(
            "pip found a {PACKAGE} {VERSION} that is not the one this version of cargo-autodiff was \
             made for (its SHA-256 differs), and refused it; a cut-off download or an altered \
             package index do that: try again, or set AUTODIFF_ENZYME to an Enzyme you have"
        );
    }
    let mut errors = message.lines().filter_map(|line| line.trim().strip_prefix("ERROR: "));
    let reason = errors.next_back().or_else(|| message.lines().rfind(|line| !line.trim().is_empty()));
    anyhow!("pip could not fetch {PACKAGE} {VERSION}: {}", reason.unwrap_or("it gave no reason").trim())
}

fn wheel_in(folder: &Path) -> Result<PathBuf> {
    let mut paths = fs_err::read_dir(folder)?.filter_map(Result::ok).map(|entry| entry.path());
    paths
        .find(|path| path.extension().is_some_and(|end| end == "whl"))
        .with_context(|| format!("pip reported success, but left no wheel in {}", folder.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_reason_is_pips_last_error() {
        let text = "WARNING: retrying\nERROR: No matching distribution found for x\n\n[notice] new\n";
        let message = explain(text).to_string();
        assert!(message.ends_with("0.15.0: No matching distribution found for x"), "{message}");
        assert!(explain("OSError: full\n").to_string().ends_with(": OSError: full"));
    }
}
