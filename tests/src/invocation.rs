//! Running a command and looking at what it did.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::environment::isolate;

/// A command about to be run in a clean environment.
#[must_use]
pub struct Invocation {
    command: Command,
}

impl Invocation {
    /// Runs `program` in `directory`.
    pub fn new(program: impl AsRef<OsStr>, directory: &Path) -> Self {
        let mut command = Command::new(program);
        isolate(&mut command);
        command.current_dir(directory).stdin(Stdio::null()).env("CARGO_TERM_COLOR", "never");
        Self { command }
    }

    /// Adds one argument.
    pub fn arg(mut self, argument: impl AsRef<OsStr>) -> Self {
        self.command.arg(argument);
        self
    }

    /// Adds arguments.
    pub fn args<S: AsRef<OsStr>>(mut self, arguments: impl IntoIterator<Item = S>) -> Self {
        self.command.args(arguments);
        self
    }

    /// Sets an environment variable.
    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// Removes an environment variable.
    pub fn env_remove(mut self, name: &str) -> Self {
        self.command.env_remove(name);
        self
    }

    /// The command, without the variables that were taken out.
    fn line(&self) -> String {
        let set = self.command.get_envs().filter_map(|(name, value)| Some((name, value?)));
        let set = set.map(|(name, value)| format!("{}={:?}", name.display(), value.to_string_lossy()));
        let words = [self.command.get_program()].into_iter().chain(self.command.get_args());
        let words = words.map(|word| word.to_string_lossy().into_owned());
        set.chain(words).collect::<Vec<_>>().join(" ")
    }

    /// Runs the command to its end.
    pub fn run(mut self) -> Outcome {
        let line = self.line();
        let output = self.command.output().unwrap_or_else(|error| panic!("{line} does not start: {error}"));
        Outcome {
            line,
            code: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// Runs the command, which must succeed.
    pub fn passes(self) -> Outcome {
        self.exits_with(0)
    }

    /// Runs the command, which must end with this exit code.
    pub fn exits_with(self, code: i32) -> Outcome {
        let outcome = self.run();
        outcome
            .check(outcome.code == Some(code), &format!("exit code {code} expected, got {:?}", outcome.code));
        outcome
    }
}

/// What a command did.
#[derive(Debug)]
pub struct Outcome {
    line: String,
    /// Exit code; none after a signal.
    pub code: Option<i32>,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

impl Outcome {
    /// Fails the test, showing everything the command printed, unless `holds`.
    #[track_caller]
    pub fn check(&self, holds: bool, claim: &str) {
        assert!(
            holds,
            "{claim}\ncommand: {}\n--- stdout\n{}\n--- stderr\n{}",
            self.line, self.stdout, self.stderr
        );
    }

    /// Standard output must contain `text`.
    #[track_caller]
    pub fn prints(&self, text: &str) -> &Self {
        self.check(self.stdout.contains(text), &format!("stdout lacks {text:?}"));
        self
    }

    /// Standard error must contain `text`.
    #[track_caller]
    pub fn reports(&self, text: &str) -> &Self {
        self.check(self.stderr.contains(text), &format!("stderr lacks {text:?}"));
        self
    }

    /// Standard error must not contain `text`.
    #[track_caller]
    pub fn never_reports(&self, text: &str) -> &Self {
        self.check(!self.stderr.contains(text), &format!("stderr contains {text:?}"));
        self
    }

    /// Cargo must have found everything fresh.
    #[track_caller]
    pub fn rebuilds_nothing(&self) -> &Self {
        self.never_reports("Compiling").never_reports("Dirty")
    }

    /// The messages of `--message-format json`; every line of standard output must be one.
    #[track_caller]
    pub fn messages(&self) -> Vec<Value> {
        let parse = |line: &str| {
            let message = serde_json::from_str(line).ok();
            self.check(message.is_some(), &format!("not JSON on stdout: {line}"));
            message.unwrap_or_default()
        };
        self.stdout.lines().map(parse).collect()
    }

    /// Where cargo put an artifact of the target `name` whose file name ends in `suffix`, by its JSON messages.
    #[track_caller]
    pub fn artifact(&self, name: &str, suffix: &str) -> PathBuf {
        let messages = self.messages();
        let mut files = messages
            .iter()
            .filter(|message| message["target"]["name"] == name)
            .flat_map(|message| message["filenames"].as_array().into_iter().flatten())
            .filter_map(Value::as_str);
        let found = files.rfind(|file| file.ends_with(suffix)).map(PathBuf::from);
        self.check(found.is_some(), &format!("no artifact {name}*{suffix}"));
        found.unwrap_or_default()
    }
}
