//! The executable under test and the places around it.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::time::UNIX_EPOCH;

use serde_json::Value;

/// Root of the repository.
pub fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the tests are a folder of the repository")
}

/// The cargo that runs the tests.
pub(crate) fn cargo() -> OsString {
    env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

/// The `cargo-autodiff` executable, built on first use in the profile of the tests.
pub fn tool() -> &'static Path {
    static TOOL: OnceLock<PathBuf> = OnceLock::new();
    TOOL.get_or_init(build)
}

/// Directory below the target directory where projects are put and built.
///
/// Builds by an earlier tool would be taken for fresh, so it is emptied of them when the tool has changed.
pub fn scratch() -> &'static Path {
    static SCRATCH: OnceLock<PathBuf> = OnceLock::new();
    SCRATCH.get_or_init(|| {
        let scratch = profile_directory().with_file_name("autodiff-tests");
        fs::create_dir_all(&scratch).expect("scratch directory");
        let lock = fs::File::create(scratch.join("lock")).expect("lock file");
        lock.lock().expect("lock of the scratch directory");
        let (stamp_file, stamp) = (scratch.join("stamp"), identity(tool()));
        if fs::read_to_string(&stamp_file).ok().as_ref() != Some(&stamp) {
            forget_builds(&scratch);
            fs::write(&stamp_file, stamp).expect("stamp of the scratch directory");
        }
        scratch
    })
}

/// The triple of the machine the tests run on.
pub fn host() -> &'static str {
    static HOST: OnceLock<String> = OnceLock::new();
    HOST.get_or_init(|| {
        let version = Command::new("rustc").arg("-vV").output().expect("rustc -vV");
        let version = String::from_utf8(version.stdout).expect("rustc -vV prints text");
        let line = version.lines().find_map(|line| line.strip_prefix("host: "));
        line.expect("rustc -vV names the host").to_owned()
    })
}

/// `<target>/<profile>`, found from the running test `<target>/<profile>/deps/<test>`.
fn profile_directory() -> PathBuf {
    let test = env::current_exe().expect("path of the running test");
    let deps = test.parent().expect("directory of the running test");
    deps.parent().expect("profile directory of the running test").to_owned()
}

fn build() -> PathBuf {
    let directory = profile_directory();
    let profile = match directory.file_name().and_then(|name| name.to_str()) {
        Some("debug") | None => "dev",
        Some(name) => name,
    };
    let output = Command::new(cargo())
        .current_dir(repository())
        .args(["build", "--quiet", "--package", "cargo-autodiff", "--message-format", "json"])
        .args(["--profile", profile])
        .arg("--target-dir")
        .arg(directory.parent().expect("target directory"))
        .stderr(Stdio::inherit())
        .output()
        .expect("cargo starts");
    assert!(output.status.success(), "cargo-autodiff does not build");
    let messages = String::from_utf8(output.stdout).expect("cargo prints text");
    messages
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter(|message| message["target"]["name"] == "cargo-autodiff")
        .find_map(|message| message["executable"].as_str().map(PathBuf::from))
        .expect("cargo says where it put cargo-autodiff")
}

/// Changes whenever the tool is built anew.
fn identity(tool: &Path) -> String {
    let metadata = fs::metadata(tool).expect("the tool was built");
    let modified = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    format!("{} {} {:?}", tool.display(), metadata.len(), modified)
}

fn forget_builds(scratch: &Path) {
    for entry in fs::read_dir(scratch).expect("scratch directory").flatten() {
        if entry.path().is_dir() {
            fs::remove_dir_all(entry.path()).expect("removal of an earlier build");
        }
    }
}
