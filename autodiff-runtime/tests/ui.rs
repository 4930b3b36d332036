//! What people see when they make a mistake.

#[test]
fn mistakes_are_explained() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/ui/*.rs");
}

/// A macro that panics hides the function it stands on.
#[test]
fn no_macro_panics() {
    for file in std::fs::read_dir("tests/ui").expect("the folder of mistakes").flatten() {
        let text = std::fs::read_to_string(file.path()).expect("a file of mistakes");
        assert!(!text.contains("custom attribute panicked"), "{}", file.path().display());
    }
}
