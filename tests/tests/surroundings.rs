//! Whatever surrounds a build counts as it does under cargo, and stays as it was.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use autodiff_tests::{Outcome, Project, Snapshot, host};

const SLOPE: &str = "\
fn main() {
    println!(\"slope {}\", autodiff::derivative(|x: f64| x * x, 3.0));
    println!(\"cfg {}\", cfg!(hostile));
    println!(\"variable {:?}\", option_env!(\"SET_BY_CONFIG\"));
}
";

/// A script in the project that notes its arguments in `<name>.log`, one a line, and then runs `command`.
fn script(project: &Project, name: &str, command: &str) -> (PathBuf, PathBuf) {
    let (script, log) = (project.path("tools").join(name), project.path(format!("{name}.log")));
    let text = format!("#!/bin/sh\nprintf '%s\\n' \"$@\" >> '{}'\nexec {command} \"$@\"\n", log.display());
    project.write(Path::new("tools").join(name), &text);
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).expect("the script can be run");
    (script, log)
}

fn lines(log: &Path) -> Vec<String> {
    fs::read_to_string(log).unwrap_or_default().lines().map(str::to_owned).collect()
}

fn config(project: &Project, text: &str) {
    project.write(".cargo/config.toml", text);
}

#[test]
fn users_linker_links() {
    let project = Project::package("linked", &[("src/main.rs", SLOPE)]).with_own_target();
    let (gcc, log) = script(&project, "gcc", "cc");
    config(&project, &format!("[target.{}]\nlinker = {:?}\n", host(), gcc.display().to_string()));
    for profile in autodiff_tests::PROFILES {
        project.autodiff(["run"]).args(profile).passes().prints("slope 6");
        assert!(lines(&log).iter().any(|argument| argument == "-o"), "the user's linker was called");
        fs::remove_file(&log).expect("the log is begun anew");
    }
}

#[test]
fn users_flags_and_wrapper_count() {
    let project = Project::package("flagged", &[("src/main.rs", SLOPE)]).with_own_target();
    let (linker, link_log) = script(&project, "my-cc", "cc");
    let (wrapper, wrapper_log) = script(&project, "wrapper", "");
    assert!(linker.is_file(), "it is named relative to the project: RUSTFLAGS cannot hold spaces");
    let flags = "--cfg hostile --check-cfg cfg(hostile) -Clinker=tools/my-cc";
    let run = project.autodiff(["run"]).env("RUSTC_WRAPPER", &wrapper).env("RUSTFLAGS", flags);
    run.passes().prints("slope 6").prints("cfg true");
    assert!(!lines(&link_log).is_empty(), "the linker of RUSTFLAGS was called");
    let compiled = lines(&wrapper_log);
    assert!(
        compiled.windows(2).any(|pair| pair == ["--crate-name", "flagged"]),
        "the user's wrapper was called"
    );
}

#[test]
fn odd_settings_do_no_harm() {
    let project = Project::package("odd", &[("src/main.rs", SLOPE)])
        .with_own_target()
        .moved_below("a path's \"spaces\"");
    config(
        &project,
        r#"
[build]
target-dir = "odd target"
incremental = true
rustflags = ["--cfg", "hostile", "--check-cfg", "cfg(hostile)"]

[env]
SET_BY_CONFIG = "yes"

[profile.dev]
split-debuginfo = "unpacked"
debug = "line-tables-only"
strip = "debuginfo"

[profile.release]
lto = true
debug = true
codegen-units = 3
overflow-checks = true

[alias]
b = "run"
"#,
    );
    for profile in autodiff_tests::PROFILES {
        let run = project.autodiff(["run"]).args(profile).env("CARGO_INCREMENTAL", "1").passes();
        run.prints("slope 6").prints("cfg true").prints("variable Some(\"yes\")");
        project.autodiff(["run"]).args(profile).env("CARGO_INCREMENTAL", "1").passes().rebuilds_nothing();
    }
    assert!(project.path("odd target/autodiff").is_dir(), "the user's target directory is used");
    assert!(!project.path("target").exists(), "and no other");
}

#[test]
fn missing_linker_is_reported_as_cargo_does() {
    let project = Project::package("unlinked", &[("src/main.rs", SLOPE)]);
    let build = project.autodiff(["build"]).env("RUSTFLAGS", "-Clinker=no-such-linker").exits_with(101);
    build.reports("no-such-linker");
}

#[test]
fn target_given_by_name() {
    let project = Project::package("targeted", &[("src/main.rs", SLOPE)]);
    project.autodiff(["run", "--target", host()]).passes().prints("slope 6");
}

/// The engine this user has, which a build with another home directory would have to fetch.
fn engine(project: &Project) -> String {
    project.autodiff(["setup"]).passes();
    let version = project.autodiff(["-vV"]).passes();
    let engine = version.stdout.lines().find_map(|line| line.strip_prefix("engine: "));
    let path = engine.and_then(|line| line.rsplit_once(" (")).map(|(path, _)| path.to_owned());
    version.check(path.is_some(), "the version names the engine");
    path.unwrap_or_default()
}

#[test]
fn nothing_is_written_outside_the_target_directory() {
    let project = Project::package("tidy", &[("src/main.rs", SLOPE), ("home/.keep", ""), ("tmp/.keep", "")]);
    let engine = engine(&project);
    let project = project.with_own_target();
    let cargo_home = std::env::var_os("CARGO_HOME").map_or_else(|| home().join(".cargo"), PathBuf::from);
    let rustup_home = std::env::var_os("RUSTUP_HOME").map_or_else(|| home().join(".rustup"), PathBuf::from);
    let run = |profile: &[&str]| -> Outcome {
        let run = project.autodiff(["run"]).args(profile).env("AUTODIFF_ENZYME", &engine);
        let run = run.env("HOME", project.path("home")).env_remove("XDG_CACHE_HOME");
        let run = run.env("TMPDIR", project.path("tmp")).env("CARGO_HOME", &cargo_home);
        run.env("RUSTUP_HOME", &rustup_home).passes()
    };
    // Cargo shortens Cargo.lock when it first sees the project.
    project.cargo(["generate-lockfile", "--offline"]).passes();
    let before = Snapshot::of(&project.path(""));
    for profile in autodiff_tests::PROFILES {
        run(profile).prints("slope 6");
    }
    let strays: Vec<_> =
        before.changed_since().into_iter().filter(|path| !path.starts_with("target")).collect();
    assert!(strays.is_empty(), "written outside the target directory: {strays:?}");

    let temporary = leftovers(&project.path("target"));
    assert!(temporary.is_empty(), "left over in it: {temporary:?}");
}

fn home() -> PathBuf {
    std::env::var_os("HOME").map(PathBuf::from).expect("a home directory")
}

/// Private directories and the bitcode files of `-C save-temps`.
fn leftovers(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
        let is_bitcode = path.extension().is_some_and(|extension| extension == "bc");
        if is_bitcode || name.starts_with(".autodiff-") || name.starts_with("rmeta") {
            found.push(path);
        } else if path.is_dir() {
            found.extend(leftovers(&path));
        }
    }
    found
}

/// Without a derivative call, the user's linker sees what it sees under cargo.
#[test]
fn programs_without_derivatives_link_as_ever() {
    let source = "fn main() { println!(\"hello {}\", std::env::args().count()); }";
    let manifest = "[package]\nname = \"ordinary\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[workspace]\n";
    let files = [("Cargo.toml", manifest), ("src/main.rs", source)];
    let project = Project::package("ordinary", &files).with_own_target();
    let (linker, log) = script(&project, "gcc", "cc");
    config(&project, &format!("[target.{}]\nlinker = {:?}\n", host(), linker.display().to_string()));

    // Captured crates are not compiled incrementally, which would split them otherwise.
    let plain = project.cargo(["run", "--target", host()]).env("CARGO_INCREMENTAL", "0");
    plain.passes().prints("hello 1");
    let seen_by_cargo = shape(&lines(&log));
    fs::remove_file(&log).expect("the log is begun anew");
    project.autodiff(["run"]).passes().prints("hello 1");
    assert_eq!(shape(&lines(&log)), seen_by_cargo, "the same arguments, apart from directories and hashes");
}

/// Link arguments without directories, and file names without what may be a hash; objects stand in the order of
/// theirs, hence sorted.
fn shape(arguments: &[String]) -> Vec<String> {
    let shorten = |argument: &String| match argument.rsplit_once('/') {
        Some((_, file)) => {
            let stem = file.split(['-', '.']).next().unwrap_or_default();
            let extension = Path::new(file).extension().unwrap_or_default();
            format!("{stem} {}", extension.display())
        }
        None => argument.clone(),
    };
    let mut shape: Vec<String> = arguments.iter().map(shorten).collect();
    shape.sort();
    shape
}
