//! The records by which derivative calls are found in object files.
//!
//! Each call has a constant of `autodiff::__private::Site`; its shim, parameters and texts are reached
//! through relocations. The layout of these constants is an agreement between the two crates.

use anyhow::{Context as _, Result, bail};
use autodiff_enzyme::protocol::{Activity, Layout, Location, Mode, Param, Site};
use memchr::memmem;
use object::SectionIndex;

use super::elf::{Elf, Target};

/// How each record begins, in this version of the layout.
pub(crate) const MAGIC: &[u8; 16] = b"\x7fautodiff site\x03\0";
/// How records of all versions begin.
pub(crate) const STEM: &[u8] = MAGIC.split_at(14).0;
/// Where the pointer to the derivative stands in a record.
pub(crate) const DERIVATIVE: u64 = 24;

/// Where the pointer to the reason why there is none stands.
pub(crate) const REASON: u64 = 96;

const SHIM: u64 = 16;
const SIZE: u64 = 104;
/// Types that contain themselves through pointers are described down to this depth.
const DEPTH: u32 = 16;

/// A place in one of several object files.
#[derive(Debug, Clone, Copy)]
struct Place {
    object: usize,
    section: SectionIndex,
    offset: u64,
}

/// A derivative call that was found.
#[derive(Debug)]
pub(crate) struct Record {
    /// Index of the object file.
    pub(crate) object: usize,
    pub(crate) section: SectionIndex,
    /// Where in the section the record starts.
    pub(crate) offset: u64,
    pub(crate) site: Site,
}

/// Finds every record that is not filled in yet.
pub(crate) fn find(objects: &[Elf]) -> Result<Vec<Record>> {
    let reader = Reader { objects };
    let finder = memmem::Finder::new(STEM);
    let mut records = Vec::new();
    for (object, elf) in objects.iter().enumerate() {
        for position in finder.find_iter(elf.data) {
            let Some((section, offset)) = elf.section_at(position) else { continue };
            let filled = |field| Ok::<_, anyhow::Error>(elf.pointer(section, offset + field)?.is_some());
            // Without a shim it is a mention of the magic number, in this very program say.
            if !filled(SHIM)? || filled(DERIVATIVE)? {
                continue;
            }
            if !elf.data[position..].starts_with(MAGIC) {
                bail!("{VERSIONS}");
            }
            if filled(REASON)? {
                continue;
            }
            let site = reader.site(Place { object, section, offset })?;
            records.push(Record { object, section, offset, site });
        }
    }
    Ok(records)
}

/// Reads records and what they point to.
struct Reader<'a, 'data> {
    objects: &'a [Elf<'data>],
}

impl Reader<'_, '_> {
    fn site(&self, place: Place) -> Result<Site> {
        // Ensures that the record is whole.
        self.bytes(place, SIZE)?;
        let count = self.u64(place.at(40))?;
        let params = match self.follow(place.at(32))? {
            Some(params) => (0..count).map(|n| self.param(params.at(n * 16))).collect::<Result<_>>()?,
            None => Vec::new(),
        };
        let mode = match self.u32(place.at(64))? {
            0 => Mode::Reverse,
            1 => Mode::Forward,
            other => bail!("a derivative call has the unknown mode {other}; {VERSIONS}"),
        };
        let file = self.text(place.at(72))?;
        let line = self.u32(place.at(88))?;
        let column = self.u32(place.at(92))?;
        let mut site = Site {
            symbol: String::new(),
            shim: self.shim(place.at(SHIM))?,
            name: self.text(place.at(48))?,
            location: (!file.is_empty()).then_some(Location { file, line, column }),
            mode,
            width: self.u32(place.at(68))?,
            params,
        };
        site.symbol = symbol(&site)?;
        Ok(site)
    }

    fn param(&self, place: Place) -> Result<Param> {
        let activity = match self.u32(place.at(4))? {
            0 => Activity::Const,
            1 => Activity::Duplicated,
            2 => Activity::DuplicatedOnly,
            3 => Activity::Ignored,
            other => bail!("a derivative call has the unknown activity {other}; {VERSIONS}"),
        };
        let layout = self.follow(place.at(8))?.map(|layout| self.layout(layout, DEPTH)).transpose()?;
        let kind = self.u32(place)?;
        Ok(Param { integer: kind == 0, exclusive: kind == 2, activity, layout })
    }

    fn layout(&self, place: Place, depth: u32) -> Result<Layout> {
        if depth == 0 {
            return Ok(Layout::Unknown);
        }
        let size = self.u64(place.at(8))?;
        let count = self.u64(place.at(16))?;
        let mut fields = self.fields(place, depth)?;
        Ok(match self.u32(place)? {
            1 => Layout::Integer { size },
            2 => Layout::Float { size },
            3 => Layout::Pointer { pointee: fields.pop().map(|(_, pointee)| Box::new(pointee)) },
            4 => Layout::Struct { size, fields },
            5 => {
                let (_, element) = fields.pop().context("an array's element is not described")?;
                let count = (count != u64::MAX).then_some(count);
                Layout::Array { stride: size, count, element: Box::new(element) }
            }
            _ => Layout::Unknown,
        })
    }

    fn fields(&self, layout: Place, depth: u32) -> Result<Vec<(u64, Layout)>> {
        let count = self.u64(layout.at(32))?;
        let Some(fields) = self.follow(layout.at(24))? else { return Ok(Vec::new()) };
        let field = |n: u64| {
            let field = fields.at(n * 16);
            let layout = match self.follow(field.at(8))? {
                Some(layout) => self.layout(layout, depth - 1)?,
                None => Layout::Unknown,
            };
            Ok((self.u64(field)?, layout))
        };
        (0..count).map(field).collect()
    }

    /// The symbol of the shim, which may be local to its object file.
    fn shim(&self, place: Place) -> Result<String> {
        let elf = &self.objects[place.object];
        let name = match elf.pointer(place.section, place.offset)? {
            Some(Target::Elsewhere { symbol, addend: 0 }) => Some(elf.name(symbol)?),
            Some(Target::Here { section, offset }) => elf.function_at(section, offset)?,
            _ => None,
        };
        name.map(str::to_owned).context("the function of a derivative call has no symbol")
    }

    /// A pointer and a length.
    fn text(&self, place: Place) -> Result<String> {
        let length = self.u64(place.at(8))?;
        match self.follow(place)? {
            Some(text) if length > 0 => Ok(String::from_utf8_lossy(self.bytes(text, length)?).into_owned()),
            _ => Ok(String::new()),
        }
    }

    /// Where a pointer leads, in whichever object file.
    fn follow(&self, place: Place) -> Result<Option<Place>> {
        let elf = &self.objects[place.object];
        let (name, addend) = match elf.pointer(place.section, place.offset)? {
            None => return Ok(None),
            Some(Target::Here { section, offset }) => return Ok(Some(Place { section, offset, ..place })),
            Some(Target::Elsewhere { symbol, addend }) => (elf.name(symbol)?, addend),
        };
        for (object, elf) in self.objects.iter().enumerate() {
            let Some(index) = elf.definition(name) else { continue };
            let symbol = elf.symbols.symbol(index)?;
            if let Some(section) = elf.symbols.symbol_section(super::elf::ENDIAN, symbol, index)? {
                let offset = symbol.st_value.get(super::elf::ENDIAN).wrapping_add(addend);
                return Ok(Some(Place { object, section, offset }));
            }
        }
        bail!("`{name}`, part of the description of a derivative call, is not among the objects")
    }

    fn bytes(&self, place: Place, length: u64) -> Result<&[u8]> {
        let end = place.offset.checked_add(length).context("a derivative call's description is malformed")?;
        self.objects[place.object].bytes(place.section, place.offset..end)
    }

    fn u32(&self, place: Place) -> Result<u32> {
        Ok(u32::from_le_bytes(self.bytes(place, 4)?.try_into()?))
    }

    fn u64(&self, place: Place) -> Result<u64> {
        Ok(u64::from_le_bytes(self.bytes(place, 8)?.try_into()?))
    }
}

const VERSIONS: &str = "the `autodiff` crate and cargo-autodiff are of different versions";

impl Place {
    fn at(self, distance: u64) -> Self {
        Self { offset: self.offset.wrapping_add(distance), ..self }
    }
}

/// A name that calls of the same shim with the same description share, whatever their place in the
/// source.
fn symbol(site: &Site) -> Result<String> {
    let identity = Site { location: None, name: String::new(), symbol: String::new(), ..site.clone() };
    let hash = blake3::hash(&serde_json::to_vec(&identity)?).to_hex();
    Ok(format!("__autodiff_derivative_{}", &hash[..32]))
}
