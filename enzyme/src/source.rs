//! The bitcode that function bodies come from.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

use crate::error::Error;
use crate::llvm::{Context, Linkage, Value};
use crate::protocol::Module;
use crate::symbol;

/// One module's bitcode, in memory.
pub(crate) struct Source {
    pub(crate) bytes: Vec<u8>,
    pub(crate) krate: String,
    pub(crate) std: bool,
}

/// Reads all modules of a request.
pub(crate) fn read(modules: &[Module]) -> Result<Vec<Source>, Error> {
    modules
        .iter()
        .map(|module| {
            let bytes =
                read_range(module).map_err(|source| Error::Read { path: module.path.clone(), source })?;
            Ok(Source { bytes, krate: module.krate.clone(), std: module.std })
        })
        .collect()
}

fn read_range(module: &Module) -> std::io::Result<Vec<u8>> {
    let mut file = File::open(&module.path)?;
    file.seek(SeekFrom::Start(module.offset))?;
    let mut bytes = vec![0; usize::try_from(module.length).map_err(std::io::Error::other)?];
    file.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// Which source defines a symbol. Earlier sources win, and global symbols win over local ones.
pub(crate) struct Index {
    sources: HashMap<String, Definitions>,
    /// Functions that the standard library's object code has for all to use.
    native: HashSet<String>,
}

/// Where a symbol is defined.
#[derive(Debug, Clone, Copy)]
struct Definitions {
    first: usize,
    /// How many sources define it: local functions may have a copy in each.
    count: usize,
}

impl Index {
    pub(crate) fn new(sources: &[Source]) -> Result<Self, Error> {
        let mut global = HashMap::new();
        let mut local = HashMap::new();
        let mut native = HashSet::new();
        for (index, source) in sources.iter().enumerate() {
            // A context of its own: nothing but the names is kept.
            let context = Context::new();
            let module = context.parse_lazily(&source.bytes).map_err(Error::bitcode(&source.krate))?;
            let mut add = |value: Value<'_>| {
                if !value.is_declaration() {
                    let map = if is_local(value) { &mut local } else { &mut global };
                    let new = Definitions { first: index, count: 0 };
                    map.entry(value.name()).or_insert(new).count += 1;
                }
            };
            module.functions().for_each(|function| add(*function));
            if source.std {
                let visible = module
                    .functions()
                    .filter(|function| !function.is_declaration() && function.linkage() == Linkage::External);
                native.extend(visible.map(|function| function.name()));
            }
            module.globals().for_each(|variable| add(*variable));
            module.aliases().into_iter().for_each(add);
        }
        for (name, definitions) in local {
            let none = Definitions { count: 0, ..definitions };
            global.entry(name).or_insert(none).count += definitions.count;
        }
        Ok(Index { sources: global, native })
    }

    /// All symbols.
    pub(crate) fn symbols(&self) -> impl Iterator<Item = &str> + Clone {
        self.sources.keys().map(String::as_str)
    }

    pub(crate) fn find(&self, symbol: &str) -> Option<usize> {
        self.sources.get(symbol).map(|definitions| definitions.first)
    }

    /// How many sources define a symbol.
    pub(crate) fn copies(&self, symbol: &str) -> usize {
        self.sources.get(symbol).map_or(0, |definitions| definitions.count)
    }

    /// The symbol of a function by its path.
    pub(crate) fn symbol_of(&self, path: &str) -> Option<&str> {
        let last = path.rsplit("::").next()?;
        let mut symbols = self.sources.keys().map(String::as_str);
        symbols.find(|symbol| symbol.contains(last) && symbol::demangle(symbol) == path)
    }

    /// Whether the standard library's object code has a function that can be linked to.
    pub(crate) fn is_native(&self, symbol: &str) -> bool {
        self.native.contains(symbol)
    }
}

/// Whether a symbol is invisible outside its module.
pub(crate) fn is_local(value: Value<'_>) -> bool {
    matches!(value.linkage(), Linkage::Internal | Linkage::Private)
}
