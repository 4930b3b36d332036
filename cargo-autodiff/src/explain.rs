//! `cargo autodiff explain`: what an error means and what to do about it.

use std::fmt::Write as _;

use anyhow::{Result, bail};
use autodiff_enzyme::{ROWS, Row};

/// What there is to say about a code.
pub(crate) fn row(code: &str) -> Option<&'static Row> {
    ROWS.iter().find(|row| row.code == code)
}

/// The explanation of a code, or the list of all.
pub(crate) fn text(code: Option<&str>) -> Result<String> {
    let Some(code) = code else { return Ok(list()) };
    match row(&code.to_uppercase()) {
        Some(row) => Ok(explanation(row, "")),
        None => bail!(
            "there is no error {code}; near it are {}: `cargo autodiff explain` lists all",
            nearest(code).join(", ")
        ),
    }
}

fn list() -> String {
    let lines: Vec<_> = ROWS.iter().map(|row| format!("{}  {}\n", row.code, row.title)).collect();
    lines.concat()
}

/// One class in Markdown. `level` goes before its headings.
fn explanation(row: &Row, level: &str) -> String {
    let mut text = format!("{level}# {}: {}\n\n{}\n", row.code, row.title, row.explanation.trim());
    if let Some(example) = row.example {
        let (wrong, right) = (example.wrong.trim(), example.right.trim());
        let _ = write!(
            text,
            "\nThis is refused:\n\n```rust\n{wrong}\n```\n\nThis is not:\n\n```rust\n{right}\n```\n"
        );
    }
    text
}

/// The codes that are most like a text.
fn nearest(text: &str) -> Vec<&'static str> {
    let text = text.to_uppercase();
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    let like = format!("AD{digits:0>4}");
    let distance = |code: &str| code.chars().zip(like.chars()).filter(|(a, b)| a != b).count();
    let mut codes: Vec<_> = ROWS.iter().map(|row| row.code).collect();
    codes.sort_by_key(|code| distance(code));
    codes.truncate(3);
    codes
}

#[cfg(test)]
mod tests {
    use std::{env, path::Path};

    use fs_err as fs;

    use super::*;

    const HEAD: &str = "\
# Errors

What `cargo autodiff explain` prints of each error. A derivative that cannot be made is a compile error with one of
these codes; with `--defer-errors` it is a warning, and calling the derivative panics with the same words.
";

    /// With `AUTODIFF_TESTS_BLESS` set, the page is written anew.
    #[test]
    fn page_shows_the_table() {
        let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/errors.md");
        let rows: Vec<_> = ROWS.iter().map(|row| format!("\n{}", explanation(row, "#"))).collect();
        let expected = format!("{HEAD}{}", rows.concat());
        if env::var_os("AUTODIFF_TESTS_BLESS").is_some() {
            fs::write(&page, &expected).unwrap();
        }
        assert!(fs::read_to_string(&page).unwrap() == expected, "docs/errors.md is out of date");
    }

    #[test]
    fn codes_are_distinct_and_in_order() {
        assert!(ROWS.is_sorted_by(|one, next| one.code < next.code));
        for row in ROWS {
            let number = row.code.strip_prefix("AD").expect("a code");
            assert!(number.len() == 4 && number.parse::<u32>().is_ok(), "{}", row.code);
            assert!(row.title.len() < 70 && row.explanation.trim().len() > 80, "{}", row.code);
            let longest = row.explanation.lines().map(|line| line.chars().count()).max();
            assert!(longest <= Some(100), "{} has long lines", row.code);
        }
    }

    #[test]
    fn codes_are_found_however_they_are_written() {
        assert!(text(Some("ad0001")).unwrap().starts_with("# AD0001: "));
        let error = text(Some("AD0031")).unwrap_err().to_string();
        assert!(error.contains("AD0031") && error.contains("AD0001"), "{error}");
        assert!(text(Some("nonsense")).unwrap_err().to_string().contains("explain` lists all"));
        assert_eq!(text(None).unwrap().lines().count(), ROWS.len());
    }
}
