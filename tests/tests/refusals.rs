//! Every class of error, as people see it: the text, the place in the source, and the example that is said to help.
//!
//! `refusals/*.txt` show what is said. With `AUTODIFF_TESTS_BLESS` set, they are written anew.

use std::collections::BTreeMap;
use std::path::Path;
use std::{env, fs};

use autodiff_enzyme::ROWS;
use autodiff_tests::{Outcome, Project, repository};
use object::Object;
use serde_json::Value;

/// Ends the name of a program that is not refused.
const RIGHT: &str = "_right";

/// The examples of the table of errors, and the programs of `fixtures/refusals`; each is a program of its own.
fn programs() -> BTreeMap<String, String> {
    let mut programs = BTreeMap::new();
    for row in ROWS {
        let Some(example) = row.example else { continue };
        programs.insert(row.code.to_lowercase(), example.wrong.to_owned());
        programs.insert(format!("{}{RIGHT}", row.code.to_lowercase()), example.right.to_owned());
    }
    for file in fs::read_dir(repository().join("tests/fixtures/refusals")).expect("the fixtures").flatten() {
        let name = file.path().file_stem().expect("the name of a program").display().to_string();
        programs.insert(name, fs::read_to_string(file.path()).expect("a program"));
    }
    programs
}

fn project(name: &str, programs: &BTreeMap<String, String>) -> Project {
    let files: Vec<_> =
        programs.iter().map(|(name, text)| (format!("src/bin/{name}.rs"), text.as_str())).collect();
    let files: Vec<_> = files.iter().map(|(path, text)| (path.as_str(), *text)).collect();
    Project::package(name, &files)
}

/// What is said of each program, and the codes.
fn said(outcome: &Outcome) -> BTreeMap<String, (String, Vec<Value>)> {
    let mut said: BTreeMap<String, (String, Vec<Value>)> = BTreeMap::new();
    for message in outcome.messages().iter().filter(|message| message["reason"] == "compiler-message") {
        let program = message["target"]["name"].as_str().unwrap_or_default().to_owned();
        let (text, codes) = said.entry(program).or_default();
        *text += message["message"]["rendered"].as_str().unwrap_or_default();
        codes.push(message["message"]["code"]["code"].clone());
    }
    said
}

fn are_as_shown(profile: &str, arguments: &[&str]) {
    let programs = programs();
    let project = project(&format!("refusals_{profile}"), &programs);
    let build = project.autodiff(["build", "--keep-going", "--message-format", "json"]).args(arguments);
    let outcome = build.exits_with(101);
    let said = said(&outcome);
    for name in programs.keys() {
        let codes = said.get(name).map(|(_, codes)| codes.as_slice()).unwrap_or_default();
        if let Some(code) = name.strip_suffix(RIGHT) {
            outcome.check(codes.is_empty(), &format!("what is said to help against {code} is refused"));
            let program = outcome.artifact(name, env::consts::EXE_SUFFIX);
            outcome.check(profile == "debug" || !has_lines(&program), "line numbers are stripped again");
            project.command(program).passes();
        } else if name.starts_with("ad") {
            // In release another stage may be the first to refuse.
            let as_told = codes == [name.to_uppercase()] || (profile == "release" && !codes.is_empty());
            outcome.check(as_told, &format!("{name} is refused with {codes:?}"));
        } else {
            outcome.check(!codes.is_empty(), &format!("{name} is not refused"));
        }
    }
    let text: Vec<_> = said.iter().map(|(name, (text, _))| format!("{name}\n\n{text}")).collect();
    let text = without_reports(&text.concat());
    is_in_the_users_terms(&outcome, &text);

    let file = repository().join("tests/refusals").join(format!("{profile}.txt"));
    if env::var_os("AUTODIFF_TESTS_BLESS").is_some() {
        fs::write(&file, &text).expect("the texts are written");
    }
    let shown = fs::read_to_string(&file).unwrap_or_default();
    outcome.check(shown == text, &format!("{} shows other texts than\n{text}", file.display()));
}

/// The texts with `REPORT` for the name of a report's directory, which differs from machine to machine.
fn without_reports(text: &str) -> String {
    const SAID: &str = "see it again is in ";
    let lines = text.split_inclusive('\n').map(|line| match line.split_once(SAID) {
        Some((before, _)) => format!("{before}{SAID}REPORT\n"),
        None => line.to_owned(),
    });
    lines.collect()
}

/// Whether a program has debug information.
fn has_lines(program: &Path) -> bool {
    let data = fs::read(program).expect("the program");
    let file = object::File::parse(&*data).expect("an executable");
    file.section_by_name(".debug_line").is_some() || file.section_by_name(".debug_info").is_some()
}

fn is_in_the_users_terms(outcome: &Outcome, text: &str) {
    for word in ["{closure", "_R", "autodiff::", "!dbg", "0x", "llvm", "LLVM", "Stack dump", "preprocess"] {
        let line = text.lines().find(|line| {
            !line.contains(" | ") && !line.contains("`autodiff::parallel") && line.contains(word)
        });
        outcome.check(line.is_none(), &format!("{word:?} is no word of the user's: {line:?}"));
    }
}

#[test]
fn debug() {
    are_as_shown("debug", &[]);
}

#[test]
fn release() {
    are_as_shown("release", &["--release"]);
}

/// Where there is no debug information at all, the call is shown.
#[test]
fn place_is_that_of_the_call_without_debug_information() {
    let project =
        Project::package("lineless", &[("src/main.rs", ROWS[0].example.expect("an example").wrong)]);
    let build = project.autodiff(["build", "--release", "--config", "profile.release.strip='none'"]);
    let outcome = build.exits_with(101);
    outcome.reports("error[AD0001]: cannot differentiate `lineless::power`: it calls `drag`, whose code");
    outcome.reports("^^^^^^^^^^^^^^^^^^^^ passed to `derivative` here");
}
