//! What we say on the terminal, in cargo's manner. Everything here goes to standard error.

use std::{fmt::Display, io::IsTerminal as _};

use anstyle::{AnsiColor, Style};

/// Exit status of our own failures, the same as cargo's.
pub(crate) const FAILURE: i32 = 101;

const GOOD: Style = AnsiColor::Green.on_default().bold();
const WARNING: Style = AnsiColor::Yellow.on_default().bold();
const NOTE: Style = AnsiColor::Cyan.on_default().bold();
const ERROR: Style = AnsiColor::Red.on_default().bold();

/// Settles colour as cargo would: `--color`, else `CARGO_TERM_COLOR`, else what the terminal can do.
pub(crate) fn set_color(flag: Option<&str>) {
    let variable = std::env::var("CARGO_TERM_COLOR").ok();
    let choice = match flag.or(variable.as_deref()) {
        Some("always") => anstream::ColorChoice::Always,
        Some("never") => anstream::ColorChoice::Never,
        _ => return,
    };
    choice.write_global();
}

/// Whether somebody may be watching.
pub(crate) fn is_terminal() -> bool {
    std::io::stderr().is_terminal()
}

/// A line that starts with a right-aligned verb.
pub(crate) fn status(verb: &str, message: impl Display) {
    anstream::eprintln!("{GOOD}{verb:>12}{GOOD:#} {message}");
}

/// An error with its causes, on one line.
pub(crate) fn error(error: &anyhow::Error) {
    anstream::eprintln!("{ERROR}error{ERROR:#}: {error:#}");
}

/// A remark.
pub(crate) fn note(message: impl Display) {
    anstream::eprintln!("{NOTE}note{NOTE:#}: {message}");
}

/// Text that reports success.
pub(crate) fn good(text: &str) -> String {
    format!("{GOOD}{text}{GOOD:#}")
}

/// Text that asks for attention.
pub(crate) fn attention(text: &str) -> String {
    format!("{WARNING}{text}{WARNING:#}")
}

/// Text that reports a failure.
pub(crate) fn bad(text: &str) -> String {
    format!("{ERROR}{text}{ERROR:#}")
}
