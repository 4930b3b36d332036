//! What the front end tells the other parts of the tool.

use std::{env, path::PathBuf};

use anyhow::{Context as _, Result};
use autodiff_enzyme::protocol::Engine;
use serde::{Deserialize, Serialize};

/// The environment variables by which the parts of the tool know each other. Not for users.
pub(crate) mod private {
    /// Set when we are to make derivatives: the request is on standard input.
    pub(crate) const WORKER: &str = "__CARGO_AUTODIFF_WORKER";
    /// Set when rustc calls us as the linker.
    pub(crate) const LINK: &str = "__CARGO_AUTODIFF_LINK";
    /// Set when cargo calls us as the rustc wrapper.
    pub(crate) const WRAPPER: &str = "__CARGO_AUTODIFF_WRAPPER";
    /// The [`Session`](super::Session), as JSON.
    pub(crate) const SESSION: &str = "__CARGO_AUTODIFF_SESSION";
}

/// Everything the wrappers need to know of one `cargo autodiff` command. Paths are absolute.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Session {
    /// This program.
    pub(crate) executable: PathBuf,
    /// The target directory cargo was given, which is ours alone.
    pub(crate) target_dir: PathBuf,
    /// Triple of the host.
    pub(crate) host: String,
    /// rustc's sysroot; its `lib` folder holds LLVM.
    pub(crate) sysroot: PathBuf,
    /// The rustc that cargo calls; without a folder when it is to be looked up in `PATH`.
    pub(crate) rustc: PathBuf,
    /// rustc's release, such as `1.95.0`.
    pub(crate) rustc_release: String,
    /// Version of rustc's LLVM, such as `22.1.2`.
    pub(crate) llvm_version: String,
    /// The Enzyme to use; none for commands that do not link and before it was set up.
    pub(crate) engine: Option<Engine>,
    /// Where each stage of a derivative is to be written.
    pub(crate) dump_ir: Option<PathBuf>,
    /// How many `-v` were given.
    pub(crate) verbose: u8,
    /// The user's own rustc wrapper, to be called in its turn.
    pub(crate) rustc_wrapper: Option<PathBuf>,
    /// The user's rustdoc, when not the toolchain's own.
    pub(crate) rustdoc: Option<PathBuf>,
    /// A derivative that cannot be made is a warning, and calling it panics with the reason.
    pub(crate) defer_errors: bool,
}

impl Session {
    /// The session of the `cargo autodiff` command we are part of.
    pub(crate) fn from_env() -> Result<Self> {
        let json = env::var(private::SESSION)
            .with_context(|| format!("`{}` is missing: start `cargo autodiff`", private::SESSION))?;
        serde_json::from_str(&json).with_context(|| format!("`{}` is malformed", private::SESSION))
    }

    /// The session as one environment variable's value.
    pub(crate) fn to_json(&self) -> Result<String> {
        serde_json::to_string(self).context("a path that is not valid Unicode cannot be passed on")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn session_survives_the_environment() {
        let session = Session {
            executable: "/bin/cargo-autodiff".into(),
            target_dir: "/p with space/target".into(),
            host: "x86_64-unknown-linux-gnu".into(),
            sysroot: "/sysroot".into(),
            rustc: "rustc".into(),
            rustc_release: "1.95.0".into(),
            llvm_version: "22.1.2".into(),
            engine: Some(Engine::Catalyst { executable: "/catalyst".into() }),
            dump_ir: None,
            verbose: 2,
            rustc_wrapper: Some("wrapper".into()),
            rustdoc: None,
            defer_errors: true,
        };
        let json = session.to_json().unwrap();
        assert_eq!(serde_json::from_str::<Session>(&json).unwrap(), session);
    }
}
