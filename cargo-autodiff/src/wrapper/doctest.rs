//! The rustdoc wrapper: doctests are compiled by rustdoc, which calls no rustc wrapper.
//!
//! rustdoc passes on to rustc the options that make it keep its bitcode and call the
//! [linker wrapper](super::linker). Each doctest is compiled in a directory of its own.

use std::{
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
    process::{Command, ExitCode},
};

use anyhow::{Context as _, Result};

use super::{
    args::{self, RustcArgs},
    job::Job,
    private::PrivateDir,
};
use crate::{
    process,
    session::{self, Session},
};

/// Whether cargo calls us in place of rustdoc: in place of rustc it would name that first.
pub(crate) fn is_rustdoc(first: &OsStr) -> bool {
    matches!(first.as_encoded_bytes().first(), Some(b'-' | b'@'))
}

/// Acts as rustdoc.
pub(crate) fn main(session: Session, arguments: &[OsString]) -> Result<ExitCode> {
    let parsed = RustcArgs::parse(&args::expand(arguments)?);
    let mut command = Command::new(rustdoc(&session));
    command.args(arguments);
    if !parsed.test || parsed.target.is_none() {
        return process::replace_self(&mut command);
    }
    let private = PrivateDir::create(&session.target_dir.join("doctests"), arguments)?;
    let job = Job { doctest: true, ..Job::new(session, parsed, &private) };
    // Told to keep temporary files, rustdoc keeps the directories of all doctests.
    let temporary = job.scratch()?;
    let status = command
        .args(job.capture_options()?)
        .env(session::private::LINK, job.save()?)
        .envs(["TMPDIR", "TMP", "TEMP"].map(|name| (name, &temporary)))
        .status()
        .with_context(|| format!("cannot run `{}`", command.get_program().display()))?;
    Ok(process::exit_code(status))
}

fn rustdoc(session: &Session) -> PathBuf {
    let name = format!("rustdoc{}", std::env::consts::EXE_SUFFIX);
    let in_sysroot = session.sysroot.join("bin").join(&name);
    match &session.rustdoc {
        Some(rustdoc) if *rustdoc != session.executable => rustdoc.clone(),
        _ if in_sysroot.is_file() => in_sysroot,
        _ => Path::new(&name).to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_rustdoc_from_rustc() {
        assert!(is_rustdoc(OsStr::new("--edition=2024")));
        assert!(is_rustdoc(OsStr::new("-vV")));
        assert!(is_rustdoc(OsStr::new("@arguments")));
        assert!(!is_rustdoc(OsStr::new("/usr/bin/rustc")));
        assert!(!is_rustdoc(OsStr::new("clippy-driver")));
    }
}
