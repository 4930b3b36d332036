//! The front end as people call it.

use std::{fs, os::unix::fs::PermissionsExt as _, path::PathBuf};

use assert_cmd::Command;
use predicates::{
    prelude::{PredicateBooleanExt as _, predicate},
    str::contains,
};
use serde_json::Value;
use tempfile::TempDir;

/// A package in a folder with a space, an empty home for the tool, and an engine that does nothing.
struct Fixture {
    folder: TempDir,
}

impl Fixture {
    fn new() -> Self {
        let this = Self { folder: tempfile::tempdir().unwrap() };
        this.write("Cargo.toml", "[package]\nname = \"app\"\nedition = \"2024\"\n\n[workspace]\n");
        let main = "fn main() {\n    let code = std::env::args().len() as i32;\n    \
                    println!(\"to stdout\");\n    std::process::exit(code)\n}\n";
        this.write("src/main.rs", main);
        this.script("engine", "exit 1");
        this
    }

    fn project(&self) -> PathBuf {
        self.folder.path().join("my app")
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.project().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Writes an executable shell script and returns its path.
    fn script(&self, name: &str, text: &str) -> PathBuf {
        let path = self.folder.path().join(name);
        fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    /// The tool in the package's folder, without what the tests around us were run with.
    fn bare(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cargo-autodiff"));
        for (name, _) in std::env::vars_os() {
            let name = name.to_string_lossy();
            let ours = ["CARGO_", "__CARGO_AUTODIFF", "AUTODIFF_", "RUSTC", "RUSTFLAGS", "RUSTDOC"];
            if ours.iter().any(|start| name.starts_with(start)) && name != "CARGO_HOME" {
                command.env_remove(&*name);
            }
        }
        command.current_dir(self.project()).env("CARGO_AUTODIFF_HOME", self.home());
        command
    }

    /// The same with the engine that does nothing.
    fn tool(&self) -> Command {
        let mut command = self.bare();
        command.env("AUTODIFF_ENZYME", self.folder.path().join("engine"));
        command
    }

    fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }
}

#[test]
fn help_names_our_verbs_options_and_variables() {
    for line in [vec!["--help"], vec!["autodiff", "--help"], vec!["help"]] {
        let words = ["setup", "doctor", "clean", "--dump-ir", "--defer-errors", "AUTODIFF_ENZYME"];
        let mut assert = Fixture::new().bare().args(line).assert().success();
        for word in words {
            assert = assert.stdout(contains(word));
        }
    }
}

#[test]
fn help_for_cargos_verbs_is_cargos() {
    let assert = Fixture::new().bare().args(["tree", "--help"]).assert().success();
    assert.stdout(contains("cargo tree")).stderr(contains("cargo autodiff --help"));
}

#[test]
fn versions() {
    let fixture = Fixture::new();
    let version = concat!("cargo-autodiff ", env!("CARGO_PKG_VERSION"), "\n");
    fixture.bare().arg("--version").assert().success().stdout(version);
    let verbose = fixture.tool().arg("-vV").assert().success();
    verbose.stdout(contains("rustc: ").and(contains("LLVM: ")).and(contains("AUTODIFF_ENZYME")));
}

#[test]
fn nothing_to_do_is_an_error_with_help() {
    Fixture::new().bare().assert().code(2).stdout("").stderr(contains("Usage"));
}

#[test]
fn a_build_without_engine_or_network_names_the_command() {
    let fixture = Fixture::new();
    let expected = contains("run `cargo autodiff setup`");
    fixture.bare().args(["build", "--offline"]).assert().code(101).stderr(expected.clone());
    let mut command = fixture.bare();
    command.env("CARGO_NET_OFFLINE", "true").args(["autodiff", "run"]);
    command.assert().code(101).stdout("").stderr(expected);
}

#[test]
fn check_needs_no_engine() {
    Fixture::new().bare().args(["check", "--offline"]).assert().success();
}

#[test]
fn verbs_without_a_project_are_cargos_own_business() {
    let empty = tempfile::tempdir().unwrap();
    let mut command = Fixture::new().bare();
    command.current_dir(empty.path()).args(["new", "--vcs", "none", "fresh"]).assert().success();
    assert!(empty.path().join("fresh/Cargo.toml").exists());
}

#[test]
fn other_verbs_and_unknown_flags_reach_cargo() {
    let fixture = Fixture::new();
    fixture.tool().args(["tree"]).assert().success().stdout(contains("app v0.0.0"));
    let unknown = fixture.tool().args(["build", "--no-such-flag"]).assert().code(1);
    unknown.stderr(contains("--no-such-flag"));
    fixture.tool().arg("no-such-verb").assert().code(101).stderr(contains("no-such-verb"));
}

#[test]
fn the_programs_exit_code_and_output_are_passed_on() {
    let fixture = Fixture::new();
    let run = fixture.tool().args(["run", "-q", "--", "--enzyme", "x"]).assert();
    run.code(3).stdout("to stdout\n");
    let release = fixture.tool().args(["autodiff", "run", "--release", "a"]).assert();
    release.code(2).stdout("to stdout\n");
}

#[test]
fn json_stays_json_and_nothing_is_built_twice() {
    let fixture = Fixture::new();
    let build = || fixture.tool().args(["build", "-v", "--message-format", "json"]).unwrap();
    let first = build();
    let lines: Vec<Value> = String::from_utf8(first.stdout).unwrap().lines().map(parse).collect();
    assert!(lines.iter().any(|line| line["reason"] == "build-finished" && line["success"] == true));
    let again = String::from_utf8(build().stderr).unwrap();
    assert!(again.contains("Fresh app") && !again.contains("Compiling"), "{again}");
    assert!(again.contains("Running `"), "-v shows our command: {again}");
}

fn parse(line: &str) -> Value {
    serde_json::from_str(line).unwrap_or_else(|error| panic!("{error} in {line}"))
}

#[test]
fn everything_lands_in_our_folder_of_the_users_target_directory() {
    let fixture = Fixture::new();
    let chosen = fixture.folder.path().join("chosen");
    let mut command = fixture.tool();
    command.args(["build", "--target-dir"]).arg(&chosen).assert().success();
    let mut names: Vec<_> = fs::read_dir(&chosen).unwrap().map(|e| e.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["autodiff"]);
    assert!(!fixture.project().join("target").exists());

    fs::write(chosen.join("mine"), "").unwrap();
    let mut command = fixture.tool();
    command.env("CARGO_TARGET_DIR", &chosen).arg("clean").assert().success();
    assert!(!chosen.join("autodiff").exists() && chosen.join("mine").exists());
}

#[test]
fn clean_with_cargos_options_is_cargos_clean() {
    let fixture = Fixture::new();
    fixture.tool().arg("build").assert().success();
    fixture.tool().args(["clean", "-p", "app"]).assert().success().stderr(contains("Removed"));
    assert!(fixture.project().join("target/autodiff").exists());
}

#[test]
fn compile_caches_are_refused_by_name() {
    let fixture = Fixture::new();
    let mut command = fixture.tool();
    let assert = command.env("RUSTC_WRAPPER", "/usr/bin/sccache").arg("build").assert().code(101);
    assert.stderr(contains("`sccache`").and(contains("RUSTC_WRAPPER= cargo autodiff")));
    let mut command = fixture.tool();
    command.env("RUSTC_WRAPPER", "").arg("build").assert().success();
}

#[test]
fn manifest_settings_are_read_and_mistakes_named() {
    let fixture = Fixture::new();
    let manifest = fs::read_to_string(fixture.project().join("Cargo.toml")).unwrap();
    let with = |line: &str| {
        fixture.write("Cargo.toml", &format!("{manifest}\n[package.metadata.autodiff]\n{line}\n"));
    };
    with("enzyme = \"../engine\"");
    fixture.bare().args(["build", "--offline"]).assert().success();
    with("enzyme = \"../missing\"");
    fixture.bare().arg("build").assert().code(101).stderr(contains("my app/../missing"));
    with("defer-error = true");
    fixture.bare().arg("build").assert().code(101).stderr(contains("defer-error"));
}

#[test]
fn doctor_reports_and_fails_without_an_engine() {
    let fixture = Fixture::new();
    let output = fixture.bare().args(["doctor", "--json"]).assert().code(1).get_output().clone();
    let report = parse(&String::from_utf8(output.stdout).unwrap());
    assert_eq!(report["usable"], false);
    let checks = report["checks"].as_array().unwrap();
    for name in ["cargo", "rustc", "llvm", "libLLVM", "linker", "settings", "engine"] {
        assert!(checks.iter().any(|check| check["name"] == name), "{name}");
    }
    let engine = checks.iter().find(|check| check["name"] == "engine").unwrap();
    assert_eq!(engine["outcome"], "problem");
    assert!(engine["fix"].as_str().unwrap().contains("cargo autodiff setup"));
}

#[test]
fn doctor_tells_an_engine_that_answers_from_one_that_does_not() {
    let fixture = Fixture::new();
    fixture.tool().arg("doctor").assert().code(1).stdout(contains("engine    problem"));
    let text = "for w; do case $w in --workspace=*) d=${w#*=};; esac; done\n\
                [ -z \"$d\" ] || echo 'define double @slope(double %x) {' > $d/1_AfterEnzymePasses.ll";
    fixture.script("engine", text);
    let assert = fixture.tool().args(["autodiff", "doctor"]).assert().success();
    assert.stdout(contains("engine    ok").and(contains("answers")));
}

#[test]
fn doctor_names_settings_that_spoil_derivatives() {
    let fixture = Fixture::new();
    let mut command = fixture.tool();
    let assert = command.env("RUSTFLAGS", "-Zcodegen-backend=other").arg("doctor").assert().code(1);
    assert.stdout(contains("settings  problem").and(contains("codegen-backend=other")));
}

#[test]
fn setup_without_network_or_python_explains() {
    let fixture = Fixture::new();
    let offline = fixture.bare().args(["setup", "--offline"]).assert().code(101);
    offline.stdout("").stderr(contains("needs the network"));
    let mut command = fixture.bare();
    let assert = command.env("CARGO_AUTODIFF_PYTHON", "/nonexistent").arg("setup").assert();
    assert.code(101).stderr(contains("install pip").and(contains("AUTODIFF_ENZYME")));
}

#[test]
fn setup_refuses_what_is_not_the_pinned_package() {
    let fixture = Fixture::new();
    let script = "while [ \"$1\" != -d ]; do shift; done\necho other > \"$2/p.whl\"";
    let python = fixture.script("python", script);
    let mut command = fixture.bare();
    let assert = command.env("CARGO_AUTODIFF_PYTHON", python).args(["build"]).assert().code(101);
    let one_line = predicate::function(|text: &str| text.lines().count() == 2);
    assert.stdout("").stderr(contains("Setting up").and(contains("SHA-256")).and(one_line));
    let left: Vec<_> = fs::read_dir(fixture.home()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(left, [".lock"]);
}
