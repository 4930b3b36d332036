//! Sorting the words of a command line into ours and cargo's, without reading them.

use std::{
    ffi::{OsStr, OsString},
    iter,
    os::unix::ffi::OsStrExt as _,
};

/// Our options, and whether a value follows. All may stand on either side of the verb.
const OWN: [(&str, bool); 3] = [("--dump-ir", true), ("--enzyme", true), ("--defer-errors", false)];

/// Options of cargo's that take their value from the next word. Needed to tell a value from a verb
/// or from the first argument of the program that `cargo run` starts.
const CARGO_WITH_VALUE: [&str; 27] = [
    "-p",
    "--package",
    "-j",
    "--jobs",
    "-F",
    "--features",
    "-Z",
    "-C",
    "--config",
    "--color",
    "--target",
    "--target-dir",
    "--manifest-path",
    "--lockfile-path",
    "--profile",
    "--bin",
    "--example",
    "--test",
    "--bench",
    "--exclude",
    "--message-format",
    "--artifact-dir",
    "--out-dir",
    "--path",
    "--root",
    "--explain",
    "--test-runner",
];

/// A command line, sorted.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Words {
    /// `+toolchain`, for those who start us without cargo.
    pub(crate) toolchain: Option<OsString>,
    /// Our own options with their values.
    pub(crate) own: Vec<OsString>,
    /// cargo's options before the verb.
    pub(crate) before: Vec<OsString>,
    /// The verb.
    pub(crate) verb: Option<OsString>,
    /// Everything after it that is not ours.
    pub(crate) after: Vec<OsString>,
}

/// Sorts the arguments (without the program's name).
///
/// A leading `autodiff` is what cargo puts there when it starts us as `cargo autodiff`.
pub(crate) fn split(arguments: impl IntoIterator<Item = OsString>) -> Words {
    let mut input = arguments.into_iter().peekable();
    input.next_if(|word| word == "autodiff");
    let mut words = Words {
        toolchain: input.next_if(|word| word.to_string_lossy().starts_with('+')),
        ..Words::default()
    };
    while let Some(word) = input.next() {
        if word == "--" {
            words.after.push(word);
            break;
        }
        let (name, has_value) = option_name(&word);
        if let Some((_, takes_value)) = OWN.iter().find(|(own, _)| *own == name) {
            words.own.push(word);
            if *takes_value && !has_value {
                words.own.extend(input.next());
            }
            continue;
        }
        let takes_value = CARGO_WITH_VALUE.contains(&name.as_str()) && !has_value;
        let is_option = name.starts_with('-');
        if words.verb.is_none() && !is_option {
            words.verb = Some(word);
            continue;
        }
        let program_starts = !is_option && matches!(words.verb.as_deref(), Some(v) if is_run(v));
        let side = if words.verb.is_some() { &mut words.after } else { &mut words.before };
        side.push(word);
        if program_starts {
            break;
        }
        if takes_value {
            side.extend(input.next_if(|next| !next.to_string_lossy().starts_with('-')));
        }
    }
    words.after.extend(input);
    words
}

/// The name of an option and whether its value is part of the same word.
fn option_name(word: &OsStr) -> (String, bool) {
    let text = word.to_string_lossy();
    match text.split_once('=') {
        Some((name, _)) if text.starts_with("--") => (name.to_owned(), true),
        _ => (text.into_owned(), false),
    }
}

fn is_run(verb: &OsStr) -> bool {
    verb == "run" || verb == "r"
}

/// How far into `arguments` cargo's own options reach: up to `--` or to the program's arguments.
fn cargo_part(verb: &OsStr, arguments: &[OsString]) -> usize {
    let mut index = 0;
    while index < arguments.len() {
        let word = &arguments[index];
        let (name, has_value) = option_name(word);
        if word == "--" || (is_run(verb) && !name.starts_with('-')) {
            break;
        }
        index += 1;
        if !has_value && CARGO_WITH_VALUE.contains(&name.as_str()) {
            index += 1;
        }
    }
    index.min(arguments.len())
}

impl Words {
    /// The options that cargo itself will read, on both sides of the verb.
    pub(crate) fn cargo_options(&self) -> impl Iterator<Item = &OsString> {
        let verb = self.verb.as_deref().unwrap_or_default();
        self.before.iter().chain(&self.after[..cargo_part(verb, &self.after)])
    }

    /// The names of the options that cargo itself will read, values left out.
    pub(crate) fn options(&self) -> impl Iterator<Item = String> {
        let mut words = self.cargo_options();
        iter::from_fn(move || {
            let (name, has_value) = option_name(words.next()?);
            if !has_value && CARGO_WITH_VALUE.contains(&name.as_str()) {
                words.next();
            }
            Some(name)
        })
    }

    /// Whether one of cargo's flags is there.
    pub(crate) fn has(&self, flag: &str) -> bool {
        self.options().any(|option| option == flag)
    }

    /// Whether only what went wrong is to be said.
    pub(crate) fn is_quiet(&self) -> bool {
        self.has("--quiet") || self.options().any(|word| is_short_flags(&word) && word.contains('q'))
    }

    /// The values of one of cargo's options, in order.
    pub(crate) fn values(&self, option: &str) -> Vec<OsString> {
        let mut words = self.cargo_options();
        let mut values = Vec::new();
        while let Some(word) = words.next() {
            match option_name(word) {
                (name, false) if name == option => values.extend(words.next().cloned()),
                (name, true) if name == option => values.extend(value_of(word)),
                _ => {}
            }
        }
        values
    }

    /// How many `-v` there are.
    pub(crate) fn verbosity(&self) -> u8 {
        let count = |word: &OsString| match word.to_str() {
            Some("--verbose") => 1,
            Some(short) if is_short_flags(short) => short.matches('v').count() as u8,
            _ => 0,
        };
        self.cargo_options().map(count).sum()
    }

    /// Takes `--target-dir` out and returns its value.
    pub(crate) fn take_target_dir(&mut self) -> Option<OsString> {
        let verb = self.verb.clone().unwrap_or_default();
        let end = cargo_part(&verb, &self.after);
        let program = self.after.split_off(end);
        let found = [&mut self.before, &mut self.after].map(|side| take(side, "--target-dir"));
        self.after.extend(program);
        found.into_iter().flatten().next_back()
    }
}

/// Clusters such as `-vV` or `-qv`, which have no values.
fn is_short_flags(word: &str) -> bool {
    let flags = word.strip_prefix('-').unwrap_or_default();
    !flags.is_empty() && flags.chars().all(|flag| "vVqh".contains(flag))
}

/// Removes every occurrence of an option with its value; the last value counts.
fn take(words: &mut Vec<OsString>, option: &str) -> Option<OsString> {
    let mut found = None;
    let mut rest = Vec::with_capacity(words.len());
    let mut input = words.drain(..);
    while let Some(word) = input.next() {
        match option_name(&word) {
            (name, false) if name == option => found = input.next().or(found),
            (name, true) if name == option => found = value_of(&word).or(found),
            _ => rest.push(word),
        }
    }
    drop(input);
    *words = rest;
    found
}

/// The value in `--option=value`.
fn value_of(word: &OsStr) -> Option<OsString> {
    let bytes = word.as_bytes();
    let equals = bytes.iter().position(|byte| *byte == b'=')?;
    Some(OsStr::from_bytes(&bytes[equals + 1..]).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(line: &str) -> Words {
        split(line.split_whitespace().map(OsString::from))
    }

    #[test]
    fn own_options_stand_on_either_side() {
        let words = sorted("autodiff --dump-ir d run --enzyme=/e --release --defer-errors -p a");
        assert_eq!(words.own, ["--dump-ir", "d", "--enzyme=/e", "--defer-errors"]);
        assert_eq!(words.verb.unwrap(), "run");
        assert_eq!(words.after, ["--release", "-p", "a"]);
    }

    #[test]
    fn what_follows_two_dashes_is_the_programs() {
        let mut words = sorted("test --lib -- --enzyme x --target-dir y -v");
        assert!(words.own.is_empty());
        assert_eq!(words.take_target_dir(), None);
        assert_eq!(words.verbosity(), 0);
        assert_eq!(words.after, ["--lib", "--", "--enzyme", "x", "--target-dir", "y", "-v"]);
    }

    #[test]
    fn what_follows_runs_first_argument_is_the_programs() {
        let mut words = sorted("run -p a --target-dir t file --enzyme x --target-dir y --target z");
        assert!(words.own.is_empty());
        assert!(!words.has("--target"));
        assert_eq!(words.take_target_dir().unwrap(), "t");
        assert_eq!(words.after[..3], ["-p", "a", "file"]);
        assert_eq!(words.after.len(), 9);
    }

    #[test]
    fn cargos_options_before_the_verb() {
        let mut words = sorted("-v --color never --target-dir=a build --target-dir b -vv");
        assert_eq!(words.verb.as_deref(), Some("build".as_ref()));
        assert_eq!(words.verbosity(), 3);
        assert_eq!(words.take_target_dir().unwrap(), "b");
        assert_eq!(words.before, ["-v", "--color", "never"]);
        assert_eq!(words.after, ["-vv"]);
    }

    #[test]
    fn test_filters_do_not_end_cargos_options() {
        let words = sorted("test name --target x --enzyme e");
        assert!(words.has("--target"));
        assert_eq!(words.own, ["--enzyme", "e"]);
    }

    #[test]
    fn toolchain_and_values() {
        let words = sorted("+nightly build --config net.offline=true --target=t");
        assert_eq!(words.toolchain.as_deref(), Some("+nightly".as_ref()));
        assert_eq!(words.values("--config"), ["net.offline=true"]);
        assert_eq!(words.values("--target"), ["t"]);
    }

    #[test]
    fn only_the_first_autodiff_is_cargos() {
        let words = sorted("autodiff autodiff x");
        assert_eq!(words.verb.unwrap(), "autodiff");
    }
}
