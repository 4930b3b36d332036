//! A place in the user's source, with the text around it.

use std::ops::Range;

use autodiff_enzyme::protocol::Location;
use fs_err as fs;
use serde::Serialize;

/// A place whose file could be read.
#[derive(Debug)]
pub(crate) struct SourceSpan {
    pub(crate) file: String,
    pub(crate) source: String,
    pub(crate) bytes: Range<usize>,
    line: usize,
    line_text: String,
    /// In characters, from 1.
    columns: Range<usize>,
    pub(crate) label: Option<String>,
}

/// A span as rustc writes it.
#[derive(Debug, Serialize)]
pub(crate) struct JsonSpan<'a> {
    file_name: &'a str,
    byte_start: usize,
    byte_end: usize,
    line_start: usize,
    line_end: usize,
    column_start: usize,
    column_end: usize,
    is_primary: bool,
    text: [JsonText<'a>; 1],
    label: Option<&'a str>,
    suggested_replacement: Option<()>,
    suggestion_applicability: Option<()>,
    expansion: Option<()>,
}

#[derive(Debug, Serialize)]
struct JsonText<'a> {
    text: &'a str,
    highlight_start: usize,
    highlight_end: usize,
}

impl SourceSpan {
    /// None if the file or the line is not there. Without a column it is the whole line.
    pub(crate) fn read(location: &Location, label: Option<&str>) -> Option<Self> {
        let source = fs::read_to_string(&location.file).ok()?;
        let line = location.line.max(1) as usize;
        let line_start: usize = source.split_inclusive('\n').take(line - 1).map(str::len).sum();
        let line_text = source.get(line_start..)?.lines().next()?.to_owned();
        let (before, marked) = match location.column.checked_sub(1) {
            Some(before) => {
                let before = line_text.chars().take(before as usize).map(char::len_utf8).sum();
                (before, token(&line_text[before..]))
            }
            None => (line_text.len() - line_text.trim_start().len(), line_text.trim()),
        };
        let bytes = line_start + before..line_start + before + marked.len();
        let column = line_text[..before].chars().count() + 1;
        let columns = column..column + marked.chars().count();
        let label = label.map(str::to_owned);
        Some(Self { file: location.file.clone(), source, bytes, line, line_text, columns, label })
    }

    pub(crate) fn json(&self, is_primary: bool) -> JsonSpan<'_> {
        JsonSpan {
            file_name: &self.file,
            byte_start: self.bytes.start,
            byte_end: self.bytes.end,
            line_start: self.line,
            line_end: self.line,
            column_start: self.columns.start,
            column_end: self.columns.end,
            is_primary,
            text: [JsonText {
                text: &self.line_text,
                highlight_start: self.columns.start,
                highlight_end: self.columns.end,
            }],
            label: self.label.as_deref(),
            suggested_replacement: None,
            suggestion_applicability: None,
            expansion: None,
        }
    }
}

/// The attribute, the path or, failing those, the character at the start of a text.
fn token(text: &str) -> &str {
    if text.starts_with("#[") {
        return text.trim_end();
    }
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let rest = text.trim_start_matches(is_name);
    if rest.len() == text.len() {
        return &text[..text.chars().next().map_or(0, char::len_utf8)];
    }
    // A path goes on after the colons.
    let further = rest.strip_prefix("::").map(token).filter(|token| token.starts_with(is_name));
    &text[..text.len() - rest.len() + further.map_or(0, |token| 2 + token.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_name_at_a_place() {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), "fn a() {}\n  /*é*/ gradient(f);\n").unwrap();
        let location = |line, column| Location { file: file.path().to_str().unwrap().into(), line, column };
        let span = SourceSpan::read(&location(2, 9), None).unwrap();
        assert_eq!(&span.source[span.bytes.clone()], "gradient");
        assert_eq!(span.columns, 9..17);
        assert_eq!(token("a::b_1::<T>(x)"), "a::b_1");
        assert_eq!(token("a::*"), "a");
        assert_eq!(token("é(x)"), "é");
        assert_eq!(token("(x)"), "(");
        assert_eq!(token("#[autodiff_reverse(df, Active)] "), "#[autodiff_reverse(df, Active)]");
        let whole = SourceSpan::read(&location(2, 0), None).unwrap();
        assert_eq!(&whole.source[whole.bytes.clone()], "/*é*/ gradient(f);");
        assert_eq!(whole.columns, 3..21);
        let end = SourceSpan::read(&location(2, 99), None).unwrap();
        assert_eq!(end.columns.len(), 0);
        assert!(SourceSpan::read(&location(9, 1), None).is_none());
    }
}
