//! The command line: which words are ours, which are cargo's.
//!
//! Our own options may stand before the verb or among cargo's, as cargo's own do; everything that
//! is not ours goes to cargo word for word. [`split`] sorts the words, clap reads ours.

use std::{ffi::OsString, path::PathBuf};

use clap::{ArgAction, Args, Parser, Subcommand};

mod words;

pub(crate) use words::{Words, split};

const AFTER_HELP: &str = "\
Any other verb (build, run, test, bench, check, doc, clippy, ...) is cargo's: it and its arguments
are passed on, and cargo works in a target directory of our own, <target directory>/autodiff/.

Environment:
  AUTODIFF_ENZYME      Enzyme to use: an LLVMEnzyme-22.so plugin, or a `catalyst` executable
  AUTODIFF_OPT         LLVM's `opt` that goes with the plugin
  AUTODIFF_LLVM_REDUCE LLVM's `llvm-reduce`, for `reduce`
  CARGO_AUTODIFF_HOME  where `setup` puts Enzyme, in place of the user's cache directory
  CARGO_AUTODIFF_LOG   tracing, such as `debug` or `cargo_autodiff=trace`

In Cargo.toml, [package.metadata.autodiff] or [workspace.metadata.autodiff] may set
`enzyme = \"path\"` and `defer-errors = true`. The command line wins.";

/// Build programs whose derivatives Enzyme makes, on stable Rust.
#[derive(Debug, Parser)]
#[command(
    name = "cargo autodiff",
    bin_name = "cargo autodiff",
    override_usage = "cargo autodiff [OPTIONS] VERB [ARGUMENTS AS FOR CARGO]",
    disable_version_flag = true,
    disable_help_subcommand = true,
    after_help = AFTER_HELP
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) own: Own,
    #[command(subcommand)]
    pub(crate) verb: Option<Verb>,
}

/// The options that stand on either side of any verb.
#[derive(Debug, Default, Clone, Args)]
pub(crate) struct Own {
    /// Write the code after each stage of differentiation into this directory
    #[arg(long, value_name = "DIR")]
    pub(crate) dump_ir: Option<PathBuf>,
    /// Enzyme to use: an LLVMEnzyme-22.so plugin, or a `catalyst` executable
    #[arg(long, value_name = "PATH")]
    pub(crate) enzyme: Option<PathBuf>,
    /// Make derivatives that cannot be made a warning; calling one panics with the reason
    #[arg(long)]
    pub(crate) defer_errors: bool,
    /// Print version; with -v also those of rustc, LLVM and Enzyme
    #[arg(short = 'V', long)]
    pub(crate) version: bool,
    #[command(flatten)]
    pub(crate) common: Common,
}

/// Options of cargo's that mean the same for our verbs.
#[derive(Debug, Default, Clone, Args)]
pub(crate) struct Common {
    /// Show the commands we run; twice, with their environment
    #[arg(short, long, action = ArgAction::Count, global = true)]
    pub(crate) verbose: u8,
    /// Say only what went wrong
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
    /// Do without the network
    #[arg(long, global = true)]
    pub(crate) offline: bool,
    /// When to use colour: auto, always, never
    #[arg(long, value_name = "WHEN", global = true)]
    pub(crate) color: Option<String>,
}

/// The verbs that are ours; all others are cargo's.
#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Fetch Enzyme, once for all projects of this user
    Setup(Setup),
    /// Check what derivatives need, and say what to do about what is missing
    Doctor(Doctor),
    /// Explain an error by its code, such as AD0001; without a code, list all
    Explain {
        /// The code
        code: Option<String>,
    },
    /// Make the module in a report of a failure of Enzyme's smaller, by `llvm-reduce`
    Reduce {
        /// The directory that the error message names
        directory: PathBuf,
    },
    /// Remove what our builds left in the target directory, and nothing else
    Clean,
    /// Print this help, or cargo's help for a verb
    Help {
        /// The verb
        verb: Option<OsString>,
    },
}

/// Options of `setup`.
#[derive(Debug, Default, Clone, Args)]
pub(crate) struct Setup {
    /// Fetch it again, even if it is there
    #[arg(long)]
    pub(crate) force: bool,
}

/// Options of `doctor`.
#[derive(Debug, Clone, Args)]
pub(crate) struct Doctor {
    /// Report as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn definition_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn own_verbs_share_cargos_common_options() {
        let cli = Cli::try_parse_from(["cargo autodiff", "-v", "setup", "--force", "--offline"]);
        let Cli { own, verb: Some(Verb::Setup(setup)) } = cli.unwrap() else { panic!("not setup") };
        assert!(own.common.offline && setup.force && own.common.verbose == 1);
    }
}
