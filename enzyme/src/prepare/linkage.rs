//! Who is seen from outside: the derivatives only.

use crate::candidates::Candidates;
use crate::llvm::{Attribute, Context, Linkage, Module, Place};
use crate::symbol;

/// Makes everything local but the derivatives and the functions that are `kept`, and lets the inliner do what
/// rustc's attributes on library code would forbid.
pub(crate) fn internalize(module: &Module<'_>, kept: &Candidates) {
    for function in module.functions().filter(|function| !function.is_declaration()) {
        let name = function.name();
        if !symbol::is_derivative(&name) {
            let linkage = if kept.contain(&name) { Linkage::External } else { Linkage::Internal };
            function.set_linkage(linkage);
        }
        for hint in ["noinline", "cold", "optsize", "minsize"] {
            function.remove_attribute(Place::Function, hint);
        }
        // The target machine decides, as for the rest of the derivative object.
        for key in ["target-cpu", "target-features", "probe-stack"] {
            function.remove_text_attribute(Place::Function, key);
        }
    }
    for global in module.globals().filter(|global| !global.is_declaration()) {
        global.set_linkage(Linkage::Internal);
    }
    for alias in module.aliases() {
        alias.set_linkage(Linkage::Internal);
    }
}

/// Makes functions local that were kept.
pub(crate) fn let_go(module: &Module<'_>, kept: &Candidates) {
    let kept = module.functions().filter(|it| !it.is_declaration() && kept.contain(&it.name()));
    kept.for_each(|function| function.set_linkage(Linkage::Internal));
}

/// Has every function touch each page of its stack frame in order, as rustc's do: an overflow then
/// ends the program instead of reaching other memory.
pub(crate) fn probe_stacks(context: &Context, module: &Module<'_>) {
    for function in module.functions().filter(|function| !function.is_declaration()) {
        function.add_attribute(context, Place::Function, Attribute::Text("probe-stack", "inline-asm"));
    }
}
