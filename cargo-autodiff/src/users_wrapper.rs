//! The user's own rustc wrapper.

use std::{
    env,
    ffi::OsStr,
    path::{Path, PathBuf},
};

use anyhow::{Result, bail};

use crate::session::Session;

/// Caches that would hand out a crate without the bitcode that belongs to it.
const COMPILE_CACHES: [&str; 4] = ["sccache", "ccache", "cachepot", "kache"];

/// The user's own rustc wrapper, to be called in its turn. Compile caches are refused.
pub(crate) fn find(configured: Option<&Path>) -> Result<Option<PathBuf>> {
    let Some(wrapper) = configured.filter(|path| !path.as_os_str().is_empty()) else {
        return Ok(None);
    };
    if is_us(wrapper) {
        // We run inside a build of our own, whose session knows the user's wrapper.
        return Ok(Session::from_env().ok().and_then(|outer| outer.rustc_wrapper));
    }
    let stem = wrapper.file_stem().and_then(OsStr::to_str).unwrap_or_default();
    if COMPILE_CACHES.contains(&stem) {
        bail!(
            "the rustc wrapper `{stem}` caches compiled crates without what derivatives need: \
             switch it off for this command, as in `RUSTC_WRAPPER= cargo autodiff ...`"
        );
    }
    Ok(Some(wrapper.to_owned()))
}

/// Whether a wrapper is this program: then we run inside a build of our own.
pub(crate) fn is_us(wrapper: &Path) -> bool {
    env::current_exe().is_ok_and(|ours| ours == wrapper)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compile_caches_are_refused_by_name() {
        let error = find(Some(Path::new("/opt/sccache"))).unwrap_err().to_string();
        assert!(error.contains("`sccache`") && error.contains("RUSTC_WRAPPER= "), "{error}");
    }

    #[test]
    fn others_are_kept_and_nothing_is_nothing() {
        assert_eq!(find(Some(Path::new("mine"))).unwrap(), Some("mine".into()));
        assert_eq!(find(Some(Path::new(""))).unwrap(), None);
    }
}
