//! The front end: reads the command line and hands each verb to whoever does it.

use std::{
    env,
    ffi::OsString,
    io::{self, Write as _},
    process::ExitCode,
};

use anyhow::Result;
use clap::{CommandFactory as _, Parser as _};

use crate::{
    clean,
    cli::{self, Cli, Own, Verb, Words},
    doctor, engine, explain,
    forward::{self, Forward},
    project::{self, Project},
    reduce, setup, term,
    toolchain::{self, Rustc},
};

/// Reads the command line and does what it says.
pub(crate) fn main() -> Result<ExitCode> {
    let words = cli::split(env::args_os().skip(1));
    if let Some(toolchain) = &words.toolchain {
        return forward::with_toolchain(toolchain);
    }
    let color = words.values("--color").pop();
    term::set_color(color.as_deref().and_then(|value| value.to_str()));
    match words.verb.as_deref().and_then(|verb| verb.to_str()) {
        None | Some("setup" | "doctor" | "explain" | "reduce" | "help") => own_verb(&words),
        Some("clean") if clean::is_whole(&words) => clean::run(words),
        Some(_) => {
            let line = [OsString::from("cargo autodiff")].into_iter().chain(words.own.clone());
            let own = Cli::parse_from(line).own;
            if words.has("--help") || words.has("-h") {
                term::note("for the options of autodiff itself: cargo autodiff --help");
            }
            Forward::new(words, &own)?.start()
        }
    }
}

/// Verbs that are read by clap alone.
fn own_verb(words: &Words) -> Result<ExitCode> {
    let line = [OsString::from("cargo autodiff")]
        .into_iter()
        .chain(words.own.clone())
        .chain(words.before.clone())
        .chain(words.verb.clone())
        .chain(words.after.clone());
    let Cli { own, verb } = Cli::parse_from(line);
    match verb {
        _ if own.version => print_version(words, &own),
        Some(Verb::Help { verb: Some(verb) }) if !is_own(&verb) => forward::cargo_help(&verb),
        Some(Verb::Help { verb }) => {
            let mut command = Cli::command();
            let described = verb.and_then(|verb| command.find_subcommand_mut(&verb).cloned());
            described.unwrap_or(command).print_help()?;
            Ok(ExitCode::SUCCESS)
        }
        Some(Verb::Doctor(options)) => {
            let usable = doctor::run(words, &own, options.json)?;
            Ok(if usable { ExitCode::SUCCESS } else { ExitCode::FAILURE })
        }
        Some(Verb::Explain { code }) => {
            io::stdout().lock().write_all(explain::text(code.as_deref())?.as_bytes())?;
            Ok(ExitCode::SUCCESS)
        }
        Some(Verb::Reduce { directory }) => {
            reduce::run(&directory)?;
            Ok(ExitCode::SUCCESS)
        }
        Some(Verb::Setup(options)) => {
            let offline = own.common.offline || project::cargo_config()?.net.offline == Some(true);
            setup::run(options.force, offline, own.common.quiet)?;
            Ok(ExitCode::SUCCESS)
        }
        _ => {
            eprintln!("{}", Cli::command().render_help().ansi());
            Ok(ExitCode::from(2))
        }
    }
}

fn is_own(verb: &std::ffi::OsStr) -> bool {
    Cli::command().find_subcommand(verb).is_some()
}

/// Our version; with `-v` also those of everything a derivative goes through.
fn print_version(words: &Words, own: &Own) -> Result<ExitCode> {
    let mut out = io::stdout().lock();
    writeln!(out, "cargo-autodiff {}", env!("CARGO_PKG_VERSION"))?;
    if own.common.verbose == 0 {
        return Ok(ExitCode::SUCCESS);
    }
    let config = project::cargo_config()?;
    let rustc = Rustc::find(config.build.rustc.as_deref())?;
    writeln!(out, "cargo: {}", toolchain::cargo().to_string_lossy())?;
    writeln!(out, "rustc: {}", rustc.release)?;
    writeln!(out, "host: {}", rustc.host)?;
    writeln!(out, "LLVM: {}", rustc.llvm_version)?;
    let settings = Project::find(words)?.map(|project| project.settings).unwrap_or_default();
    match engine::find(own.enzyme.as_deref(), &settings)? {
        Some(found) => {
            let files = engine::files(&found.engine).into_iter().map(|path| path.display());
            let files: Vec<_> = files.map(|path| path.to_string()).collect();
            writeln!(out, "engine: {} ({})", files.join(" with "), found.origin)?;
        }
        None => writeln!(out, "engine: none; run `cargo autodiff setup`")?,
    }
    Ok(ExitCode::SUCCESS)
}
