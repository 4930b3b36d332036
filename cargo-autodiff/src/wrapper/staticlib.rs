//! Static libraries: no linker is called for them, so their archive is changed.

use anyhow::Result;
use fs_err as fs;

use super::{
    archive,
    differentiate::{Outcome, differentiate},
    job::Job,
};

/// Differentiates what the crate's static library asks for and adds the derivatives to it.
pub(crate) fn differentiate_staticlib(job: &Job) -> Result<()> {
    let name = job.rustc.crate_name.as_deref().unwrap_or_default();
    let library = job.private.join(format!("lib{name}{}.a", job.rustc.extra_filename));
    if !library.is_file() {
        return Ok(());
    }
    let Outcome::Changed(derivatives) = differentiate(job, std::slice::from_ref(&library))? else {
        return Ok(());
    };
    let source = derivatives.copies.first().map_or(&library, |(_, copy)| copy);
    let content = fs::read(source)?;
    let mut members = archive::members(&content)?;
    let added = derivatives.objects.iter().map(fs::read).collect::<std::io::Result<Vec<_>>>()?;
    for (number, data) in added.iter().enumerate() {
        members.push((format!("{name}.autodiff.{number}.o"), data));
    }
    archive::write(&library, &content, &members)
}
