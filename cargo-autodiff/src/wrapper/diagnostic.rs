//! What went wrong with a derivative, said the way rustc says things, so that cargo counts and
//! replays it and editors show it.

use std::{
    io::{self, IsTerminal as _, Write as _},
    path::{Path, PathBuf},
};

use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use anyhow::Result;
use autodiff_enzyme::protocol::{Location, Refusal};
use serde::Serialize;

use super::{
    job::Findings,
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
        for refusal in findings.refusals.iter().skip(errors) {
            self.print(refusal, Severity::Error)?;
        }
        for refusal in findings.warnings.iter().skip(warnings) {
            self.print(refusal, Severity::Warning)?;
        }
        for note in findings.notes.iter().skip(notes) {
            writeln!(io::stderr().lock(), "[autodiff] {note}")?;
        }
        self.printed = [findings.refusals.len(), findings.warnings.len(), findings.notes.len()];
        Ok(())
    }

    fn print(&self, refusal: &Refusal, severity: Severity) -> Result<()> {
        let text = if self.json { self.json(refusal, severity)? } else { self.render(refusal, severity) };
        Ok(writeln!(io::stderr().lock(), "{text}")?)
    }

    fn json(&self, refusal: &Refusal, severity: Severity) -> Result<String> {
        let spans = spans(refusal);
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
            message: &refusal.message,
            code: refusal.code.as_deref().map(|code| JsonCode {
                code,
                explanation: explain::row(code).map(|row| row.explanation.trim()),
            }),
            level: if severity == Severity::Error { "error" } else { "warning" },
            spans: spans.iter().enumerate().map(|(n, span)| span.json(n == 0)).collect(),
            children: children(refusal).into_iter().map(child).collect(),
            rendered: self.render(refusal, severity) + "\n",
        })?)
    }

    fn render(&self, refusal: &Refusal, severity: Severity) -> String {
        let level = if severity == Severity::Error { Level::ERROR } else { Level::WARNING };
        let spans = spans(refusal);
        let title = level.primary_title(&*refusal.message);
        let title = refusal.code.iter().fold(title, |title, code| title.id(code.as_str()));
        let mut group = Group::with_title(title);
        let mut spans = spans.iter().enumerate().peekable();
        if let (None, Some(place)) = (spans.peek(), &refusal.location) {
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
        for (level, message) in children(refusal) {
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
fn spans(refusal: &Refusal) -> Vec<SourceSpan> {
    let offending = refusal.location.as_ref();
    let (call, label) = match &refusal.call {
        Some((call, label)) => (Some(call), label.as_str()),
        None => (refusal.primal.as_ref(), "the differentiated function"),
    };
    let apart = |call: &&Location| offending.is_none_or(|it| (&it.file, it.line) != (&call.file, call.line));
    let call = call.filter(apart).and_then(|call| SourceSpan::read(call, Some(label)));
    let label = refusal.label.as_deref();
    let offending = offending.and_then(|place| SourceSpan::read(place, label));
    let ours = |span: &SourceSpan| !Path::new(&span.file).is_absolute();
    match (offending, call) {
        // An error in a dependency is best shown where the user can do something about it.
        (Some(offending), Some(call)) if ours(&call) && !ours(&offending) => vec![call, offending],
        (offending, call) => offending.into_iter().chain(call).collect(),
    }
}

fn children(refusal: &Refusal) -> Vec<(&'static str, String)> {
    let mut children = Vec::new();
    if let [_, between @ .., last] = &refusal.chain[..]
        && (!between.is_empty() || !refusal.message.contains(last))
    {
        let line = format!("reached through {}", refusal.chain.join(" -> "));
        let fits = line.chars().count() < 90;
        children.push(("note", if fits { line } else { line.replace(" -> ", "\n-> ") }));
    }
    children.extend(refusal.help.iter().map(|help| ("help", help.clone())));
    let report =
        |report: &PathBuf| ("note", format!("all that is needed to see it again is in {}", report.display()));
    children.extend(refusal.report.iter().map(report));
    let more = |code| ("note", format!("for more, run `cargo autodiff explain {code}`"));
    children.extend(refusal.code.iter().map(more));
    children
}

#[cfg(test)]
mod tests {
    use fs_err as fs;

    use super::*;

    fn refusal(file: &Path) -> Refusal {
        let location = Location { file: file.to_str().unwrap().into(), line: 2, column: 5 };
        Refusal {
            site: "s".into(),
            code: Some("AD0001".into()),
            message: "cannot differentiate `loss`".into(),
            chain: vec!["`loss`".into(), "`dense`".into()],
            location: None,
            label: Some("here".into()),
            primal: None,
            call: Some((location, "passed here".into())),
            help: Some("write it in Rust".into()),
            report: None,
        }
    }

    #[test]
    fn speaks_as_rustc_does() {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), "fn main() {\n    gradient(loss);\n}\n").unwrap();
        let json = Printer::new(true, false).json(&refusal(file.path()), Severity::Error).unwrap();
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
        let mut refusal = refusal(file.path());
        refusal.location = refusal.call.take().map(|(place, _)| place);
        let first = Location { line: 1, column: 0, ..refusal.location.clone().unwrap() };
        refusal.primal = Some(first);
        let rendered = Printer::new(false, false).render(&refusal, Severity::Error);
        let expected = "1 | fn loss() {\n  | ----------- the differentiated function\n\
            2 |     dense();\n  |     ^^^^^ here\n";
        assert!(rendered.contains(expected), "{rendered}");
        refusal.location = refusal.primal.clone();
        let rendered = Printer::new(false, false).render(&refusal, Severity::Error);
        assert!(rendered.contains("1 | fn loss() {\n  | ^^^^^^^^^^^ here\n"), "{rendered}");
    }
}
