//! What the engine's words mean.

use crate::symbol;

/// The symbol of the function that a complaint is about.
pub(crate) fn function(text: &str) -> Option<String> {
    let line = complaint(text)?;
    // A function without a rule or body is worse than the function that calls it.
    ["found for ", "in function "].iter().find_map(|before| symbol_after(line, before))
}

/// Why there is no derivative, and what to do about it.
pub(crate) fn describe(text: &str) -> (String, String) {
    let line = complaint(text).unwrap_or_default();
    let inside = symbol_after(line, "in function ").map(|symbol| symbol::demangle(&symbol));
    let inside = inside.map(|name| format!(" in `{name}`")).unwrap_or_default();
    for (sign, why, help) in MEANINGS {
        if line.contains(sign) {
            let callee = symbol_after(line, "found for ").map(|symbol| symbol::demangle(&symbol));
            let why = why
                .replace("{callee}", callee.as_deref().unwrap_or("a function"))
                .replace("{inside}", &inside);
            return (why, (*help).to_owned());
        }
    }
    if let Some(check) = text.lines().find(|line| line.contains("Assertion")) {
        let place = check.split(':').find(|part| part.contains(".cpp") || part.contains(".h"));
        let place = place.and_then(|path| path.rsplit('/').next()).unwrap_or("an unknown place");
        return (
            format!("Enzyme failed a check of its own (in {place}){inside}"),
            "simplify the function, or report it with what `--dump-ir DIR` writes".to_owned(),
        );
    }
    let said = line.split("Enzyme: ").nth(1).unwrap_or(line);
    let said = if said.is_empty() { "it gave no reason" } else { said };
    (
        format!("Enzyme refuses{inside}: {}", shorten(said)),
        "report it with what `--dump-ir DIR` writes".to_owned(),
    )
}

/// What is looked for in a complaint, what it means, and what to do.
const MEANINGS: &[(&str, &str, &str)] = &[
    (
        "forward pass found for",
        "it calls `{callee}`, whose code is out of reach{inside}",
        "functions of other languages and of the operating system cannot be differentiated: compute what depends on the arguments in Rust",
    ),
    (
        "derivative found for",
        "it calls `{callee}`, whose code is out of reach{inside}",
        "functions of other languages and of the operating system cannot be differentiated: compute what depends on the arguments in Rust",
    ),
    (
        "marked shadow global",
        "a floating-point value passes through a mutable static{inside}",
        "pass the value as an argument or return it instead",
    ),
    (
        "annot deduce",
        "Enzyme cannot tell which bytes are floating-point numbers{inside}",
        "keep floats and integers out of the same bytes (an enum's variants, a union), or copy field by field",
    ),
    (
        "ailed to deduce type",
        "Enzyme cannot tell which bytes are floating-point numbers{inside}",
        "keep floats and integers out of the same bytes (an enum's variants, a union), or copy field by field",
    ),
    (
        "llegal updateAnalysis",
        "the same bytes are used as floating-point numbers and as something else{inside}",
        "keep floats and integers out of the same bytes (an enum's variants, a union)",
    ),
    (
        "unknown binary operator",
        "integers are computed from floating-point numbers, or cannot be told from them{inside}",
        "compute with floats only what must have a derivative; take hashing and formatting out of the function",
    ),
    (
        "nofree of unknown value",
        "it calls a function pointer or trait object chosen at run time{inside}",
        "pass the function as a generic parameter (`impl Fn`), so that it is known",
    ),
    (
        "tomic inst not yet handled",
        "it uses an atomic operation{inside}",
        "keep counters, locks and other shared state out of the function",
    ),
];

/// The line that says what is wrong.
fn complaint(text: &str) -> Option<&str> {
    text.lines().find(|line| line.contains("error:"))
}

/// The symbol that follows `before`, without Enzyme's own prefixes.
fn symbol_after(line: &str, before: &str) -> Option<String> {
    let rest = line.split(before).nth(1)?;
    let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || "_.$".contains(c))).unwrap_or(rest.len());
    let symbol = rest[..end]
        .trim_start_matches("preprocess_")
        .trim_start_matches("fixaugmented_")
        .trim_start_matches("augmented_");
    (!symbol.is_empty()).then(|| symbol.to_owned())
}

fn shorten(text: &str) -> String {
    const MOST: usize = 160;
    if text.chars().count() <= MOST {
        text.to_owned()
    } else {
        text.chars().take(MOST).chain("…".chars()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MISSING: &str = "error: <unknown>:0:0: in function preprocess__RNvCs1_1a1f double (double): Enzyme: No augmented forward pass found for mystery()\n at context: x";

    #[test]
    fn function_without_body_is_named() {
        assert_eq!(function(MISSING).as_deref(), Some("mystery"));
        let (why, _) = describe(MISSING);
        assert!(why.contains("`mystery`"), "{why}");
    }

    #[test]
    fn failed_check_names_no_path_of_the_build_machine() {
        let text = "catalyst: /some/where/GradientUtils.cpp:6573: llvm::Value* f(): Assertion `0' failed.";
        let (why, _) = describe(text);
        assert_eq!(why, "Enzyme failed a check of its own (in GradientUtils.cpp)");
    }
}
