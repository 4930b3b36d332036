//! What engines are given, and what becomes of what they do. Each engine here is a shell script.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use autodiff_enzyme::protocol::Engine;

use crate::case::{Case, Outcome};
use crate::sites::of_slice;

const FIRST: &str = r#"
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn first(x: *const f64, _: usize, out: *mut f64) {
    unsafe { *out = *x * *x }
}
"#;

fn with_script(script: &str) -> Outcome {
    Case::of(FIRST).site(of_slice("first")).script(script).run()
}

#[test]
fn plugin_is_loaded_by_opt() {
    // The arguments go beside the output.
    let outcome = Case::of(FIRST)
        .site(of_slice("first"))
        .script(r#"for last; do :; done; printf '%s\n' "$@" >"$(dirname "$last")/arguments"; exit 1"#)
        .run();
    let said = outcome.left_by_engine("arguments");
    let arguments: Vec<_> = said.lines().collect();
    let follows = |argument: &str| {
        let at = arguments.iter().position(|it| *it == argument);
        arguments[at.unwrap_or_else(|| panic!("no {argument} in {arguments:?}")) + 1]
    };
    assert!(follows("-load-pass-plugin").ends_with("/plugin.so"));
    assert!(follows("-load").ends_with("/plugin.so"));
    assert!(follows("-o").ends_with("/engine-1/differentiated.bc"));
    let count = |argument: &str| arguments.iter().filter(|it| **it == argument).count();
    for argument in [
        "-passes=enzyme",
        "--enzyme-fast-math=0",
        "--enzyme-strict-aliasing=0",
        "--enzyme_nonmarkedglobals_inactiveloads=0",
    ] {
        assert_eq!(count(argument), 1, "{argument} in {arguments:?}");
    }
    assert_eq!(arguments.iter().filter(|it| it.ends_with("/prepared.bc")).count(), 1);
}

#[test]
fn catalyst_starts_after_its_own_optimiser() {
    let script = r#"
        while test $# -gt 0; do
          case "$1" in --workspace) workspace=$2;; *.bc) input=$1;; esac
          arguments="$arguments $1"
          shift
        done
        echo "$arguments" >"$workspace/arguments"
        cp "$input" "$workspace/1_AfterEnzymePasses.ll"
        echo 'This is the module again, and not to be printed.'
    "#;
    let outcome = Case::of(FIRST).site(of_slice("first")).script(script).called_as_catalyst().run();
    outcome.all_derived();
    let arguments = outcome.left_by_engine("arguments");
    for argument in [
        "--tool=llc",
        "--checkpoint-stage=O2Opt",
        "--save-ir-after-each=pipeline",
        "--enzyme-fast-math=0",
        "--enzyme-strict-aliasing=0",
        "--enzyme_nonmarkedglobals_inactiveloads=0",
    ] {
        assert!(arguments.split_whitespace().any(|it| it == argument), "{argument} in {arguments}");
    }
}

#[test]
fn engine_reads_bitcode() {
    let outcome = with_script(
        r#"for argument; do case $argument in *.bc) head -c 2 "$argument" >&2; break;; esac; done; exit 1"#,
    );
    assert!(outcome.refusal().message.ends_with("BC"), "{:?}", outcome.refusal());
}

#[test]
fn failures_are_refusals() {
    let complaint = "error: <unknown>:0:0: in function preprocess_first void (ptr, i64, ptr): Enzyme:";
    let cases = [
        (format!("echo '{complaint} No augmented forward pass found for mystery' >&2; exit 1"), "`mystery`"),
        (format!("echo '{complaint} Cannot deduce type of memset' >&2; exit 1"), "which bytes are numbers"),
        // What is said counts, and whether there is a result; not the status alone.
        (format!("echo '{complaint} new reason' >&2"), "new reason"),
        (
            "echo \"opt: /x/Utils.cpp:12: f(): Assertion \\`ok' failed.\" >&2; kill -ABRT $$".to_owned(),
            "(in Utils.cpp)",
        ),
        ("kill -SEGV $$".to_owned(), "Enzyme crashed"),
        ("exit 3".to_owned(), "gave no reason"),
        ("exit 0".to_owned(), "gave no reason"),
        ("printf '\\377\\376 nonsense' >&2; exit 1".to_owned(), "nonsense"),
    ];
    for (script, expected) in cases {
        let outcome = with_script(&script);
        let refusal = outcome.refusal();
        assert!(refusal.message.starts_with("cannot differentiate `snippet::first`: "), "{refusal:?}");
        assert!(refusal.message.contains(expected), "{script}\nbecame {refusal:?}");
        assert!(refusal.help.is_some());
        assert_eq!(refusal.site, "__autodiff_derivative_first");
        assert!(outcome.response().objects.is_empty() && outcome.response().derived.is_empty());
        assert_eq!(outcome.stages(), ["000-closure.ll", "001-prepared.ll"]);
    }
}

#[test]
fn output_that_is_no_module_is_an_error() {
    for garbage in ["this is no module", "BC and no more", "with\\0zero", "BC\\300\\336\\065\\024"] {
        let script = format!(r#"for last; do :; done; printf '{garbage}' >"$last""#);
        let error = with_script(&script).response.unwrap_err();
        assert!(error.contains("engine's output") || error.contains("cannot read"), "{garbage}: {error}");
    }
}

#[test]
fn engine_that_cannot_be_run_is_an_error() {
    let site = of_slice("first");
    let missing = Engine::Plugin { opt: "/nowhere/opt".into(), plugin: "/nowhere/plugin.so".into() };
    let error = Case::of(FIRST).site(site.clone()).engine(missing).run().response.unwrap_err();
    assert!(error.contains("cannot run the engine /nowhere/opt"), "{error}");

    let folder = tempfile::tempdir().unwrap();
    let executable = folder.path().join("engine");
    fs::write(&executable, "#!/bin/sh\n").unwrap();
    fs::set_permissions(&executable, fs::Permissions::from_mode(0o644)).unwrap();
    let case = Case::of(FIRST).site(site).engine(Engine::Catalyst { executable });
    let error = case.run().response.unwrap_err();
    assert!(error.contains("cannot run the engine") && error.contains("ermission"), "{error}");
}

#[test]
fn one_bad_derivative_does_not_spoil_the_others() {
    let source = format!("{FIRST}\n{}", FIRST.replace("first", "spoilt").replace("*x * *x", "*x + *x"));
    let script = format!(
        r#"for argument; do case $argument in *.bc) input=${{input-$argument}};; esac; done
        if grep -q spoilt "$input"; then echo 'error: it is spoilt' >&2; exit 1; fi
        {}"#,
        crate::case::COPY
    );
    let outcome = Case::of(&source).site(of_slice("first")).site(of_slice("spoilt")).script(&script).run();
    let response = outcome.response();
    assert_eq!(response.derived, ["__autodiff_derivative_first"]);
    assert_eq!(outcome.refusal().site, "__autodiff_derivative_spoilt");
    assert!(outcome.refusal().message.contains("snippet::spoilt"), "{:?}", outcome.refusal());
    assert_eq!(response.objects.len(), 1);
    assert!(response.objects[0].exists());
}
