//! A directory with all that is needed to see a failure of the engine again, and to make it smaller.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fs, io};

use crate::error::Error;
use crate::llvm::{self, Context};
use crate::words;

/// What a report is made of.
pub(crate) struct Failure<'a> {
    /// The module that the engine was given.
    pub(crate) module: &'a Path,
    /// How it was called.
    pub(crate) command: &'a Command,
    /// The directory it was to write to.
    pub(crate) workspace: &'a Path,
    /// What it wrote on its standard error stream.
    pub(crate) said: &'a str,
}

impl Failure<'_> {
    /// Writes the report into a directory in `reports` that is named after what failed.
    pub(crate) fn write(&self, reports: &Path) -> Result<PathBuf, Error> {
        let unreadable = |source| Error::Read { path: self.module.to_owned(), source };
        let bitcode = fs::read(self.module).map_err(unreadable)?;
        let script = self.script();
        let name = blake3::Hasher::new().update(&bitcode).update(script.as_bytes()).finalize().to_hex();
        let directory = reports.join(&name[..16]);

        let context = Context::new();
        let module = context.parse_bitcode(&bitcode).map_err(Error::stage("reading the prepared module"))?;
        let text = module.text();
        let files = [
            ("prepared.bc", bitcode),
            ("prepared.ll", text.clone().into()),
            ("said.txt", self.said.into()),
            ("complaint.txt", words::key(self.said).unwrap_or_default().into()),
            ("versions.txt", self.versions(&text).into()),
            ("run.sh", script.into()),
            ("complains.sh", COMPLAINS.into()),
            ("README.md", README.into()),
        ];
        let unwritable = |source| Error::Write { path: directory.clone(), source };
        fs::create_dir_all(&directory).map_err(unwritable)?;
        for (name, contents) in files {
            write(&directory.join(name), &contents).map_err(unwritable)?;
        }
        Ok(directory)
    }

    /// The engine's command line, for any module.
    fn script(&self) -> String {
        let argument = |argument: &OsStr| match argument {
            it if it == self.module => "\"$module\"".to_owned(),
            it if Path::new(it) == self.workspace => "\"$work\"".to_owned(),
            it if Path::new(it).starts_with(self.workspace) => {
                format!("\"$work\"/{}", quoted(Path::new(it).file_name().unwrap_or_default()))
            }
            it => quoted(it),
        };
        let arguments: Vec<_> = self.command.get_args().map(argument).collect();
        RUN.replace("ENGINE_PATH", &quoted(self.command.get_program()))
            .replace("ARGUMENTS", &arguments.join(" \\\n  "))
    }

    fn versions(&self, module: &str) -> String {
        let compiler = module.split('"').find(|text| text.starts_with("rustc version "));
        format!(
            "cargo-autodiff {}\n{}\nLLVM {}\nengine: {}\n",
            env!("CARGO_PKG_VERSION"),
            compiler.unwrap_or("rustc of an unknown version"),
            llvm::version(),
            self.command.get_program().display(),
        )
    }
}

/// Writes a file, which can be run if it is a script.
fn write(path: &Path, contents: &[u8]) -> io::Result<()> {
    fs::write(path, contents)?;
    #[cfg(unix)]
    if path.extension().is_some_and(|end| end == "sh") {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(path, fs::Permissions::from_mode(0o755))?;
    }
    Ok(())
}

/// A word as a shell reads it.
fn quoted(word: &OsStr) -> String {
    let word = word.to_string_lossy();
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=+,:".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.into_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

const RUN: &str = r#"#!/bin/sh
# Runs the engine on a module, prepared.ll if none is given, as `cargo autodiff` did.
# ENGINE may name another one.
here=$(cd "$(dirname "$0")" && pwd)
module=${1:-$here/prepared.ll}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"${ENGINE:-ENGINE_PATH}" \
  ARGUMENTS >/dev/null
"#;

const COMPLAINS: &str = r#"#!/bin/sh
# Succeeds if the engine fails on a module as it did on prepared.ll. This is a test for llvm-reduce.
here=$(cd "$(dirname "$0")" && pwd)
said=$(mktemp)
trap 'rm -f "$said"' EXIT
"$here/run.sh" "$1" 2>"$said"
status=$?
if [ -s "$here/complaint.txt" ]; then
  grep -qF -f "$here/complaint.txt" "$said"
else
  # It said nothing, but was ended by a signal.
  [ $status -gt 128 ]
fi
"#;

const README: &str = "\
# A failure of Enzyme

Enzyme has failed on a module that `cargo autodiff` has prepared for it. Here is all that is needed to see that again:

| file | |
| --- | --- |
| `prepared.ll`, `prepared.bc` | the module, with your code in it, as text and as bitcode |
| `run.sh` | runs the engine on it as `cargo autodiff` did: `./run.sh`, or `ENGINE=path ./run.sh` for another engine |
| `said.txt` | what the engine said |
| `complaint.txt` | the part of that by which the failure is known; empty for a crash without words |
| `complains.sh` | succeeds if the engine fails on a module in this way: `./complains.sh prepared.ll` |
| `versions.txt` | the versions of everything |

`cargo autodiff reduce` with this directory makes the module smaller as long as Enzyme fails in the same way, with LLVM's
`llvm-reduce`; the outcome is `reduced.ll`.
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_line_holds_no_place_of_the_module() {
        let mut command = Command::new("/my tools/opt");
        command.args(["-load", "/my plugins/it's.so", "/w/engine-1/prepared.bc", "-o", "/w/engine-1/out.bc"]);
        let (module, workspace) = (Path::new("/w/engine-1/prepared.bc"), Path::new("/w/engine-1"));
        let script = Failure { module, command: &command, workspace, said: "" }.script();
        let expected = "\"${ENGINE:-'/my tools/opt'}\" \\\n  -load \\\n  '/my plugins/it'\\''s.so' \\\n  \
            \"$module\" \\\n  -o \\\n  \"$work\"/out.bc >/dev/null\n";
        assert!(script.ends_with(expected), "{script}");
    }
}
