//! A small checker in the manner of LLVM's own: texts that must and must not occur, in order.

/// Checks a text against directives, one a line: `CHECK: x` wants `x` after what was found before,
/// `CHECK-NOT: x` wants no `x` from there to the next thing found or to the end.
#[track_caller]
pub(crate) fn check(text: &str, directives: &str) {
    if let Err(complaint) = matches(text, directives) {
        panic!("{complaint} in:\n{text}");
    }
}

fn matches(text: &str, directives: &str) -> Result<(), String> {
    let mut rest = text;
    let mut unwanted: Vec<&str> = Vec::new();
    for line in directives.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if let Some(pattern) = line.strip_prefix("CHECK-NOT:") {
            unwanted.push(pattern.trim());
        } else if let Some(pattern) = line.strip_prefix("CHECK:") {
            let pattern = pattern.trim();
            let Some((between, after)) = rest.split_once(pattern) else {
                return Err(format!("no `{pattern}` after what was found before"));
            };
            none_of(&unwanted, between)?;
            unwanted.clear();
            rest = after;
        } else {
            return Err(format!("no directive: `{line}`"));
        }
    }
    none_of(&unwanted, rest)
}

fn none_of(unwanted: &[&str], text: &str) -> Result<(), String> {
    match unwanted.iter().find(|pattern| text.contains(**pattern)) {
        Some(pattern) => Err(format!("unwanted `{pattern}`")),
        None => Ok(()),
    }
}

/// The definition of a function in LLVM's text form, without the metadata and attributes that
/// follow all definitions. `name` need only be a part of the symbol.
#[track_caller]
pub(crate) fn function<'t>(text: &'t str, name: &str) -> &'t str {
    let named = |line: &str| {
        let symbol = line.split_once('@').map_or("", |(_, rest)| rest.split('(').next().unwrap_or_default());
        line.starts_with("define ") && symbol.contains(name)
    };
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        if named(line) {
            let definition = &text[offset..];
            return definition.split_once("\n}").map_or(definition, |(body, _)| body);
        }
        offset += line.len();
    }
    panic!("no function `{name}` in:\n{text}");
}

#[test]
fn order_matters() {
    let text = "one two three";
    assert_eq!(matches(text, "CHECK: one\n CHECK: three\n"), Ok(()));
    assert!(matches(text, "CHECK: three\n CHECK: one").is_err());
    assert!(matches(text, "CHECK: one\n CHECK-NOT: two\n CHECK: three").is_err());
    assert!(matches(text, "CHECK: one\n CHECK-NOT: three\n CHECK: two").is_ok());
    assert!(matches(text, "CHECK: two\n CHECK-NOT: three").is_err());
    assert!(matches(text, "CHEK: two").is_err());
}

#[test]
fn functions_end_at_their_brace() {
    let text = "define void @f(ptr %x) {\n  call void @g()\n}\n\ndefine void @g() {\n  ret void\n}\n";
    assert_eq!(function(text, "g"), "define void @g() {\n  ret void");
    assert!(!function(text, "f").contains("ret"));
}
