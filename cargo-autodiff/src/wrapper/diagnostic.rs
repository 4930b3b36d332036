//! What went wrong with a derivative, said the way rustc says things, so that cargo counts and
//! replays it and editors show it.

use std::{
    io::{self, IsTerminal as _, Write as _},
    path::Path,
};

use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use anyhow::Result;
use autodiff_enzyme::protocol::Location;
use serde::Serialize;

use super::{
    job::{Finding, Findings},
    source_span::{JsonSpan, SourceSpan},
};
use crate::explain;

/// rustc's standard error, and ours among it.
pub(crate) struct Printer {
    json: bool,
    renderer: Renderer,
    /// How many errors, warnings and notes were printed already.
    printed: [usize; 3],
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Severity {
    Error,
    Warning,
}

/// A diagnostic as rustc writes it.
#[derive(Serialize)]
struct JsonDiagnostic<'a> {
    #[serde(rename = "$message_type")]
    message_type: &'static str,
    message: &'a str,
    code: Option<JsonCode<'a>>,
    level: &'static str,
    spans: Vec<JsonSpan<'a>>,
    children: Vec<JsonChild>,
    rendered: String,
}

#[derive(Serialize)]
struct JsonCode<'a> {
    code: &'a str,
    explanation: Option<&'a str>,
}

#[derive(Serialize)]
struct JsonChild {
    message: String,
    code: Option<()>,
    level: &'static str,
    spans: [(); 0],
    children: [(); 0],
    rendered: Option<()>,
}

impl Printer {
    /// For a rustc that was asked for JSON or not, coloured or not.
    pub(crate) fn new(json: bool, ansi: bool) -> Self {
        let colours = if json { ansi } else { io::stderr().is_terminal() };
        let renderer = if colours { Renderer::styled() } else { Renderer::plain() };
        Self { json, renderer, printed: [0; 3] }
    }

    /// Prints a line of rustc's.
    #[expect(clippy::unused_self, reason = "one owner of standard error")]
    pub(crate) fn line(&mut self, line: &[u8]) -> Result<()> {
        Ok(io::stderr().lock().write_all(line)?)
    }

    /// Prints findings that were not printed yet.
    pub(crate) fn findings(&mut self, findings: &Findings) -> Result<()> {
        let [errors, warnings, notes] = self.printed;
        for finding in findings.refusals.iter().skip(errors) {
            self.print(finding, Severity::Error)?;
        }
        for finding in findings.warnings.iter().skip(warnings) {
            self.print(finding, Severity::Warning)?;
        }
        for note in findings.notes.iter().skip(notes) {
            writeln!(io::stderr().lock(), "[autodiff] {note}")?;
        }
        self.printed = [findings.refusals.len(), findings.warnings.len(), findings.notes.len()];
        Ok(())
    }

    fn print(&self, finding: &Finding, severity: Severity) -> Result<()> {
        let text = if self.json { self.json(finding, severity)? } else { self.render(finding, severity) };
        Ok(writeln!(io::stderr().lock(), "{text}")?)
    }

    fn json(&self, finding: &Finding, severity: Severity) -> Result<String> {
        let spans = spans(finding);
        let child = |(level, message)| JsonChild {
            message,
            code: None,
            level,
            spans: [],
            children: [],
            rendered: None,
        };
        Ok(serde_json::to_string(&JsonDiagnostic {
            message_type: "diagnostic",
            message: &finding.refusal.message,
            code: finding.refusal.code.as_deref().map(|code| JsonCode {
                code,
                explanation: explain::row(code).map(|row| row.explanation.trim()),
            }),
            level: if severity == Severity::Error { "error" } else { "warning" },
            spans: spans.iter().enumerate().map(|(n, span)| span.json(n == 0)).collect(),
            children: children(finding).into_iter().map(child).collect(),
            rendered: self.render(finding, severity) + "\n",
        })?)
    }

    fn render(&self, finding: &Finding, severity: Severity) -> String {
        let level = if severity == Severity::Error { Level::ERROR } else { Level::WARNING };
        let spans = spans(finding);
        let title = level.primary_title(&*finding.refusal.message);
        let title = finding.refusal.code.iter().fold(title, |title, code| title.id(code.as_str()));
        let mut group = Group::with_title(title);
        let mut spans = spans.iter().enumerate().peekable();
        if let (None, Some(place)) = (spans.peek(), &finding.refusal.location) {
            let origin = Origin::path(&*place.file).line(place.line as usize);
            let column = Some(place.column as usize).filter(|column| *column > 0);
            group = group.element(column.into_iter().fold(origin, Origin::char_column));
        }
        while let Some((number, span)) = spans.next() {
            let mut snippet =
                Snippet::source(&*span.source).path(&*span.file).annotation(annotation(number, span));
            while let Some((number, span)) = spans.next_if(|(_, next)| next.file == span.file) {
                snippet = snippet.annotation(annotation(number, span));
            }
            group = group.element(snippet);
        }
        for (level, message) in children(finding) {
            let level = if level == "help" { Level::HELP } else { Level::NOTE };
            group = group.element(level.message(message));
        }
        format!("{}\n", self.renderer.render(&[group]))
    }
}

fn annotation(number: usize, span: &SourceSpan) -> Annotation<'_> {
    let kind = if number == 0 { AnnotationKind::Primary } else { AnnotationKind::Context };
    kind.span(span.bytes.clone()).label(span.label.as_deref())
}

/// The offending place and what is differentiated, as far as they can be shown; the primary one first.
fn spans(finding: &Finding) -> Vec<SourceSpan> {
    let offending = finding.refusal.location.as_ref();
    let (call, label) = match &finding.call {
        Some(call) => (Some(call), "differentiated here"),
        None => (finding.refusal.primal.as_ref(), "the differentiated function"),
    };
    let apart = |call: &&Location| offending.is_none_or(|it| (&it.file, it.line) != (&call.file, call.line));
    let call = call.filter(apart).and_then(|call| SourceSpan::read(call, Some(label)));
    let label = finding.refusal.label.as_deref();
    let offending = offending.and_then(|place| SourceSpan::read(place, label));
    let ours = |span: &SourceSpan| !Path::new(&span.file).is_absolute();
    match (offending, call) {
        // An error in a dependency is best shown where the user can do something about it.
        (Some(offending), Some(call)) if ours(&call) && !ours(&offending) => vec![call, offending],
        (offending, call) => offending.into_iter().chain(call).collect(),
    }
}

fn children(finding: &Finding) -> Vec<(&'static str, String)> {
    let refusal = &finding.refusal;
    let mut children = Vec::new();
    if refusal.chain.len() > 1 {
        children.push(("note", format!("reached through {}", refusal.chain.join(" -> "))));
    }
    children.extend(refusal.help.iter().map(|help| ("help", help.clone())));
    let more = |code| ("note", format!("for more, run `cargo autodiff explain {code}`"));
    children.extend(refusal.code.iter().map(more));
    children
}

#[cfg(test)]
mod tests {
    use autodiff_enzyme::protocol::Refusal;
    use fs_err as fs;

    use super::*;

    fn finding(file: &Path) -> Finding {
        let location = Location { file: file.to_str().unwrap().into(), line: 2, column: 5 };
        let refusal = Refusal {
            site: "s".into(),
            code: Some("AD0001".into()),
            message: "cannot differentiate `loss`".into(),
            chain: vec!["`loss`".into(), "`dense`".into()],
            location: None,
            label: Some("here".into()),
            primal: None,
            help: Some("write it in Rust".into()),
        };
        Finding { refusal, call: Some(location) }
    }

    #[test]
    fn speaks_as_rustc_does() {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), "fn main() {\n    gradient(loss);\n}\n").unwrap();
        let json = Printer::new(true, false).json(&finding(file.path()), Severity::Error).unwrap();
        let value: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(value["$message_type"], "diagnostic");
        assert_eq!(value["level"], "error");
        assert_eq!(value["spans"][0]["column_end"], 13);
        assert_eq!(value["spans"][0]["text"][0]["text"], "    gradient(loss);");
        assert_eq!(value["children"][1]["level"], "help");
        let rendered = value["rendered"].as_str().unwrap();
        assert!(rendered.starts_with("error[AD0001]: cannot differentiate `loss`\n --> "), "{rendered}");
        assert!(rendered.contains("2 |     gradient(loss);\n  |     ^^^^^^^^"), "{rendered}");
        assert!(rendered.contains("= help: write it in Rust"), "{rendered}");
        assert!(rendered.ends_with("for more, run `cargo autodiff explain AD0001`\n\n"), "{rendered}");
        // As cargo's own messages are read by editors.
        let read: cargo_metadata::diagnostic::Diagnostic = serde_json::from_str(&json).unwrap();
        let code = read.code.unwrap();
        assert_eq!(code.code, "AD0001");
        assert!(code.explanation.unwrap().starts_with("Enzyme makes a derivative"));
    }

    #[test]
    fn shows_both_places_in_one_file_and_whole_lines_without_columns() {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), "fn loss() {\n    dense();\n}\n").unwrap();
        let mut finding = finding(file.path());
        finding.refusal.location = finding.call.take();
        let first = Location { line: 1, column: 0, ..finding.refusal.location.clone().unwrap() };
        finding.refusal.primal = Some(first);
        let rendered = Printer::new(false, false).render(&finding, Severity::Error);
        let expected = "1 | fn loss() {\n  | ----------- the differentiated function\n\
            2 |     dense();\n  |     ^^^^^ here\n";
        assert!(rendered.contains(expected), "{rendered}");
        finding.refusal.location = finding.refusal.primal.clone();
        let rendered = Printer::new(false, false).render(&finding, Severity::Error);
        assert!(rendered.contains("1 | fn loss() {\n  | ^^^^^^^^^^^ here\n"), "{rendered}");
    }
}
