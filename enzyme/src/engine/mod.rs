//! Enzyme itself: C++ that must match an LLVM, run as a process of its own, so that its failures
//! never are ours.

mod catalyst;
mod plugin;

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::error::Error;
use crate::{protocol, words};

/// Something that differentiates a module.
pub(crate) trait Engine {
    /// The command that replaces the calls of Enzyme's entry points in the bitcode file `input` by
    /// derivatives, and the file that it writes, bitcode or text. `workspace` is a directory for this
    /// run alone.
    fn command(&self, input: &Path, workspace: &Path) -> (Command, PathBuf);

    /// Runs that command.
    fn differentiate(&self, input: &Path, workspace: &Path) -> Result<Outcome, Error> {
        let (mut command, module) = self.command(input, workspace);
        run(&mut command, module)
    }
}

/// What came of running an engine.
pub(crate) enum Outcome {
    /// The differentiated module, as text or bitcode.
    Module(PathBuf),
    /// What the engine wrote on its standard error stream.
    Refused(String),
}

/// The engine that a request names.
pub(crate) fn of(engine: &protocol::Engine) -> Box<dyn Engine> {
    match engine.clone() {
        protocol::Engine::Catalyst { executable } => Box::new(catalyst::Catalyst { executable }),
        protocol::Engine::Plugin { opt, plugin } => Box::new(plugin::Plugin { opt, plugin }),
    }
}

/// Options that every engine gets: IEEE arithmetic in adjoints, no alias rules of C, and no
/// assumption that what is read from a mutable static is constant: `prepare` says where it is.
///
/// `--enable-gvn-memdep` keeps LLVM, where it runs inside the engine, from believing the `invariant.group`
/// that Enzyme puts on what it reads twice: with loads joined, it speaks of memory before it was
/// changed. `prepare` takes it away before anything else is optimised. `--enzyme-rematerialize`: stack
/// slots are not filled again in the reverse sweep, which is left out for some that calls read in loops. `--pass-remarks`: it is to say what it guesses.
const OPTIONS: [&str; 6] = [
    "--enzyme-fast-math=0",
    "--enzyme-strict-aliasing=0",
    "--enzyme_nonmarkedglobals_inactiveloads=0",
    "--enable-gvn-memdep=0",
    "--enzyme-rematerialize=0",
    "--pass-remarks=enzyme",
];

/// Runs an engine's process, which should write `module`.
fn run(command: &mut Command, module: PathBuf) -> Result<Outcome, Error> {
    tracing::debug!(?command, "engine");
    let output =
        command.output().map_err(|source| Error::Engine { path: command.get_program().into(), source })?;
    let mut said = String::from_utf8_lossy(&output.stderr).into_owned();
    if output.status.success() && module.exists() {
        return Ok(match words::guess(&said) {
            Some(guess) => Outcome::Refused(format!("error: {guess}")),
            None => Outcome::Module(module),
        });
    }
    if output.status.code().is_none() {
        said = format!("{said}\n{}\n", words::CRASHED);
    }
    Ok(Outcome::Refused(said))
}
