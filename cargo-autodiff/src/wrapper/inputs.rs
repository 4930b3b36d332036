//! The object files of a link, from files and archives, and changed copies of them.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use fs_err as fs;
use memchr::memmem;
use object::FileKind;

use super::{
    archive::{self, Member},
    elf::Elf,
    patch::{self, Changes},
    site,
};

/// A file that was read.
pub(crate) struct InputFile {
    pub(crate) path: PathBuf,
    pub(crate) data: Vec<u8>,
}

/// Reads files.
pub(crate) fn read(paths: &[PathBuf]) -> Result<Vec<InputFile>> {
    paths.iter().map(|path| Ok(InputFile { path: path.clone(), data: fs::read(path)? })).collect()
}

/// Every object file in some input files.
pub(crate) struct Inputs<'data> {
    files: &'data [InputFile],
    members: Vec<Option<Vec<Member<'data>>>>,
    pub(crate) objects: Vec<Elf<'data>>,
    /// For each object, its file and, in an archive, its member.
    origins: Vec<(usize, Option<usize>)>,
    /// Kind of an object that may have derivative calls but cannot be changed.
    pub(crate) foreign: Option<FileKind>,
}

impl<'data> Inputs<'data> {
    pub(crate) fn parse(files: &'data [InputFile]) -> Result<Self> {
        let mut inputs =
            Self { files, members: Vec::new(), objects: Vec::new(), origins: Vec::new(), foreign: None };
        for (index, file) in files.iter().enumerate() {
            if archive::is_archive(&file.data) {
                let context = || format!("cannot read `{}`", file.path.display());
                let members = archive::members(&file.data).with_context(context)?;
                for (member, (_, data)) in members.iter().enumerate() {
                    inputs.add(data, (index, Some(member)));
                }
                inputs.members.push(Some(members));
            } else {
                inputs.add(&file.data, (index, None));
                inputs.members.push(None);
            }
        }
        Ok(inputs)
    }

    fn add(&mut self, data: &'data [u8], origin: (usize, Option<usize>)) {
        if let Some(object) = Elf::parse(data) {
            self.objects.push(object);
            self.origins.push(origin);
        } else if memmem::find(data, site::STEM).is_some()
            && let Ok(kind) = FileKind::parse(data)
        {
            self.foreign = Some(kind);
        }
    }

    /// Writes copies of the files that change into `dir`. Gives originals and copies.
    pub(crate) fn write_changed(&self, changes: &[Changes], dir: &Path) -> Result<Vec<(PathBuf, PathBuf)>> {
        let mut copies = Vec::new();
        for (index, file) in self.files.iter().enumerate() {
            let objects = self.changed_objects(index, changes)?;
            if objects.is_empty() {
                continue;
            }
            let dir = dir.join(index.to_string());
            fs::create_dir_all(&dir)?;
            let copy = dir.join(file.path.file_name().context("an input has no name")?);
            match &self.members[index] {
                None => fs::write(&copy, &objects[0].1)?,
                Some(members) => {
                    let mut members = members.clone();
                    for (origin, data) in &objects {
                        if let Some(member) = origin {
                            members[*member].1 = data;
                        }
                    }
                    archive::write(&copy, &file.data, &members)?;
                }
            }
            copies.push((file.path.clone(), copy));
        }
        Ok(copies)
    }

    /// The changed objects of one file.
    fn changed_objects(&self, file: usize, changes: &[Changes]) -> Result<Vec<(Option<usize>, Vec<u8>)>> {
        let mut objects = Vec::new();
        for (index, change) in changes.iter().enumerate() {
            let (origin, member) = self.origins[index];
            if origin == file && !change.is_empty() {
                objects.push((member, patch::apply(&self.objects[index], change)?));
            }
        }
        Ok(objects)
    }
}
