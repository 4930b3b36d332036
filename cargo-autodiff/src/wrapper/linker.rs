//! The linker wrapper: what rustc starts in place of the linker.

use std::{
    env,
    path::Path,
    process::{Command, ExitCode},
};

use anyhow::{Context as _, Result};

use super::{
    differentiate::{Outcome, differentiate},
    job::{self, Findings, Job},
    link_args::LinkArgs,
};
use crate::{process, session::private};

/// Acts as the linker.
pub(crate) fn main() -> Result<ExitCode> {
    let job = env::var_os(private::LINK).context("rustc's wrapper gave no job")?;
    let job = Job::load(Path::new(&job))?;
    link(&job).or_else(|error| {
        // rustc would show this as a string in a string; its wrapper shows it as an error.
        let refusals = vec![job::failure(&error)];
        job.report(Findings { refusals, ..Findings::default() })?;
        Ok(ExitCode::FAILURE)
    })
}

fn link(job: &Job) -> Result<ExitCode> {
    let mut arguments = LinkArgs::read(env::args_os().skip(1))?;
    let mut command = Command::new(&job.linker);
    process::clean_environment(&mut command);
    match differentiate(job, &arguments.inputs())? {
        Outcome::Refused => return Ok(ExitCode::FAILURE),
        Outcome::Changed(derivatives) => arguments.replace(&derivatives.copies, &derivatives.objects),
        Outcome::Nothing => {}
    }
    arguments.raise_rpaths();
    process::replace_self(command.args(arguments.into_arguments(|| job.scratch())?))
}
