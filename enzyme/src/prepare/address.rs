//! Addresses of functions, as data that Enzyme does not look into.
//!
//! A function that is differentiated has an address in the derivatives' object and, in the program,
//! one for each copy that rustc made. While Enzyme runs, each is the address of a constant that is
//! inactive and defined elsewhere.

use crate::llvm::{Context, Function, Linkage, Module, Value};

/// The copy in the derivatives' object.
const HERE: &str = "__autodiff_here_";
/// The program's own, followed by a number and the symbol.
const NATIVE: &str = "__autodiff_native_";

/// The address of a function of this module.
pub(super) fn here<'c>(context: &'c Context, module: &Module<'c>, function: Function<'c>) -> Value<'c> {
    // It must be there, by this name, when the address is settled.
    if !function.is_declaration() {
        function.set_linkage(Linkage::External);
    }
    place(context, module, &format!("{HERE}{}", function.name()), Linkage::External)
}

/// The address of one of the program's own copies of a function, null if there is no such copy.
pub(super) fn native<'c>(context: &'c Context, module: &Module<'c>, symbol: &str, copy: usize) -> Value<'c> {
    place(context, module, &format!("{NATIVE}{copy}_{symbol}"), Linkage::ExternalWeak)
}

/// Puts what stands for the address of a function in its place, but where it is called: in constants
/// as well, or the optimiser would find the two addresses different.
pub(super) fn hide(module: &Module<'_>) {
    for global in module.globals() {
        let name = global.name();
        let Some(function) = name.strip_prefix(HERE).and_then(|symbol| module.function(symbol)) else {
            continue;
        };
        function.replace_uses(*global);
        for call in global.users().into_iter().filter_map(Value::as_instruction) {
            if call.is_call() && call.called() == *global {
                call.set_callee(function);
            }
        }
    }
}

fn place<'c>(context: &'c Context, module: &Module<'c>, name: &str, linkage: Linkage) -> Value<'c> {
    let global = module.global(name).unwrap_or_else(|| {
        let global = module.add_global(name, context.int(8));
        global.set_constant();
        global.set_linkage(linkage);
        global.set_metadata(context.metadata_kind("enzyme_inactive"), context.metadata_node(&[]));
        global
    });
    *global
}

/// Puts the functions of this module in the place of what stood for them.
pub(super) fn settle(module: &Module<'_>) {
    for global in module.globals() {
        let name = global.name();
        if let Some(function) = name.strip_prefix(HERE).and_then(|symbol| module.function(symbol)) {
            global.replace_uses(*function);
            global.erase();
        }
    }
}

/// The symbol that a name for one of the program's own copies is about.
pub(crate) fn symbol_of_native(name: &str) -> Option<&str> {
    let (copy, symbol) = name.strip_prefix(NATIVE)?.split_once('_')?;
    copy.parse::<usize>().is_ok().then_some(symbol)
}

#[cfg(test)]
mod tests {
    use super::symbol_of_native;

    #[test]
    fn names_of_copies_hold_the_symbol() {
        assert_eq!(symbol_of_native("__autodiff_native_12__RNvCs1_1a1f"), Some("_RNvCs1_1a1f"));
        assert_eq!(symbol_of_native("__autodiff_native_0_cos"), Some("cos"));
        assert_eq!(symbol_of_native("__autodiff_native_cos"), None);
        assert_eq!(symbol_of_native("__autodiff_here__RNvCs1_1a1f"), None);
    }
}
