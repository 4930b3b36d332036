//! Archives of object files: `.rlib` and `.a`.

use std::{
    fs::File,
    io::{BufWriter, Write as _},
    path::Path,
};

use anyhow::{Context as _, Result, bail};
use ar_archive_writer::{ArchiveKind, DEFAULT_OBJECT_READER, NewArchiveMember, write_archive_to_stream};
use object::read::archive::{self, ArchiveFile};

/// Name and content of a member.
pub(crate) type Member<'a> = (String, &'a [u8]);

/// Whether a file's content is that of an archive.
pub(crate) fn is_archive(data: &[u8]) -> bool {
    data.starts_with(&object::archive::MAGIC) || data.starts_with(&object::archive::THIN_MAGIC)
}

/// The members of an archive, in order.
pub(crate) fn members(data: &[u8]) -> Result<Vec<Member<'_>>> {
    let archive = ArchiveFile::parse(data)?;
    if archive.is_thin() {
        // Its members are files of their own, which are none of rustc's.
        return Ok(Vec::new());
    }
    let mut members = Vec::new();
    for member in archive.members() {
        let member = member?;
        members.push((String::from_utf8_lossy(member.name()).into_owned(), member.data(data)?));
    }
    Ok(members)
}

/// Writes an archive of the same kind as `like`, with its index of symbols.
pub(crate) fn write(path: &Path, like: &[u8], members: &[Member]) -> Result<()> {
    let kind = match ArchiveFile::parse(like)?.kind() {
        archive::ArchiveKind::Unknown | archive::ArchiveKind::Gnu => ArchiveKind::Gnu,
        archive::ArchiveKind::Gnu64 => ArchiveKind::Gnu64,
        archive::ArchiveKind::Bsd => ArchiveKind::Bsd,
        archive::ArchiveKind::Bsd64 => ArchiveKind::Darwin64,
        other => bail!("archives of kind {other:?} are not supported"),
    };
    let members: Vec<_> = members
        .iter()
        .map(|(name, data)| NewArchiveMember::new(*data, &DEFAULT_OBJECT_READER, name.clone()))
        .collect();
    let context = || format!("cannot write `{}`", path.display());
    let mut file = BufWriter::new(File::create(path).with_context(context)?);
    write_archive_to_stream(&mut file, &members, kind, false, None).with_context(context)?;
    file.flush().with_context(context)
}
