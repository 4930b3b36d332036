//! Derivatives that are kept from one request to the next.

use std::fs;
use std::path::Path;

use crate::case::{COPY, Case, Outcome};
use crate::sites::of_slice;

const SOURCE: &str = r#"
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn shim(x: *const f64, _: usize, out: *mut f64) {
    unsafe { *out = *x * 2.0 }
}
"#;

/// A request with an engine that counts its runs. Its path is part of what a derivative is kept by.
fn ask(source: &str, folder: &Path, engine: &str, cpu: Option<&str>) -> Outcome {
    let opt = folder.join(engine);
    let runs = folder.join("runs").display().to_string();
    let case = Case::of(source).site(of_slice("shim"));
    let case = case.script_at(&opt, &format!("echo run >>'{runs}'\n{COPY}"));
    let outcome =
        case.target(|target| target.cpu = cpu.map(str::to_owned)).cache(&folder.join("cache")).run();
    outcome.all_derived();
    outcome
}

fn runs(folder: &Path) -> usize {
    fs::read_to_string(folder.join("runs")).map_or(0, |text| text.lines().count())
}

fn object(outcome: &Outcome) -> Vec<u8> {
    fs::read(&outcome.all_derived().objects[0]).unwrap()
}

#[test]
fn the_same_code_is_differentiated_once() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let first = ask(SOURCE, folder, "opt", None);
    // The kept object outlives the request.
    let first_object = object(&first);
    drop(first);
    let second = ask(SOURCE, folder, "opt", None);
    assert_eq!(runs(folder), 1);
    assert_eq!(object(&second), first_object);
    assert_eq!(second.all_derived().derived, ["__autodiff_derivative_shim"]);
}

#[test]
fn another_code_engine_or_target_is_another_derivative() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    ask(SOURCE, folder, "opt", None);
    ask(&SOURCE.replace("2.0", "3.0"), folder, "opt", None);
    assert_eq!(runs(folder), 2);
    ask(SOURCE, folder, "other", None);
    assert_eq!(runs(folder), 3);
    ask(
        SOURCE,
        folder,
        "opt",
        Some("x86-64-v3").filter(|_| cfg!(target_arch = "x86_64")).or(Some("generic")),
    );
    assert_eq!(runs(folder), 4);
}

#[test]
fn code_that_the_derivative_does_not_reach_does_not_count() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    ask(SOURCE, folder, "opt", None);
    ask(&format!("{SOURCE}\npub fn bystander(x: f64) -> f64 {{ x }}"), folder, "opt", None);
    assert_eq!(runs(folder), 1);
}

#[test]
fn refusals_are_not_kept() {
    let folder = tempfile::tempdir().unwrap();
    let cache = folder.path().join("cache");
    for _ in 0..2 {
        let case = Case::of(SOURCE).site(of_slice("shim")).script("exit 1").cache(&cache);
        assert!(case.run().refusal().message.contains("gave no reason"));
    }
    assert!(!cache.exists() || fs::read_dir(&cache).unwrap().next().is_none());
}
