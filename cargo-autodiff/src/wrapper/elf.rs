//! ELF object files, read in place: what site records and patches need of them.

use std::ops::Range;

use anyhow::{Context as _, Result, bail};
use object::{
    LittleEndian, SectionIndex, SymbolIndex, elf,
    read::elf::{FileHeader as _, SectionHeader as _, SectionTable, Sym as _, SymbolTable},
};

type Header = elf::FileHeader64<LittleEndian>;
pub(crate) type Relocation = elf::Rela64<LittleEndian>;
pub(crate) type Symbol = elf::Sym64<LittleEndian>;

pub(crate) const ENDIAN: LittleEndian = LittleEndian;

/// A relocatable object file for a 64-bit little-endian machine.
pub(crate) struct Elf<'data> {
    pub(crate) data: &'data [u8],
    pub(crate) header: &'data Header,
    pub(crate) sections: SectionTable<'data, Header>,
    pub(crate) symbols: SymbolTable<'data, Header>,
    /// For each section, the section with its relocations.
    relocations: Vec<Option<SectionIndex>>,
}

/// What a relocation refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Target {
    /// A place in a section of the same file.
    Here { section: SectionIndex, offset: u64 },
    /// A symbol of another file, and the distance from it.
    Elsewhere { symbol: SymbolIndex, addend: u64 },
}

impl<'data> Elf<'data> {
    /// None if `data` is not such a file.
    pub(crate) fn parse(data: &'data [u8]) -> Option<Self> {
        let header = Header::parse(data).ok()?;
        if !header.is_little_endian() || header.e_type(ENDIAN) != elf::ET_REL {
            return None;
        }
        let sections = header.sections(ENDIAN, data).ok()?;
        let symbols = sections.symbols(ENDIAN, data, elf::SHT_SYMTAB).ok()?;
        let mut relocations = vec![None; sections.len()];
        for (index, section) in sections.enumerate() {
            if section.sh_type(ENDIAN) == elf::SHT_RELA
                && let Some(slot) = relocations.get_mut(section.sh_info(ENDIAN) as usize)
            {
                *slot = Some(index);
            }
        }
        Some(Self { data, header, sections, symbols, relocations })
    }

    /// The relocation that stores a plain 64-bit address.
    pub(crate) fn address_relocation(&self) -> Result<u32> {
        match self.header.e_machine(ENDIAN) {
            elf::EM_X86_64 => Ok(elf::R_X86_64_64),
            elf::EM_AARCH64 => Ok(elf::R_AARCH64_ABS64),
            machine => bail!("derivatives for ELF machine {machine} are not supported"),
        }
    }

    /// The loaded section that holds a place in the file.
    pub(crate) fn section_at(&self, position: usize) -> Option<(SectionIndex, u64)> {
        self.sections.enumerate().find_map(|(index, section)| {
            let (start, size) = section.file_range(ENDIAN)?;
            let loaded = section.sh_flags(ENDIAN) & u64::from(elf::SHF_ALLOC) != 0;
            let offset = (position as u64).checked_sub(start)?;
            (loaded && offset < size).then_some((index, offset))
        })
    }

    pub(crate) fn bytes(&self, section: SectionIndex, range: Range<u64>) -> Result<&'data [u8]> {
        let data = self.sections.section(section)?.data(ENDIAN, self.data)?;
        data.get(range.start as usize..range.end as usize)
            .context("a derivative call's description is cut short")
    }

    pub(crate) fn relocation_section(&self, section: SectionIndex) -> Option<SectionIndex> {
        *self.relocations.get(section.0)?
    }

    fn relocations(&self, section: SectionIndex) -> Result<&'data [Relocation]> {
        let Some(index) = self.relocation_section(section) else { return Ok(&[]) };
        let relocations = self.sections.section(index)?.rela(ENDIAN, self.data)?;
        Ok(relocations.map_or(&[], |(relocations, _)| relocations))
    }

    /// What the pointer at a place will point to; none if it is null.
    pub(crate) fn pointer(&self, section: SectionIndex, offset: u64) -> Result<Option<Target>> {
        let relocations = self.relocations(section)?;
        let Some(relocation) = relocations.iter().find(|r| r.r_offset.get(ENDIAN) == offset) else {
            return Ok(None);
        };
        let index = SymbolIndex(relocation.r_sym(ENDIAN, false) as usize);
        let symbol = self.symbols.symbol(index)?;
        let addend = relocation.r_addend.get(ENDIAN).cast_unsigned();
        Ok(Some(match self.symbols.symbol_section(ENDIAN, symbol, index)? {
            Some(section) => Target::Here { section, offset: symbol.st_value(ENDIAN).wrapping_add(addend) },
            None => Target::Elsewhere { symbol: index, addend },
        }))
    }

    pub(crate) fn name(&self, symbol: SymbolIndex) -> Result<&'data str> {
        let name = self.symbols.symbol_name(ENDIAN, self.symbols.symbol(symbol)?)?;
        std::str::from_utf8(name).context("a symbol's name is not valid Unicode")
    }

    /// The name of the function that starts at a place.
    pub(crate) fn function_at(&self, section: SectionIndex, offset: u64) -> Result<Option<&'data str>> {
        for (index, symbol) in self.symbols.enumerate() {
            if symbol.st_type() == elf::STT_FUNC
                && symbol.st_value(ENDIAN) == offset
                && self.symbols.symbol_section(ENDIAN, symbol, index)? == Some(section)
            {
                return self.name(index).map(Some);
            }
        }
        Ok(None)
    }

    /// The definition of a symbol, if it is in this file.
    pub(crate) fn definition(&self, name: &str) -> Option<SymbolIndex> {
        let is_it = |symbol: &Symbol| {
            self.symbols.symbol_name(ENDIAN, symbol).is_ok_and(|n| n == name.as_bytes())
                && !symbol.is_undefined(ENDIAN)
        };
        self.symbols.enumerate().find(|(_, symbol)| is_it(symbol)).map(|(index, _)| index)
    }

    /// Whether other files see a definition of this name here.
    pub(crate) fn global(&self, name: &str) -> bool {
        self.definition(name)
            .and_then(|index| self.symbols.symbol(index).ok())
            .is_some_and(|symbol| symbol.st_bind() != elf::STB_LOCAL)
    }

    /// The definition of a local symbol, which optimisation across units may have given a suffix.
    pub(crate) fn definition_of_local(&self, name: &str) -> Option<SymbolIndex> {
        self.definition(name).or_else(|| {
            let suffixed = |symbol: &Symbol| {
                let rest = self.symbols.symbol_name(ENDIAN, symbol).ok()?.strip_prefix(name.as_bytes())?;
                (rest.starts_with(b".llvm.") && !symbol.is_undefined(ENDIAN)).then_some(())
            };
            self.symbols.enumerate().find(|(_, s)| suffixed(s).is_some()).map(|(index, _)| index)
        })
    }
}
