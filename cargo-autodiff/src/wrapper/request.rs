//! From derivative calls to derivatives: what is asked of the worker, unless it is known already.

use std::{
    collections::HashSet,
    env,
    ffi::OsString,
    io::Write as _,
    iter,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    thread,
};

use anyhow::{Context as _, Result, bail};
use autodiff_enzyme::protocol::{Request, Response, Site, Target};
use fs_err as fs;

use super::{
    cache::{self, Cache, Key},
    job::{Job, symlink},
    pack::{self, HashedModule},
    std_bitcode,
};
use crate::{
    process,
    session::{Session, private},
    target_dir, toolchain,
};

/// Where the worker looks for LLVM, on every system.
const LOADER_PATH: &str = "LD_LIBRARY_PATH";

/// What came of the request, and what the worker printed.
pub(crate) struct Answer {
    pub(crate) response: Response,
    pub(crate) log: Vec<String>,
}

/// Has derivatives made for the given calls, of code from this crate and those it is built on.
pub(crate) fn derivatives(job: &Job, sites: &[Site], bitcode: &[PathBuf], scratch: &Path) -> Result<Answer> {
    let sites = distinct(sites);
    let modules = user_modules(job, bitcode)?;
    let key = Key::new(&job.session, &sites, &target(job), &modules)?;
    let cache = Cache::new(&job.session.target_dir);
    let _lock = cache.lock(&key)?;
    if job.session.dump_ir.is_none()
        && let Some(mut response) = cache.load(&key)
    {
        // They tell of the run that filled the cache.
        response.timings.clear();
        let log = vec![format!("{} derivatives unchanged", response.derived.len())];
        return Ok(Answer { response, log });
    }
    let request = request(job, sites, modules, scratch)?;
    let mut answer = run_worker(&job.session, &request, scratch)?;
    if answer.response.refusals.is_empty() {
        answer.response = cache.store(&key, &answer.response)?;
    }
    cache::prune(&job.session.target_dir);
    Ok(answer)
}

fn distinct(sites: &[Site]) -> Vec<Site> {
    let mut seen = HashSet::new();
    sites.iter().filter(|site| seen.insert(&site.symbol)).cloned().collect()
}

fn user_modules(job: &Job, bitcode: &[PathBuf]) -> Result<Vec<HashedModule>> {
    let name = job.rustc.crate_name.as_deref().unwrap_or("this crate");
    let mut modules = pack::own_modules(name, bitcode)?;
    let libraries: Vec<PathBuf> = job.rustc.externs.iter().filter_map(|e| e.path.clone()).collect();
    modules.extend(pack::closure(libraries, &job.session.target_dir)?);
    Ok(modules)
}

fn request(job: &Job, sites: Vec<Site>, modules: Vec<HashedModule>, scratch: &Path) -> Result<Request> {
    let Some(engine) = job.session.engine.clone() else {
        bail!("Enzyme is not set up: run `cargo autodiff setup`")
    };
    let triple = job.rustc.target.as_deref().unwrap_or(&job.session.host);
    let mut modules: Vec<_> = modules.into_iter().map(|m| m.module).collect();
    modules.extend(std_bitcode::modules(&job.session.sysroot, triple)?);
    let workspace = scratch.join("work");
    fs::create_dir_all(&workspace)?;
    let cache = cache::prepared(&job.session.target_dir);
    let reports = job.session.target_dir.with_file_name(target_dir::REPORTS);
    let dump = job.session.dump_ir.as_deref().map(|dir| dump_dir(dir, job)).transpose()?;
    Ok(Request {
        sites,
        modules,
        target: target(job),
        engine,
        dump,
        reports: Some(reports),
        cache: Some(cache),
        defer: job.session.defer_errors,
        workspace,
    })
}

/// One folder for each program, for there may be several in one build.
fn dump_dir(dir: &Path, job: &Job) -> Result<PathBuf> {
    let name = job.rustc.crate_name.as_deref().unwrap_or("unnamed");
    let dir = dir.join(format!("{name}{}", job.rustc.extra_filename));
    fs::create_dir_all(&dir)?;
    Ok(dir)
}

fn target(job: &Job) -> Target {
    let rustc = &job.rustc;
    Target {
        cpu: rustc.target_cpu.clone(),
        features: rustc.target_feature.clone(),
        relocation_model: rustc.relocation_model.clone(),
        code_model: rustc.code_model.clone(),
    }
}

/// Runs ourselves as the worker, which loads rustc's LLVM and may end in ways of LLVM's own.
fn run_worker(session: &Session, request: &Request, scratch: &Path) -> Result<Answer> {
    let mut command = Command::new(&session.executable);
    process::clean_environment(&mut command)
        .env(private::WORKER, "1")
        .env(LOADER_PATH, loader_path(session, scratch)?)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let output = talk(&mut command, serde_json::to_vec(request)?).context("cannot run the worker")?;
    let log: Vec<_> = String::from_utf8_lossy(&output.stderr).lines().map(str::to_owned).collect();
    if !output.status.success() {
        // LLVM's own dumps are long; what matters comes first or last.
        let tail = log[log.len().saturating_sub(20)..].join("\n");
        bail!("differentiating crashed ({}):\n{tail}", output.status);
    }
    let response = serde_json::from_slice(&output.stdout)
        .with_context(|| format!("the worker's answer is malformed; it printed:\n{}", log.join("\n")))?;
    Ok(Answer { response, log })
}

/// First a directory with nothing in it but rustc's LLVM; what the user has set follows, for the
/// engine.
fn loader_path(session: &Session, scratch: &Path) -> Result<OsString> {
    let library = toolchain::llvm_library(&session.sysroot, &session.host)?;
    let dir = scratch.join("llvm");
    fs::create_dir(&dir)?;
    symlink(&library, &dir.join(library.file_name().context("LLVM has no name")?))?;
    let users = env::var_os(LOADER_PATH).unwrap_or_default();
    Ok(env::join_paths(iter::once(dir).chain(env::split_paths(&users)))?)
}

/// Feeds a program and collects what it prints, all at once so that neither waits for the other.
fn talk(command: &mut Command, input: Vec<u8>) -> Result<Output> {
    let mut child = command.spawn()?;
    let mut stdin = child.stdin.take().context("no standard input")?;
    let feeder = thread::spawn(move || stdin.write_all(&input));
    let output = child.wait_with_output()?;
    // A worker that died early has not read everything; its status tells more than that.
    let _ = feeder.join();
    Ok(output)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn talks_without_waiting() {
        let output = talk(
            Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()),
            vec![7; 1 << 20],
        );
        assert_eq!(output.unwrap().stdout.len(), 1 << 20);
    }
}
