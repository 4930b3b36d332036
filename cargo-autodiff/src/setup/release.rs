//! What is fetched for which machine.

use std::{
    env::consts::{ARCH, OS},
    io::{BufRead as _, BufReader},
    path::{Path, PathBuf},
};

use anyhow::{Result, bail};
use sha2::{Digest as _, Sha256};

use crate::hex::hex;

/// The package, as pip knows it.
pub(crate) const PACKAGE: &str = "pennylane-catalyst";
/// The version whose Enzyme is built on the LLVM that rustc uses.
pub(crate) const VERSION: &str = "0.15.0";

/// One build of the package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Release {
    /// The platform, as pip calls it.
    pub(crate) platform: &'static str,
    /// SHA-256 of the wheel.
    pub(crate) sha256: &'static str,
}

/// OS and architecture, as Rust calls them, with what was built for them.
const RELEASES: [(&str, &str, Release); 3] = [
    (
        "linux",
        "x86_64",
        Release {
            platform: "manylinux_2_28_x86_64",
            sha256: "9254b59d305a7891ee0fafbe71690e5e0084cc2f0c09b7876556257a361c0beb",
        },
    ),
    (
        "linux",
        "aarch64",
        Release {
            platform: "manylinux_2_28_aarch64",
            sha256: "59cba4710637b4af5ac011c4fcdd1a85042ae1e6effe7b973d30c3b8a11cd9d4",
        },
    ),
    (
        "macos",
        "aarch64",
        Release {
            platform: "macosx_13_0_arm64",
            sha256: "376fa639c766a8057bb58828621b49dda59169f7c21cc26dd9b52f2526619baa",
        },
    ),
];

/// The build for the machine we run on.
pub(crate) fn for_this_machine() -> Option<&'static Release> {
    RELEASES.iter().find(|(os, arch, _)| (*os, *arch) == (OS, ARCH)).map(|(_, _, found)| found)
}

impl Release {
    /// Where it is kept under the tool's home.
    pub(crate) fn folder(&self, home: &Path) -> PathBuf {
        home.join(format!("catalyst-{VERSION}-{}", &self.sha256[..8]))
    }

    /// Refuses a file that is not the one that was pinned, whatever pip thought of it.
    pub(crate) fn check(&self, wheel: &Path) -> Result<()> {
        let found = sha256(wheel)?;
        if found != self.sha256 {
            bail!(
                "the download is not {PACKAGE} {VERSION} for {}: its SHA-256 is {found}, not {}; it \
                 was cut short or altered, and nothing of it is used: try again",
                self.platform,
                self.sha256
            );
        }
        Ok(())
    }
}

/// SHA-256 of a file.
fn sha256(path: &Path) -> Result<String> {
    let mut file = BufReader::with_capacity(1 << 16, fs_err::File::open(path)?);
    let mut hash = Sha256::new();
    loop {
        let bytes = file.fill_buf()?;
        if bytes.is_empty() {
            return Ok(hex(&hash.finalize()));
        }
        hash.update(bytes);
        let read = bytes.len();
        file.consume(read);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pins_are_whole_and_distinct() {
        let pins: std::collections::BTreeSet<_> =
            RELEASES.iter().map(|(_, _, release)| release.sha256).collect();
        assert_eq!(pins.len(), RELEASES.len());
        for pin in pins {
            assert!(pin.len() == 64 && pin.bytes().all(|byte| byte.is_ascii_hexdigit()));
        }
    }
}
