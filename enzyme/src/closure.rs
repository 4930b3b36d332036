//! The closure: every function that the shims reach, gathered into one module.
//!
//! Bodies come from the captured bitcode of any crate and from the standard library's. What is
//! never copied: mutable global variables (there must be one copy of a program's state), the
//! allocator's entry points, and functions of the standard library that never return (panics).

use std::collections::BTreeSet;

use crate::error::Error;
use crate::library::Library;
use crate::llvm::{Context, Function, Linkage, Module, Place, Value, link};
use crate::source::{Index, Source, is_local};
use crate::symbol;

/// A module that holds what the shims reach.
#[derive(Clone)]
pub(crate) struct Closure<'c> {
    pub(crate) module: Module<'c>,
    /// Mutable globals that are local to the object that defines them.
    pub(crate) local_statics: BTreeSet<String>,
}

/// Gathers what functions reach.
pub(crate) fn gather<'c>(
    context: &'c Context,
    library: &'c Library,
    functions: &BTreeSet<&str>,
) -> Result<Closure<'c>, Error> {
    let Library { sources, index, .. } = library;
    let module = context.create_module(c"derivatives");
    let signature = context.function(context.void(), &[], false);
    for function in functions {
        module.add_function(function, signature);
    }
    let mut closure = Closure { module, local_statics: BTreeSet::new() };
    let mut tried = BTreeSet::new();
    loop {
        let wanted = wanted_sources(&closure.module, sources, index, &mut tried);
        if wanted.is_empty() {
            break;
        }
        for number in wanted {
            closure.add(context, &sources[number])?;
        }
    }
    Ok(closure)
}

impl<'c> Closure<'c> {
    /// Links in what is declared here and defined in `source`.
    fn add(&mut self, context: &'c Context, source: &'c Source) -> Result<(), Error> {
        let from = context.parse_lazily(&source.bytes).map_err(Error::bitcode(&source.krate))?;
        if self.module.triple().is_empty() {
            self.module.set_machine(&from.triple(), &from.data_layout());
        }
        loosen(&from, &mut self.local_statics);
        let defined = from.functions().filter(|function| !function.is_declaration());
        let outside = defined.filter(|function| stays_outside(*function, source.std));
        let outside: Vec<_> = outside.map(|function| function.name()).collect();
        link(context, &self.module, from).map_err(Error::stage("gathering functions"))?;
        let outside = outside.iter().filter_map(|name| self.module.function(name));
        for function in outside.filter(|function| !function.is_declaration()) {
            function.drop_body(context);
            function.set_linkage(Linkage::External);
        }
        Ok(())
    }
}

/// The sources that define something still missing. `tried` keeps a symbol whose body was
/// deliberately left out from being asked for again.
fn wanted_sources(
    module: &Module<'_>,
    sources: &[Source],
    index: &Index,
    tried: &mut BTreeSet<String>,
) -> BTreeSet<usize> {
    let functions = module.functions().filter(|function| !function.is_intrinsic()).map(|function| *function);
    let missing =
        functions.chain(module.globals().map(|global| *global)).filter(|value| value.is_declaration());
    missing
        .filter_map(|value| {
            let name = value.name();
            let source = index.find(&name)?;
            let outside =
                value.as_function().is_some_and(|function| stays_outside(function, sources[source].std));
            (!outside && tried.insert(name)).then_some(source)
        })
        .collect()
}

/// Whether a function is to stay a declaration, wherever its body is.
fn stays_outside(function: Function<'_>, std: bool) -> bool {
    let name = function.name();
    symbol::is_allocator(&name)
        || symbol::is_derivative_call(&name)
        || name == "rust_eh_personality"
        || (std && function.has_attribute(Place::Function, "noreturn"))
        || (std && (symbol::keeps_state(&name) || symbol::calls_once(&name)))
}

/// Prepares a module for being linked: definitions come only when referred to, mutable globals
/// become references to the program's one copy.
fn loosen(module: &Module<'_>, local_statics: &mut BTreeSet<String>) {
    module.clear_inline_asm();
    for global in module.globals() {
        if global.name().starts_with("llvm.") && !global.has_users() {
            // Constructor lists and the like, which would run twice.
            global.erase();
        } else if !global.is_declaration() {
            if global.is_constant_global() {
                loosen_linkage(*global);
            } else {
                if is_local(*global) {
                    local_statics.insert(global.name());
                }
                global.make_external();
            }
        }
    }
    let functions =
        module.functions().filter(|function| !function.is_declaration()).map(|function| *function);
    functions.chain(module.aliases()).for_each(loosen_linkage);
}

fn loosen_linkage(value: Value<'_>) {
    value.clear_comdat();
    // Mangled names are unique in a program, so local functions can be found by name as well.
    if !is_local(value) || value.name().starts_with("_R") {
        value.set_linkage(Linkage::LinkOnceOdr);
    }
}
