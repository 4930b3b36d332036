//! What went wrong with a derivative, said the way rustc says things, so that cargo counts and
//! replays it and editors show it.

use std::{
    io::{self, IsTerminal as _, Write as _},
    path::Path,
};

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use anyhow::Result;
use serde::Serialize;

use super::{
    job::{Finding, Findings},
    source_span::{JsonSpan, SourceSpan},
};

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
    code: Option<()>,
    level: &'static str,
    spans: Vec<JsonSpan<'a>>,
    children: Vec<JsonChild>,
    rendered: String,
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
            code: None,
            level: if severity == Severity::Error { "error" } else { "warning" },
            spans: spans.iter().enumerate().map(|(n, span)| span.json(n == 0)).collect(),
            children: children(finding).into_iter().map(child).collect(),
            rendered: self.render(finding, severity) + "\n",
        })?)
    }

    fn render(&self, finding: &Finding, severity: Severity) -> String {
        let level = if severity == Severity::Error { Level::ERROR } else { Level::WARNING };
        let spans = spans(finding);
        let mut group = Group::with_title(level.primary_title(&*finding.refusal.message));
        for (number, span) in spans.iter().enumerate() {
            let kind = if number == 0 { AnnotationKind::Primary } else { AnnotationKind::Context };
            let annotation = kind.span(span.bytes.clone()).label(span.label.as_deref());
            group = group.element(Snippet::source(&*span.source).path(&*span.file).annotation(annotation));
        }
        if let (true, Some(place)) = (spans.is_empty(), &finding.refusal.location) {
            let origin = Origin::path(&*place.file).line(place.line as usize);
            group = group.element(origin.char_column(place.column as usize));
        }
        for (level, message) in children(finding) {
            let level = if level == "help" { Level::HELP } else { Level::NOTE };
            group = group.element(level.message(message));
        }
        format!("{}\n", self.renderer.render(&[group]))
    }
}

/// The offending place and the derivative call, as far as they can be shown; the primary one first.
fn spans(finding: &Finding) -> Vec<SourceSpan> {
    let offending = finding.refusal.location.as_ref();
    let call = finding.call.as_ref().filter(|call| Some(*call) != offending);
    let call = call.and_then(|call| SourceSpan::read(call, Some("differentiated here")));
    let offending = offending.and_then(|place| SourceSpan::read(place, None));
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
        let chain: Vec<_> = refusal.chain.iter().map(|function| format!("`{function}`")).collect();
        children.push(("note", format!("reached through {}", chain.join(" -> "))));
    }
    children.extend(refusal.help.iter().map(|help| ("help", help.clone())));
    children
}

#[cfg(test)]
mod tests {
    use autodiff_enzyme::protocol::{Location, Refusal};
    use fs_err as fs;

    use super::*;

    fn finding(file: &Path) -> Finding {
        let location = Location { file: file.to_str().unwrap().into(), line: 2, column: 5 };
        let refusal = Refusal {
            site: "s".into(),
            message: "cannot differentiate `loss`".into(),
            chain: vec!["loss".into(), "dense".into()],
            location: None,
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
        assert!(rendered.starts_with("error: cannot differentiate `loss`\n --> "), "{rendered}");
        assert!(rendered.contains("2 |     gradient(loss);\n  |     ^^^^^^^^"), "{rendered}");
        assert!(rendered.contains("= help: write it in Rust"), "{rendered}");
    }
}
