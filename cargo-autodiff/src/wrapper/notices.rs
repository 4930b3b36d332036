//! What rustc says on standard error, with our private directory kept out of it.

use std::path::Path;

use anyhow::Result;
use fs_err as fs;
use memchr::memmem;
use serde::Deserialize;

use super::{job::Job, private::PrivateDir};

/// Translates the lines of one rustc.
pub(crate) struct Notices<'a> {
    private: &'a PrivateDir,
    /// Texts that may stand in a line, and what should stand there.
    replacements: Vec<(Vec<u8>, Vec<u8>)>,
}

/// The fields of rustc's JSON lines that matter here.
#[derive(Deserialize)]
struct Line {
    artifact: Option<String>,
    emit: Option<String>,
    level: Option<String>,
    message: Option<String>,
}

impl<'a> Notices<'a> {
    pub(crate) fn new(job: &Job, private: &'a PrivateDir) -> Result<Self> {
        let component = private.component();
        let replacements = vec![
            (json_text(&job.linker_path()?)?, json_text(&job.linker)?),
            (component.into_bytes(), Vec::new()),
        ];
        Ok(Self { private, replacements })
    }

    /// The line as rustc would have written it. A file of metadata is put in place first, because cargo
    /// starts the crates that wait for it.
    pub(crate) fn translate(&self, line: &[u8]) -> Result<Vec<u8>> {
        let mentions_us = self.replacements.iter().any(|(ours, _)| memmem::find(line, ours).is_some());
        if !mentions_us {
            return Ok(line.to_owned());
        }
        if let Some(Line { artifact: Some(artifact), emit: Some(emit), .. }) = parse(line)
            && emit == "metadata"
        {
            self.private.publish(Path::new(&artifact))?;
        }
        Ok(self.replace(line))
    }

    /// Makefile rules name the files they make.
    pub(crate) fn translate_dep_info(&self) -> Result<()> {
        for entry in fs::read_dir(self.private.path())? {
            let file = entry?.path();
            if file.extension().is_some_and(|e| e == "d") {
                fs::write(&file, self.replace(&fs::read(&file)?))?;
            }
        }
        Ok(())
    }

    fn replace(&self, text: &[u8]) -> Vec<u8> {
        self.replacements.iter().fold(text.to_owned(), |text, (from, to)| replace_all(&text, from, to))
    }

    /// Whether rustc says that its linker failed.
    pub(crate) fn is_failed_link(line: &[u8]) -> bool {
        memmem::find(line, b"linking with").is_some()
            && parse(line).is_some_and(|line| {
                line.level.as_deref() == Some("error")
                    && line.message.is_some_and(|message| message.starts_with("linking with"))
            })
    }
}

fn parse(line: &[u8]) -> Option<Line> {
    if line.first() != Some(&b'{') {
        return None;
    }
    serde_json::from_slice(line).ok()
}

/// A path as it stands inside a JSON string.
fn json_text(path: &Path) -> Result<Vec<u8>> {
    let quoted = serde_json::to_string(path)?;
    Ok(quoted.trim_matches('"').as_bytes().to_owned())
}

fn replace_all(text: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let mut replaced = Vec::with_capacity(text.len());
    let mut rest = 0;
    for found in memmem::find_iter(text, from) {
        replaced.extend_from_slice(&text[rest..found]);
        replaced.extend_from_slice(to);
        rest = found + from.len();
    }
    replaced.extend_from_slice(&text[rest..]);
    replaced
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_a_failed_link() {
        let line = br#"{"$message_type":"diagnostic","message":"linking with `cc` failed","level":"error"}"#;
        assert!(Notices::is_failed_link(line));
        assert!(!Notices::is_failed_link(br#"{"message":"mind linking with `cc`","level":"error"}"#));
        assert!(!Notices::is_failed_link(b"error: linking with `cc` failed"));
    }

    #[test]
    fn replaces_everywhere() {
        assert_eq!(replace_all(b"/o/.p/a: /o/.p/b", b".p/", b""), b"/o/a: /o/b");
    }
}
