//! The table in `docs/math.md`: a row for each function.

use std::collections::BTreeMap;

/// Larger errors are wrong derivatives.
pub(crate) const LARGEST: u64 = 64;

/// Every function in the order of the table: its name in the fixture, how it is written, its derivatives.
const FUNCTIONS: [(&str, &str, &str); 57] = [
    ("add", "x + y", "1, 1"),
    ("sub", "x - y", "1, -1"),
    ("mul", "x * y", "y, x"),
    ("div", "x / y", "1 / y, -x / y²"),
    ("rem", "x % y", "1, -trunc(x / y)"),
    ("rem_euclid", "x.rem_euclid(y)", "1, -x.div_euclid(y)"),
    ("div_euclid", "x.div_euclid(y)", "0, 0"),
    ("mul_add", "x.mul_add(y, z)", "y, x, 1"),
    ("midpoint", "x.midpoint(y)", "½, ½"),
    ("recip", "x.recip()", "-1 / x²"),
    ("abs", "x.abs()", "-1 or 1"),
    ("signum", "x.signum()", "0"),
    ("copysign", "x.copysign(y)", "-1 or 1, 0"),
    ("min", "x.min(y)", "1, 0 or 0, 1"),
    ("max", "x.max(y)", "1, 0 or 0, 1"),
    ("clamp", "x.clamp(y, z)", "1 for the one it is, else 0"),
    ("total_cmp", "the lesser by total_cmp", "1, 0 or 0, 1"),
    ("floor", "x.floor()", "0"),
    ("ceil", "x.ceil()", "0"),
    ("round", "x.round()", "0"),
    ("round_ties_even", "x.round_ties_even()", "0"),
    ("trunc", "x.trunc()", "0"),
    ("fract", "x.fract()", "1"),
    ("sqrt", "x.sqrt()", "1 / 2√x"),
    ("cbrt", "x.cbrt()", "1 / 3∛x²"),
    ("hypot", "x.hypot(y)", "x / r, y / r"),
    ("powf", "x.powf(y)", "y xʸ⁻¹, xʸ ln x"),
    ("powi_0", "x.powi(0)", "0"),
    ("powi_1", "x.powi(1)", "1"),
    ("powi_2", "x.powi(2)", "2x"),
    ("powi_3", "x.powi(3)", "3x²"),
    ("powi_7", "x.powi(7)", "7x⁶"),
    ("powi_minus_1", "x.powi(-1)", "-1 / x²"),
    ("powi_minus_2", "x.powi(-2)", "-2 / x³"),
    ("powi_minus_3", "x.powi(-3)", "-3 / x⁴"),
    ("exp", "x.exp()", "eˣ"),
    ("exp2", "x.exp2()", "2ˣ ln 2"),
    ("exp_m1", "x.exp_m1()", "eˣ"),
    ("ln", "x.ln()", "1 / x"),
    ("ln_1p", "x.ln_1p()", "1 / (1 + x)"),
    ("log2", "x.log2()", "1 / x ln 2"),
    ("log10", "x.log10()", "1 / x ln 10"),
    ("log", "x.log(y)", "1 / x ln y, -ln x / y ln² y"),
    ("sin", "x.sin()", "cos x"),
    ("cos", "x.cos()", "-sin x"),
    ("sin_cos_0", "x.sin_cos().0", "cos x"),
    ("sin_cos_1", "x.sin_cos().1", "-sin x"),
    ("tan", "x.tan()", "1 + tan² x"),
    ("asin", "x.asin()", "1 / √(1 - x²)"),
    ("acos", "x.acos()", "-1 / √(1 - x²)"),
    ("atan", "x.atan()", "1 / (1 + x²)"),
    ("atan2", "x.atan2(y)", "y / r², -x / r²"),
    ("sinh", "x.sinh()", "cosh x"),
    ("cosh", "x.cosh()", "sinh x"),
    ("tanh", "x.tanh()", "1 / cosh² x"),
    ("asinh", "x.asinh()", "1 / √(x² + 1)"),
    ("acosh", "x.acosh()", "1 / √(x² - 1)"),
];
/// The last rows of the table.
const MORE: [(&str, &str, &str); 3] = [
    ("atanh", "x.atanh()", "1 / (1 - x²)"),
    ("to_degrees", "x.to_degrees()", "180 / π"),
    ("to_radians", "x.to_radians()", "π / 180"),
];

/// The table, given the largest error of each function.
pub(crate) fn of(worst: &BTreeMap<String, u64>, edges: &[(String, Vec<String>, Vec<String>)]) -> Vec<String> {
    let rows = FUNCTIONS.iter().chain(&MORE);
    assert_eq!(rows.clone().count(), worst.len(), "a row for each function that is measured");
    let mut table = vec![
        "| function | derivatives | at edges | ulp |".to_owned(),
        "| --- | --- | --- | --- |".to_owned(),
    ];
    table.extend(rows.map(|(name, code, slopes)| {
        let at = edges.iter().filter(|(function, _, _)| function == name);
        let edge = |(_, x, slopes): &(String, Vec<String>, Vec<String>)| {
            let symbols = |words: &[String]| words.join(", ").replace("inf", "∞").replace('-', "−");
            let brackets = |text: String, more: bool| if more { format!("({text})") } else { text };
            format!("{}: {}", brackets(symbols(x), x.len() > 1), symbols(slopes))
        };
        let edges: Vec<_> = at.map(edge).collect();
        let code = if code.contains("the ") { (*code).to_owned() } else { format!("`{code}`") };
        format!(
            "| {code} | {} | {} | {} |",
            slopes.replace('-', "−"),
            edges.join("; "),
            class(&code, worst[*name])
        )
    }));
    table
}

/// Errors differ from machine to machine, with its C library; their order of magnitude does not.
fn class(code: &str, error: u64) -> u64 {
    let computed = ["exp", "ln", "sin", "cos"].iter().any(|word| code.contains(word));
    if error == 0 && !computed { 0 } else { error.max(2).next_power_of_two() }
}

/// The document with another table.
pub(crate) fn put(document: &str, table: &[String]) -> String {
    let (before, after) = around(document);
    format!("{before}{}\n{after}", table.join("\n"))
}

fn around(document: &str) -> (&str, &str) {
    let start = document.find("| function |").expect("a table");
    let end = start + document[start..].find("\n\n").map_or(document.len() - start, |end| end + 1);
    (&document[..start], &document[end..])
}

/// The document must say the same, and no error may be larger than there.
pub(crate) fn compare(document: &str, table: &[String]) {
    let (before, after) = around(document);
    let written: Vec<&str> = document[before.len()..document.len() - after.len()].lines().collect();
    assert_eq!(written.len(), table.len(), "docs/math.md has another number of rows");
    let split = |row: &str| {
        let (text, error) =
            row.trim_end_matches(" |").rsplit_once("| ").map(|(a, b)| (a.to_owned(), b.to_owned()))?;
        Some((text, error))
    };
    for (written, row) in written.iter().zip(table) {
        let ((text, bound), (want, error)) = (split(written).expect("a row"), split(row).expect("a row"));
        assert_eq!(text, want, "docs/math.md says something else");
        let (bound, error) = (bound.parse::<u64>().unwrap_or(0), error.parse::<u64>().unwrap_or(0));
        assert!(error <= bound, "{row}: docs/math.md has {bound} ulp");
    }
}
