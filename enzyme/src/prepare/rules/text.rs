//! The rules' functions, in LLVM's text form.

use std::collections::BTreeSet;
use std::ffi::CString;

use crate::llvm::Precision;

/// The beginning of the names of all functions here.
pub(super) const PREFIX: &str = "__autodiff_rule_";

/// What both kinds of rules need.
const JOIN: &str = include_str!("join.ll");
const ATTRIBUTES: &str = include_str!("attributes.ll");

const RULES: [(&str, &str); 13] = [
    ("acos", include_str!("acos.ll")),
    ("acosh", include_str!("acosh.ll")),
    ("asin", include_str!("asin.ll")),
    ("asinh", include_str!("asinh.ll")),
    ("atan2", include_str!("atan2.ll")),
    ("atanh", include_str!("atanh.ll")),
    ("cbrt", include_str!("cbrt.ll")),
    ("div", include_str!("div.ll")),
    ("hypot", include_str!("hypot.ll")),
    ("maxnum", include_str!("maxnum.ll")),
    ("minnum", include_str!("minnum.ll")),
    ("pow", include_str!("pow.ll")),
    ("rem", include_str!("rem.ll")),
];

/// The name of a rule's function.
pub(super) fn name(rule: &str, precision: Precision) -> String {
    format!("{PREFIX}{rule}_{}", bits(precision))
}

/// A module with these rules.
pub(super) fn of(rules: &BTreeSet<(&str, Precision)>) -> CString {
    let mut text = String::new();
    for precision in [Precision::Double, Precision::Single] {
        let texts = RULES.iter().filter(|(name, _)| rules.contains(&(*name, precision)));
        let body: String = texts.map(|(_, text)| *text).collect();
        if !body.is_empty() {
            let functions = format!("{JOIN}\n{}\n{body}", declarations(&body));
            // Attributes have numbers that hold for a whole module.
            let numbered = match precision {
                Precision::Double => functions,
                Precision::Single => functions.replace('#', "#1"),
            };
            text += &instance(&numbered, precision);
            let attributes = match precision {
                Precision::Double => ATTRIBUTES.to_owned(),
                Precision::Single => ATTRIBUTES.replace('#', "#1"),
            };
            text += &instance(&attributes, precision);
        }
    }
    CString::new(text).unwrap_or_default()
}

/// Declarations of the functions that a text calls and does not define, one for each.
fn declarations(body: &str) -> String {
    let unary = ["acos", "asin", "cbrt", "log1p"].map(|name| (format!("@{name}{{f}}"), 1));
    let binary = ["atan2", "hypot"].map(|name| (format!("@{name}{{f}}"), 2));
    let intrinsic = |name: &str| format!("@llvm.{name}.f{{bits}}");
    let one = ["fabs", "log", "round", "sqrt"].map(|name| (intrinsic(name), 1));
    let two = ["copysign", "maxnum", "minnum", "pow"].map(|name| (intrinsic(name), 2));
    let all = unary.into_iter().chain(binary).chain(one).chain(two);
    let called = all.filter(|(name, _)| body.contains(&format!("{name}(")));
    let lines: Vec<_> = called
        .map(|(name, count)| format!("declare {{float}} {name}({})\n", ["{float}"].repeat(count).join(", ")))
        .collect();
    lines.concat()
}

fn bits(precision: Precision) -> &'static str {
    match precision {
        Precision::Double => "64",
        Precision::Single => "32",
    }
}

/// A text for numbers of one precision. Powers of two: where squares come near the ends of the range, and what
/// brings numbers beyond there back.
fn instance(text: &str, precision: Precision) -> String {
    let words = match precision {
        Precision::Double => [
            ("{float}", "double"),
            ("{f}", ""),
            ("{large}", "0x5F30000000000000"),
            ("{small}", "0x20B0000000000000"),
            ("{raise}", "0x6570000000000000"),
            ("{lower}", "0x1A70000000000000"),
        ],
        Precision::Single => [
            ("{float}", "float"),
            ("{f}", "f"),
            ("{large}", "0x43B0000000000000"),
            ("{small}", "0x3C30000000000000"),
            ("{raise}", "0x44F0000000000000"),
            ("{lower}", "0x3B90000000000000"),
        ],
    };
    let text = text.replace("{bits}", bits(precision));
    words.iter().fold(text, |text, (word, by)| text.replace(word, by))
}
