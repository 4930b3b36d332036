//! Changes to a copy of an object file, which keep everything that is in it.
//!
//! Tables that grow are written again at the end of the file; their section headers then point there.
//! Nothing is renumbered: symbols are only ever appended.

use anyhow::{Context as _, Result, bail};
use object::{
    I64, LittleEndian, SectionIndex, SymbolIndex, U16, U32, U64, elf, pod, read::elf::SectionHeader as _,
};

use super::elf::{ENDIAN, Elf, Relocation, Symbol};

/// What to change.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    /// Pointers that are to hold the address of a symbol defined elsewhere.
    pub(crate) pointers: Vec<Pointer>,
    /// Symbols that other files are to see, and by what name.
    pub(crate) exports: Vec<(SymbolIndex, String)>,
}

#[derive(Debug)]
pub(crate) struct Pointer {
    pub(crate) section: SectionIndex,
    pub(crate) offset: u64,
    pub(crate) symbol: String,
}

impl Changes {
    pub(crate) fn is_empty(&self) -> bool {
        self.pointers.is_empty() && self.exports.is_empty()
    }
}

/// A changed copy of the object file.
pub(crate) fn apply(elf: &Elf, changes: &Changes) -> Result<Vec<u8>> {
    let mut tables = SymbolTables::read(elf)?;
    for (symbol, name) in &changes.exports {
        tables.export(elf, *symbol, name)?;
    }
    let address = elf.address_relocation()?;
    let mut relocations: Vec<(SectionIndex, Vec<Relocation>)> = Vec::new();
    for pointer in &changes.pointers {
        let symbol = tables.undefined(&pointer.symbol)?;
        let relocation = Relocation {
            r_offset: U64::new(ENDIAN, pointer.offset),
            r_info: U64::new(ENDIAN, (u64::from(symbol) << 32) | u64::from(address)),
            r_addend: I64::new(ENDIAN, 0),
        };
        let table = elf
            .relocation_section(pointer.section)
            .context("the section of a derivative call has no relocations")?;
        match relocations.iter_mut().find(|(section, _)| *section == table) {
            Some((_, list)) => list.push(relocation),
            None => relocations.push((table, vec![relocation])),
        }
    }
    let mut copy = Copy { elf, bytes: elf.data.to_vec() };
    for (section, added) in relocations {
        copy.grow(section, pod::bytes_of_slice(&added))?;
    }
    tables.write(&mut copy)?;
    Ok(copy.bytes)
}

/// The object file's symbols, and those to be appended.
struct SymbolTables<'a> {
    symtab: SectionIndex,
    strtab: SectionIndex,
    /// The table of section numbers that do not fit into a symbol.
    extended: Option<SectionIndex>,
    count: u32,
    names_length: u32,
    names: Vec<u8>,
    added: Vec<Symbol>,
    added_extended: Vec<U32<LittleEndian>>,
    undefined: Vec<(&'a str, u32)>,
}

impl<'a> SymbolTables<'a> {
    fn read(elf: &Elf) -> Result<Self> {
        let symtab = elf.symbols.section();
        let strtab = elf.symbols.string_section();
        let names_length = elf.sections.section(strtab)?.sh_size(ENDIAN);
        Ok(Self {
            symtab,
            strtab,
            extended: Some(elf.symbols.shndx_section()).filter(|index| index.0 != 0),
            count: u32::try_from(elf.symbols.len())?,
            names_length: u32::try_from(names_length)?,
            names: Vec::new(),
            added: Vec::new(),
            added_extended: Vec::new(),
            undefined: Vec::new(),
        })
    }

    fn push(&mut self, symbol: Symbol, extended: u32) -> Result<u32> {
        let index = self.count + u32::try_from(self.added.len())?;
        self.added.push(symbol);
        self.added_extended.push(U32::new(ENDIAN, extended));
        Ok(index)
    }

    /// A global name, as well, for what a symbol stands for.
    fn export(&mut self, elf: &Elf, index: SymbolIndex, name: &str) -> Result<()> {
        let original = elf.symbols.symbol(index)?;
        let global = Symbol {
            st_name: self.name(name)?,
            st_info: (elf::STB_GLOBAL << 4) | original.st_type(),
            st_other: elf::STV_HIDDEN,
            ..*original
        };
        self.push(global, elf.symbols.shndx(ENDIAN, index).unwrap_or(0))?;
        Ok(())
    }

    fn name(&mut self, name: &str) -> Result<U32<LittleEndian>> {
        let start = self.names_length + u32::try_from(self.names.len())?;
        self.names.extend(name.as_bytes());
        self.names.push(0);
        Ok(U32::new(ENDIAN, start))
    }

    /// The number of a symbol that is defined in another file of the same link.
    fn undefined(&mut self, name: &'a str) -> Result<u32> {
        if let Some((_, index)) = self.undefined.iter().find(|(n, _)| *n == name) {
            return Ok(*index);
        }
        let symbol = Symbol {
            st_name: self.name(name)?,
            st_info: elf::STB_GLOBAL << 4,
            st_other: elf::STV_HIDDEN,
            st_shndx: U16::new(ENDIAN, elf::SHN_UNDEF),
            st_value: U64::new(ENDIAN, 0),
            st_size: U64::new(ENDIAN, 0),
        };
        let index = self.push(symbol, 0)?;
        self.undefined.push((name, index));
        Ok(index)
    }

    fn write(&self, copy: &mut Copy) -> Result<()> {
        copy.grow(self.symtab, pod::bytes_of_slice(&self.added))?;
        copy.grow(self.strtab, &self.names)?;
        if let Some(extended) = self.extended {
            copy.grow(extended, pod::bytes_of_slice(&self.added_extended))?;
        }
        Ok(())
    }
}

/// The copy being made.
struct Copy<'a, 'data> {
    elf: &'a Elf<'data>,
    bytes: Vec<u8>,
}

impl Copy<'_, '_> {
    /// Appends to a section, which moves to the end of the file.
    fn grow(&mut self, index: SectionIndex, added: &[u8]) -> Result<()> {
        if added.is_empty() {
            return Ok(());
        }
        let section = self.elf.sections.section(index)?;
        let old = section.data(ENDIAN, self.elf.data)?;
        let alignment = section.sh_addralign(ENDIAN).max(8) as usize;
        self.bytes.resize(self.bytes.len().next_multiple_of(alignment), 0);
        let offset = self.bytes.len() as u64;
        self.bytes.extend(old);
        self.bytes.extend(added);
        let changed = elf::SectionHeader64 {
            sh_offset: U64::new(ENDIAN, offset),
            sh_size: U64::new(ENDIAN, (old.len() + added.len()) as u64),
            ..*section
        };
        let header = self.elf.header;
        let start =
            header.e_shoff.get(ENDIAN) as usize + index.0 * usize::from(header.e_shentsize.get(ENDIAN));
        let bytes = pod::bytes_of(&changed);
        let Some(place) = self.bytes.get_mut(start..start + bytes.len()) else {
            bail!("an object file's section headers are cut short")
        };
        place.copy_from_slice(bytes);
        Ok(())
    }
}
