//! The closure: every function that the shims reach, gathered into one module.
//!
//! Bodies come from the captured bitcode of any crate and from the standard library's. What is
//! never copied: mutable global variables (there must be one copy of a program's state), the
//! allocator's entry points, and functions of the standard library that never return (panics) or
//! that no derivative flows through.

use std::collections::{BTreeSet, HashSet};

use crate::error::Error;
use crate::llvm::{Context, Function, Linkage, Module, Place, Value, link};
use crate::source::{Index, Source, is_local};
use crate::{library, symbol};

/// A module that holds what the shims reach.
#[derive(Clone)]
pub(crate) struct Closure<'c> {
    pub(crate) module: Module<'c>,
    /// Mutable globals that are local to the object that defines them.
    pub(crate) local_statics: BTreeSet<String>,
}

/// The code that derivatives call as it is.
pub(crate) struct Inactive<'c> {
    pub(crate) closure: Closure<'c>,
    /// The functions that are called.
    pub(crate) roots: Vec<Function<'c>>,
}

/// What a closure is for, which decides what stays outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Purpose {
    /// To be differentiated.
    Derivatives,
    /// To be called by derivatives, as it is.
    Inactive,
}

/// Gathers what `shims` reach.
pub(crate) fn gather<'c>(
    context: &'c Context,
    sources: &'c [Source],
    index: &Index,
    shims: &BTreeSet<&str>,
) -> Result<Closure<'c>, Error> {
    gather_for(Purpose::Derivatives, context, sources, index, shims)
}

/// Gathers the functions without derivatives that a closure calls and that no object code is known
/// to have: instances of generic functions, and those that are always inlined.
pub(crate) fn gather_inactive<'c>(
    context: &'c Context,
    sources: &'c [Source],
    index: &Index,
    closure: &Module<'_>,
) -> Result<Option<Inactive<'c>>, Error> {
    let missing = closure.functions().filter(|function| function.is_declaration()).map(|it| it.name());
    let missing: Vec<_> =
        missing.filter(|name| library::is_inactive(name) && !index.is_native(name)).collect();
    let names: BTreeSet<_> =
        missing.iter().map(String::as_str).filter(|name| index.find(name).is_some()).collect();
    if names.is_empty() {
        return Ok(None);
    }
    let closure = gather_for(Purpose::Inactive, context, sources, index, &names)?;
    let roots = names.iter().filter_map(|name| closure.module.function(name));
    let roots = roots.filter(|root| !root.is_declaration()).collect();
    Ok(Some(Inactive { closure, roots }))
}

fn gather_for<'c>(
    purpose: Purpose,
    context: &'c Context,
    sources: &'c [Source],
    index: &Index,
    roots: &BTreeSet<&str>,
) -> Result<Closure<'c>, Error> {
    let module = context.create_module(c"derivatives");
    let signature = context.function(context.void(), &[], false);
    for root in roots {
        module.add_function(root, signature);
    }
    let mut closure = Closure { module, local_statics: BTreeSet::new() };
    let outside = |function: Function<'_>, std: bool| {
        let name = function.name();
        let known = || match purpose {
            Purpose::Derivatives => library::is_inactive(&name),
            Purpose::Inactive => index.is_native(&name),
        };
        stays_outside(function, &name, std) || known()
    };
    let mut tried = BTreeSet::new();
    loop {
        let wanted = wanted_sources(&closure.module, sources, index, &mut tried, &outside);
        if wanted.is_empty() {
            break;
        }
        for number in wanted {
            closure.add(context, &sources[number], &outside)?;
        }
    }
    Ok(closure)
}

impl<'c> Closure<'c> {
    /// Links in what is declared here and defined in `source`.
    fn add(
        &mut self,
        context: &'c Context,
        source: &'c Source,
        outside: &impl Fn(Function<'_>, bool) -> bool,
    ) -> Result<(), Error> {
        let from = context.parse_lazily(&source.bytes).map_err(Error::bitcode(&source.krate))?;
        if self.module.triple().is_empty() {
            self.module.set_machine(&from.triple(), &from.data_layout());
        }
        // No other object sees what is local, such as a panic of the standard library's.
        let never_returns = |function: &Function<'_>| function.has_attribute(Place::Function, "noreturn");
        let local = from.functions().filter(|function| is_local(**function));
        let local: HashSet<_> = local.filter(never_returns).map(|function| function.name()).collect();
        loosen(&from, &mut self.local_statics);
        let known: HashSet<_> = self.defined().collect();
        link(context, &self.module, from).map_err(Error::stage("gathering functions"))?;
        for function in self.defined().filter(|function| !known.contains(function)) {
            if outside(function, source.std && !local.contains(&function.name())) {
                function.drop_body(context);
                function.set_linkage(Linkage::External);
            }
        }
        Ok(())
    }

    /// The functions with bodies.
    fn defined(&self) -> impl Iterator<Item = Function<'c>> {
        self.module.functions().filter(|function| !function.is_declaration())
    }
}

/// The sources that define something still missing. `tried` keeps a symbol whose body was
/// deliberately left out from being asked for again.
fn wanted_sources(
    module: &Module<'_>,
    sources: &[Source],
    index: &Index,
    tried: &mut BTreeSet<String>,
    outside: &impl Fn(Function<'_>, bool) -> bool,
) -> BTreeSet<usize> {
    let functions = module.functions().filter(|function| !function.is_intrinsic()).map(|function| *function);
    let missing =
        functions.chain(module.globals().map(|global| *global)).filter(|value| value.is_declaration());
    missing
        .filter_map(|value| {
            let name = value.name();
            let source = index.find(&name)?;
            let outside =
                || value.as_function().is_some_and(|function| outside(function, sources[source].std));
            (tried.insert(name) && !outside()).then_some(source)
        })
        .collect()
}

/// Whether a function is to stay a declaration, wherever its body is.
fn stays_outside(function: Function<'_>, name: &str, std: bool) -> bool {
    symbol::is_allocator(name)
        || symbol::is_derivative_call(name)
        || symbol::is_rule_call(name)
        || name == "rust_eh_personality"
        || (std && function.has_attribute(Place::Function, "noreturn"))
        || (std && (symbol::keeps_state(name) || symbol::calls_once(name)))
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
