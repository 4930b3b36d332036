//! Functions of the library through which no derivative flows: they are called, and Enzyme is told
//! that nothing comes of it.

use crate::llvm::{Attribute, Context, Function, Module, Place};
use crate::{library, symbol};

/// By this attribute they are known; to Enzyme it says that none of the memory a function allocates
/// is needed in the reverse sweep.
const MARK: &str = "enzyme_no_escaping_allocation";

/// Marks those that are called.
pub(super) fn mark<'c>(context: &'c Context, module: &Module<'c>) {
    let declared = module.functions().filter(|function| function.is_declaration());
    for function in declared.filter(|function| is_inactive(&function.name())) {
        for attribute in [
            Attribute::Text("enzyme_inactive", ""),
            Attribute::Text(MARK, ""),
            // What they free is either theirs or text, which Enzyme need not keep.
            Attribute::Enum("nofree", 0),
        ] {
            function.add_attribute(context, Place::Function, attribute);
        }
    }
}

fn is_inactive(name: &str) -> bool {
    // Of the allocator's shim: functions that do nothing.
    let nothing = symbol::is_allocator(name) && symbol::allocator(name).is_none();
    nothing || library::is_inactive(name)
}

/// Whether a function is one of them.
pub(super) fn is_marked(function: Function<'_>) -> bool {
    function.text_attribute(Place::Function, MARK).is_some()
}

/// Takes back what is true for Enzyme's purposes only.
pub(super) fn restore(module: &Module<'_>) {
    for function in module.functions().filter(|function| is_marked(*function)) {
        function.remove_attribute(Place::Function, "nofree");
    }
}
