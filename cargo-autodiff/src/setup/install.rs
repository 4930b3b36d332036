//! The unpacked engine and the manifest that vouches for it.

use std::{
    borrow::Cow,
    io::{self, Write as _},
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

use anyhow::{Context as _, Result, bail};
use indicatif::{ProgressBar, ProgressStyle};
use serde::{Deserialize, Serialize};
use zip::ZipArchive;

use super::release::{Release, VERSION};

const EXECUTABLE: &str = "catalyst";
/// Where a wheel holds it, under a folder named after the package.
const IN_WHEEL: &str = ".data/data/bin/catalyst";
const MANIFEST: &str = "manifest.json";

/// What an engine must be to count as complete; written after it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Manifest {
    version: String,
    wheel_sha256: String,
    size: u64,
}

/// An engine that is complete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Installed {
    pub(crate) executable: PathBuf,
    pub(crate) identity: String,
}

impl Installed {
    /// The engine in a folder, unless it is missing, cut short or another one.
    pub(crate) fn in_folder(folder: &Path, release: &Release) -> Option<Self> {
        let manifest = std::fs::read(folder.join(MANIFEST)).ok()?;
        let manifest: Manifest = serde_json::from_slice(&manifest).ok()?;
        let executable = folder.join(EXECUTABLE);
        let size = std::fs::metadata(&executable).ok()?.len();
        let complete =
            manifest.size == size && manifest.version == VERSION && manifest.wheel_sha256 == release.sha256;
        complete.then(|| Self { executable, identity: format!("catalyst {VERSION} {}", release.sha256) })
    }
}

/// Unpacks the executable from a wheel into `folder`.
pub(crate) fn unpack(wheel: &Path, folder: &Path, progress: bool) -> Result<PathBuf> {
    let executable = folder.join(EXECUTABLE);
    unpack_to(wheel, fs_err::File::create(&executable)?, progress)?;
    Ok(executable)
}

fn unpack_to(wheel: &Path, mut file: fs_err::File, progress: bool) -> Result<()> {
    let broken = || format!("cannot unpack {}", wheel.display());
    let mut archive = ZipArchive::new(fs_err::File::open(wheel)?).with_context(broken)?;
    let mut names = archive.file_names().filter_map(Result::ok);
    let Some(name) = names.find(|name| name.ends_with(IN_WHEEL)).map(Cow::into_owned) else {
        bail!("{} holds no {IN_WHEEL}", wheel.display())
    };
    drop(names);
    let entry = archive.by_name(&name).with_context(broken)?;
    let bar = if progress { progress_bar(entry.size()) } else { ProgressBar::hidden() };
    // The reader checks the entry's length and checksum.
    io::copy(&mut bar.wrap_read(entry), &mut file).with_context(broken)?;
    file.flush()?;
    bar.finish_and_clear();
    // Before anything vouches for it, the engine must be on the disk.
    file.sync_all()?;
    file.set_permissions(std::fs::Permissions::from_mode(0o755))?;
    Ok(())
}

fn progress_bar(size: u64) -> ProgressBar {
    let style = ProgressStyle::with_template("{msg:>12.green.bold} [{bar:40}] {bytes}/{total_bytes}");
    let bar = ProgressBar::new(size).with_message("Unpacking");
    if let Ok(style) = style {
        bar.set_style(style.progress_chars("=> "));
    }
    bar
}

/// Moves an unpacked engine to where it is used, then vouches for it. Both steps replace what was
/// there at once, so whoever looks meanwhile sees a complete engine or none.
pub(crate) fn place(unpacked: &Path, folder: &Path, release: &Release) -> Result<Installed> {
    fs_err::create_dir_all(folder)?;
    let manifest = Manifest {
        version: VERSION.to_owned(),
        wheel_sha256: release.sha256.to_owned(),
        size: fs_err::metadata(unpacked)?.len(),
    };
    fs_err::rename(unpacked, folder.join(EXECUTABLE))?;
    let temporary = unpacked.with_file_name(MANIFEST);
    fs_err::write(&temporary, serde_json::to_vec(&manifest)?)?;
    fs_err::File::open(&temporary)?.sync_all()?;
    fs_err::rename(&temporary, folder.join(MANIFEST))?;
    Installed::in_folder(folder, release)
        .with_context(|| format!("{} is not complete after set-up", folder.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::setup::tests::write_wheel;

    #[test]
    fn a_full_disk_is_reported_with_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let wheel = folder.path().join("x.whl");
        write_wheel(&wheel, &vec![7; 100_000]);
        let full = fs_err::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let error = format!("{:#}", unpack_to(&wheel, full, false).unwrap_err());
        assert!(error.contains("/dev/full") && error.contains("No space left"), "{error}");
    }

    #[test]
    fn a_damaged_wheel_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let wheel = folder.path().join("x.whl");
        write_wheel(&wheel, b"the engine");
        let mut bytes = std::fs::read(&wheel).unwrap();
        let at = bytes.windows(10).position(|window| window == b"the engine").unwrap();
        bytes[at] ^= 1;
        std::fs::write(&wheel, bytes).unwrap();
        let error = format!("{:#}", unpack(&wheel, folder.path(), false).unwrap_err());
        assert!(error.contains("cannot unpack"), "{error}");
    }
}
