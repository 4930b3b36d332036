//! Set-up as a whole, with stand-ins for Python.

use std::{fs, io::Write as _, os::unix::fs::PermissionsExt as _};

use sha2::{Digest as _, Sha256};
use zip::{ZipWriter, write::SimpleFileOptions};

use super::*;
use crate::hex::hex;

/// Writes a wheel whose engine is `contents`, stored as it is.
pub(super) fn write_wheel(path: &Path, contents: &[u8]) {
    let mut wheel = ZipWriter::new(fs::File::create(path).unwrap());
    let options = SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    wheel.start_file("p-1.data/data/bin/other", options).unwrap();
    wheel.start_file("p-1.data/data/bin/catalyst", options).unwrap();
    wheel.write_all(contents).unwrap();
    wheel.finish().unwrap();
}

/// A home, a wheel and a Python that hands it out.
struct Fixture {
    folder: tempfile::TempDir,
    release: Release,
}

impl Fixture {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let wheel = folder.path().join("original.whl");
        write_wheel(&wheel, b"#!/bin/sh\necho engine\n");
        let sha256 = hex(&Sha256::digest(fs::read(wheel).unwrap())).leak();
        Self { folder, release: Release { platform: "any", sha256 } }
    }

    fn home(&self) -> PathBuf {
        self.folder.path().join("ho me")
    }

    /// A program in place of Python; `$dir` is pip's `-d`, `$wheel` the wheel.
    fn python(&self, script: &str) -> Python {
        let path = self.folder.path().join("python");
        let wheel = self.folder.path().join("original.whl");
        let prologue = "#!/bin/sh\nwhile [ \"$1\" != -d ]; do shift; done\ndir=$2\n";
        fs::write(&path, format!("{prologue}wheel='{}'\n{script}\n", wheel.display())).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        Python::new(path)
    }

    fn fetch(&self, script: &str, force: bool) -> Result<Installed> {
        fetch(&self.home(), &self.release, &[self.python(script)], force, false)
    }

    fn error(&self, script: &str) -> String {
        let error = format!("{:#}", self.fetch(script, false).unwrap_err());
        assert_eq!(Installed::in_folder(&self.release.folder(&self.home()), &self.release), None);
        let left: Vec<_> = fs::read_dir(self.home()).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert_eq!(left, [".lock"], "nothing stays behind");
        error
    }
}

const HAND_OUT: &str = "cp \"$wheel\" \"$dir/p.whl\"";

#[test]
fn what_pip_hands_out_can_be_run() {
    let fixture = Fixture::new();
    let installed = fixture.fetch(HAND_OUT, false).unwrap();
    let output = std::process::Command::new(installed.executable).output().unwrap();
    assert_eq!(output.stdout, b"engine\n");
}

#[test]
fn a_second_run_does_nothing() {
    let fixture = Fixture::new();
    let first = fixture.fetch(HAND_OUT, false).unwrap();
    assert_eq!(fixture.fetch("exit 9", false).unwrap(), first);
    assert!(fixture.fetch("exit 9", true).is_err(), "unless it is forced");
    assert_eq!(fixture.fetch("exit 9", false).unwrap(), first, "which leaves what there was");
}

#[test]
fn another_file_than_the_pinned_one_is_refused() {
    let fixture = Fixture::new();
    let error = fixture.error("echo other > \"$dir/p.whl\"");
    assert!(error.contains("SHA-256") && error.contains("nothing of it is used"), "{error}");
}

#[test]
fn a_truncated_download_is_refused() {
    let fixture = Fixture::new();
    let error = fixture.error("head -c 100 \"$wheel\" > \"$dir/p.whl\"");
    assert!(error.contains("cut short"), "{error}");
}

#[test]
fn pips_refusal_of_the_hash_is_told() {
    let script = "echo 'ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM' >&2; exit 1";
    let error = Fixture::new().error(script);
    assert!(error.contains("its SHA-256 differs"), "{error}");
}

#[test]
fn no_python_and_no_pip_name_both_ways_out() {
    let fixture = Fixture::new();
    let no_pip = fixture.error("echo 'python: No module named pip' >&2; exit 1");
    let nowhere = [Python::new("/nonexistent/python3")];
    let no_python = fetch(&fixture.home(), &fixture.release, &nowhere, false, false).unwrap_err();
    for error in [no_pip, no_python.to_string()] {
        assert!(error.contains("install pip") && error.contains("AUTODIFF_ENZYME"), "{error}");
    }
}

#[test]
fn an_interrupted_set_up_is_cleaned_away() {
    let fixture = Fixture::new();
    let left_over = fixture.home().join(format!("{UNFINISHED}x"));
    fs::create_dir_all(&left_over).unwrap();
    fs::write(left_over.join("catalyst"), "half").unwrap();
    fixture.fetch(HAND_OUT, false).unwrap();
    assert!(!left_over.exists());
}

#[test]
fn a_truncated_engine_is_not_used_and_mended() {
    let fixture = Fixture::new();
    let installed = fixture.fetch(HAND_OUT, false).unwrap();
    fs::write(&installed.executable, "#!/bin/sh").unwrap();
    let folder = fixture.release.folder(&fixture.home());
    assert_eq!(Installed::in_folder(&folder, &fixture.release), None);
    assert_eq!(fixture.fetch(HAND_OUT, false).unwrap(), installed);
}

#[test]
fn an_engine_without_a_manifest_is_not_used() {
    let fixture = Fixture::new();
    fixture.fetch(HAND_OUT, false).unwrap();
    let folder = fixture.release.folder(&fixture.home());
    fs::remove_file(folder.join("manifest.json")).unwrap();
    assert_eq!(Installed::in_folder(&folder, &fixture.release), None);
}

#[test]
fn two_at_once_fetch_once() {
    let fixture = Fixture::new();
    let count = fixture.folder.path().join("count");
    let script = format!("echo x >> '{}'; sleep 0.2; {HAND_OUT}", count.display());
    let python = [fixture.python(&script)];
    std::thread::scope(|scope| {
        let both = [(); 2].map(|()| {
            scope.spawn(|| fetch(&fixture.home(), &fixture.release, &python, false, false).unwrap())
        });
        for thread in both {
            thread.join().unwrap();
        }
    });
    assert_eq!(fs::read_to_string(count).unwrap(), "x\n");
}
