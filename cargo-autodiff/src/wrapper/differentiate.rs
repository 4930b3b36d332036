//! One link's derivatives: finds the calls, has the derivatives made, and points the calls at them.

use std::{
    collections::{BTreeSet, HashSet},
    path::{Path, PathBuf},
};

use anyhow::{Result, bail};
use autodiff_enzyme::protocol::Response;
use fs_err as fs;
use memchr::memmem;

use super::{
    inputs::{self, Inputs},
    job::{self, Findings, Job},
    missing::Missing,
    patch::{Changes, Pointer},
    private::PrivateDir,
    request,
    site::{self, Record},
};

/// What a link is to do.
pub(crate) enum Outcome {
    /// There is no derivative call: link as if we were not here.
    Nothing,
    /// Link with these.
    Changed(Derivatives),
    /// Do not link; the reasons are in the findings.
    Refused,
}

/// What derivatives change about a link.
pub(crate) struct Derivatives {
    /// Input files and their changed copies.
    pub(crate) copies: Vec<(PathBuf, PathBuf)>,
    /// Object files to add.
    pub(crate) objects: Vec<PathBuf>,
}

/// Differentiates what the given object files and archives ask for.
pub(crate) fn differentiate(job: &Job, inputs: &[PathBuf]) -> Result<Outcome> {
    let (system, user): (Vec<_>, Vec<_>) =
        inputs.iter().cloned().partition(|path| path.starts_with(&job.session.sysroot));
    let files = inputs::read(&user)?;
    let finder = memmem::Finder::new(site::STEM);
    if !files.iter().any(|file| finder.find(&file.data).is_some()) {
        return Ok(Outcome::Nothing);
    }
    let inputs = Inputs::parse(&files)?;
    if let Some(kind) = inputs.foreign {
        bail!("derivatives in object files of kind {kind:?} are not supported, only in 64-bit ELF");
    }
    let records = site::find(&inputs.objects)?;
    if records.is_empty() {
        return Ok(Outcome::Nothing);
    }
    let sites: Vec<_> = records.iter().map(|record| record.site.clone()).collect();
    let scratch = job.scratch()?;
    let answer = request::derivatives(job, &sites, &bitcode(job, &user)?, &scratch)?;
    let response = answer.response;
    let failed = !response.refusals.is_empty() && !job.session.defer_errors;
    report(job, &response, answer.log)?;
    if failed {
        return Ok(Outcome::Refused);
    }

    let mut changes: Vec<_> = inputs.objects.iter().map(|_| Changes::default()).collect();
    let derived: HashSet<_> = response.derived.iter().collect();
    for record in records {
        let Record { object, section, offset, site } = record;
        let (field, symbol) = if derived.contains(&site.symbol) {
            (site::DERIVATIVE, site.symbol)
        } else if let Some(reason) = response.reasons.get(&site.symbol) {
            (site::REASON, reason.clone())
        } else {
            bail!("no derivative of `{}` was made, for no given reason", site.name);
        };
        changes[object].pointers.push(Pointer { section, offset: offset + field, symbol });
    }
    let mut missing = Missing::of(&response)?;
    missing.export(&inputs, &mut changes);
    let mut copies = inputs.write_changed(&changes, &scratch.join("user"))?;
    copies.extend(export_from_system(&system, &mut missing, &scratch.join("system"))?);
    if let Some(name) = missing.statics.first() {
        let name = format!("{:#}", rustc_demangle::demangle(name));
        bail!("a derivative uses the static `{name}`, which the optimiser removed from the program");
    }
    Ok(Outcome::Changed(Derivatives { copies, objects: response.objects }))
}

/// The bitcode of the crate being linked.
fn bitcode(job: &Job, inputs: &[PathBuf]) -> Result<Vec<PathBuf>> {
    if !job.doctest {
        return PrivateDir::bitcode(&job.private);
    }
    // It is beside the objects; libraries from elsewhere have none there.
    let dirs: BTreeSet<_> = inputs.iter().filter_map(|input| input.parent()).collect();
    let found = dirs.into_iter().map(PrivateDir::bitcode).collect::<Result<Vec<_>>>()?;
    Ok(found.concat())
}

fn report(job: &Job, response: &Response, log: Vec<String>) -> Result<()> {
    let mut notes = Vec::new();
    if job.session.verbose > 0 {
        notes.extend(log);
        // None when all was known already.
        if !response.timings.is_empty() {
            notes.push(time_taken(&response.timings));
        }
    }
    let mut found: Vec<_> = response.refusals.iter().cloned().map(job::relative).collect();
    // One function may be differentiated in several ways.
    let mut said = HashSet::new();
    found.retain(|refusal| said.insert((refusal.message.clone(), refusal.location.clone())));
    let (refusals, warnings) =
        if job.session.defer_errors { (Vec::new(), found) } else { (found, Vec::new()) };
    job.report(Findings { refusals, warnings, notes })
}

/// How long it took to make derivatives, and each stage of it.
fn time_taken(timings: &[(String, f64)]) -> String {
    let total: f64 = timings.iter().map(|(_, seconds)| seconds).sum();
    let stages: Vec<_> = timings.iter().map(|(stage, seconds)| format!("{stage} {seconds:.2} s")).collect();
    format!("derivative step: {total:.2} s ({})", stages.join(", "))
}

/// The same in the standard library.
fn export_from_system(
    libraries: &[PathBuf],
    missing: &mut Missing,
    dir: &Path,
) -> Result<Vec<(PathBuf, PathBuf)>> {
    missing.leave_to_system();
    if missing.is_empty() {
        return Ok(Vec::new());
    }
    let files = inputs::read(libraries)?;
    let inputs = Inputs::parse(&files)?;
    let mut changes: Vec<_> = inputs.objects.iter().map(|_| Changes::default()).collect();
    missing.export(&inputs, &mut changes);
    fs::create_dir_all(dir)?;
    inputs.write_changed(&changes, dir)
}
