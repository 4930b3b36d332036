//! The rustc wrapper: what cargo starts in place of rustc, for every crate.
//!
//! For crates whose code may be differentiated, rustc is made to keep its bitcode, and its linker is
//! replaced by the [linker wrapper](super::linker). All else goes to rustc untouched.

use std::{
    env,
    ffi::{OsStr, OsString},
    io::{self, BufRead as _, BufReader},
    iter,
    process::{Child, Command, ExitCode, Stdio},
    sync::{Arc, atomic::AtomicBool},
};

use anyhow::{Context as _, Result};
use fs_err as fs;

use super::{
    args::{self, RustcArgs},
    diagnostic::Printer,
    doctest,
    job::{self, Findings, Job},
    notices::Notices,
    pack,
    private::{self, PrivateDir},
    staticlib,
};
use crate::{
    process,
    session::{self, Session},
};

/// Acts as the rustc wrapper.
pub(crate) fn main() -> Result<ExitCode> {
    let session = Session::from_env()?;
    let mut argv = env::args_os().skip(1);
    let program = argv.next().context("cargo passed no rustc to run")?;
    if doctest::is_rustdoc(&program) {
        let arguments: Vec<_> = iter::once(program).chain(argv).collect();
        return doctest::main(session, &arguments);
    }
    let original: Vec<_> = argv.collect();
    let plain = args::expand(&original)?;
    let parsed = RustcArgs::parse(&plain);
    let out_dir = match &parsed.out_dir {
        Some(out_dir) if parsed.is_captured() => out_dir.clone(),
        _ => return process::replace_self(rustc(&session, &program).args(original)),
    };
    let private = PrivateDir::create(&out_dir, &plain)?;
    let job = Job::new(session, parsed, &private);
    let mut command = rustc(&job.session, &program);
    add_arguments(&mut command, &original, &plain, &job, &private)?;
    capture(&mut command, &job, &private)
}

/// A command for rustc, called through the wrapper the user had.
fn rustc(session: &Session, program: &OsStr) -> Command {
    match &session.rustc_wrapper {
        Some(wrapper) => {
            let mut command = Command::new(wrapper);
            command.arg(program);
            command
        }
        None => Command::new(program),
    }
}

fn add_arguments(
    command: &mut Command,
    original: &[OsString],
    plain: &[OsString],
    job: &Job,
    private: &PrivateDir,
) -> Result<()> {
    let mut arguments = args::redirect(plain, private.path());
    arguments.extend(job.capture_options()?);
    if job.rustc.split_debuginfo
        && let Some(out_dir) = &job.rustc.out_dir
    {
        // The program names the files with its debug information, which will be there.
        let mut prefix = OsString::from("--remap-path-prefix=");
        prefix.push(private.path());
        prefix.push("=");
        prefix.push(out_dir);
        arguments.push(prefix);
    }
    if job.rustc.links() {
        command.env(session::private::LINK, job.save()?);
    }
    if original == plain {
        command.args(arguments);
        return Ok(());
    }
    // The command line was too long for cargo, so it is for us.
    let file = private.ours().join("arguments");
    let lines: Vec<_> = arguments.iter().map(|a| a.to_string_lossy()).collect();
    fs::write(&file, lines.join("\n"))?;
    let mut at = OsString::from("@");
    at.push(file);
    command.arg(at);
    Ok(())
}

/// Runs rustc, and does with its output what it would have done itself, plus the bitcode.
fn capture(command: &mut Command, job: &Job, private: &PrivateDir) -> Result<ExitCode> {
    outlive_interrupts()?;
    let mut printer = Printer::new(job.rustc.json, job.rustc.ansi);
    let mut child = command
        .stderr(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot run `{}`", command.get_program().display()))?;
    let notices = Notices::new(job, private)?;
    stream(&mut child, job, &notices, &mut printer)?;
    let status = child.wait()?;
    if status.success()
        && job.rustc.is_staticlib()
        && let Err(error) = staticlib::differentiate_staticlib(job)
    {
        let refusals = vec![job::failure(&error)];
        job.report(Findings { refusals, ..Findings::default() })?;
    }
    let findings = Findings::load(&job.private)?;
    printer.findings(&findings)?;
    if !status.success() || !findings.refusals.is_empty() {
        private.move_out(|name, _| private::is_message(name))?;
        return Ok(if status.success() { ExitCode::FAILURE } else { process::exit_code(status) });
    }
    if job.rustc.is_library() {
        write_pack(job)?;
    }
    notices.translate_dep_info()?;
    private.move_out(|name, is_dir| private::is_output(name, is_dir, &job.rustc.emit))?;
    Ok(ExitCode::SUCCESS)
}

/// Passes on rustc's messages as they come: cargo starts other crates on some of them.
fn stream(child: &mut Child, job: &Job, notices: &Notices, printer: &mut Printer) -> Result<()> {
    let stderr = child.stderr.take().context("rustc has no standard error")?;
    let mut stderr = BufReader::new(stderr);
    let mut line = Vec::new();
    loop {
        line.clear();
        if stderr.read_until(b'\n', &mut line)? == 0 {
            return Ok(());
        }
        if Notices::is_failed_link(&line) {
            let findings = Findings::load(&job.private)?;
            if !findings.refusals.is_empty() {
                printer.findings(&findings)?;
                continue;
            }
        }
        printer.line(&notices.translate(&line)?)?;
    }
}

fn write_pack(job: &Job) -> Result<()> {
    let (Some(name), Some(out_dir)) = (&job.rustc.crate_name, &job.rustc.out_dir) else { return Ok(()) };
    let library = out_dir.join(format!("lib{name}{}.rlib", job.rustc.extra_filename));
    let bitcode = PrivateDir::bitcode(&job.private)?;
    pack::write(&pack::path_beside(&library), name, &job.rustc.externs, &bitcode)
}

/// An interrupt from the terminal ends rustc; we go on, to clean up after it.
fn outlive_interrupts() -> io::Result<()> {
    let flag = Arc::new(AtomicBool::new(false));
    signal_hook::flag::register(signal_hook::consts::SIGINT, flag)?;
    Ok(())
}
