//! Running other programs in our place.

use std::{
    io,
    process::{Command, ExitCode, ExitStatus},
};

use anyhow::{Context as _, Result};

use crate::session::private;

/// Runs `command` as if we had not been there: signals, terminal and exit status are its own.
pub(crate) fn replace_self(command: &mut Command) -> Result<ExitCode> {
    let failure = |command: &Command| format!("cannot run `{}`", command.get_program().display());
    #[cfg(unix)]
    {
        use std::os::unix::process::CommandExt as _;
        let error: io::Error = command.exec();
        Err(error).with_context(|| failure(command))
    }
    #[cfg(not(unix))]
    {
        let status: io::Result<_> = command.status();
        status.map(exit_code).with_context(|| failure(command))
    }
}

/// Hides from a program that we are here.
pub(crate) fn clean_environment(command: &mut Command) -> &mut Command {
    command.env_remove(private::LINK).env_remove(private::WRAPPER).env_remove(private::SESSION)
}

/// The exit code that passes on how another program ended.
pub(crate) fn exit_code(status: ExitStatus) -> ExitCode {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return ExitCode::from(u8::try_from(128 + signal).unwrap_or(u8::MAX));
    }
    ExitCode::from(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1))
}
