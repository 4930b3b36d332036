//! The allocator: Enzyme knows its entry points by their plain names only, and no `realloc`.

use super::text;
use crate::llvm::{Attribute, Builder, Context, Function, Instruction, Module, Place, Value};
use crate::symbol;

/// Attribute that remembers the symbol of a function that was renamed for Enzyme.
pub(super) const MANGLED: &str = "autodiff-symbol";
/// Attribute that remembers the mangled name of the zeroing sibling.
const MANGLED_ZEROED: &str = "autodiff-symbol-zeroed";

/// Attribute by which LLVM knows the zeroing sibling of an allocation function, which it calls
/// where memory is allocated and zeroed.
const ZEROED_VARIANT: &str = "alloc-variant-zeroed";

/// Gives the allocator's entry points the names that Enzyme knows.
pub(crate) fn rename<'c>(context: &'c Context, module: &Module<'c>) {
    forget_mark(module);
    for function in module.functions() {
        let name = function.name();
        let Some(plain) = symbol::allocator(&name) else { continue };
        if name != plain {
            rename_to(module, function, plain);
            function.add_attribute(context, Place::Function, Attribute::Text(MANGLED, &name));
        }
        if let Some(zeroed) = function.text_attribute(Place::Function, ZEROED_VARIANT)
            && let Some(plain) = symbol::allocator(&zeroed)
        {
            function.add_attribute(context, Place::Function, Attribute::Text(ZEROED_VARIANT, plain));
            function.add_attribute(context, Place::Function, Attribute::Text(MANGLED_ZEROED, &zeroed));
        }
    }
}

/// Removes the calls that only make sure that an allocator is linked: to LLVM they may do anything.
fn forget_mark(module: &Module<'_>) {
    for mark in module.functions().filter(|function| symbol::marks_allocator(&function.name())) {
        mark.users().into_iter().filter_map(Value::as_instruction).for_each(Instruction::erase);
    }
}

/// A function by the name that it has in the program, though it may have another one for now.
pub(super) fn renamed<'c>(module: &Module<'c>, symbol: &str) -> Option<Function<'c>> {
    module.functions().find(|function| original_name(*function) == symbol)
}

/// The name that a function has in the program.
pub(super) fn original_name(function: Function<'_>) -> String {
    function.text_attribute(Place::Function, MANGLED).unwrap_or_else(|| function.name())
}

/// Gives the entry points their mangled names back: also those that LLVM or Enzyme made up, whose
/// attributes, if any, are another one's.
pub(crate) fn restore<'c>(context: &'c Context, module: &Module<'c>) {
    let remembered = |function: Function<'c>| {
        let texts = [MANGLED, MANGLED_ZEROED].into_iter();
        let mut mangled = texts.filter_map(move |key| function.text_attribute(Place::Function, key));
        mangled.find_map(|mangled| Some((symbol::allocator(&mangled)?, mangled)))
    };
    let Some((known, mangled)) = module.functions().find_map(remembered) else { return };
    let mangle = |plain: &str| mangled.replace(&sized(known), &sized(plain));
    for function in symbol::ALLOCATOR.into_iter().filter_map(|plain| module.function(plain)) {
        let name = mangle(&function.name());
        rename_to(module, function, &name);
        for key in [MANGLED, MANGLED_ZEROED] {
            function.remove_text_attribute(Place::Function, key);
        }
        if function.text_attribute(Place::Function, ZEROED_VARIANT).is_some() {
            let zeroed = mangle("__rust_alloc_zeroed");
            function.add_attribute(context, Place::Function, Attribute::Text(ZEROED_VARIANT, &zeroed));
        }
    }
}

/// Renames a function, or makes its users use the one that has the name already.
fn rename_to<'c>(module: &Module<'c>, function: Function<'c>, name: &str) {
    match module.function(name) {
        Some(existing) if existing != function => function.replace_uses(*existing),
        _ => function.set_name(name),
    }
}

/// Replaces `realloc` by allocating, copying and freeing.
pub(crate) fn lower_realloc<'c>(context: &'c Context, module: &Module<'c>) {
    let Some(realloc) = module.function("__rust_realloc") else { return };
    let calls: Vec<_> = realloc.users().into_iter().filter_map(Value::as_instruction).collect();
    let seen = |call: &Instruction<'_>| !text::is_hidden(call.block().function());
    for call in calls.into_iter().filter(|call| call.callee() == Some(realloc)).filter(seen) {
        let allocate = entry_point(context, module, "__rust_alloc", realloc);
        let free = entry_point(context, module, "__rust_dealloc", realloc);
        let &[old, old_size, align, new_size] = &call.arguments()[..] else { continue };
        let builder = Builder::before(context, call);
        let new = builder.call(allocate, &[new_size, align]);
        let size = builder.select(builder.less_unsigned(old_size, new_size), old_size, new_size);
        builder.copy(new.value(), old, size);
        builder.call(free, &[old, old_size, align]);
        call.replace_uses(new.value());
        call.erase();
    }
}

/// One of the other entry points, declared beside `realloc` if the closure has not met it yet.
fn entry_point<'c>(
    context: &'c Context,
    module: &Module<'c>,
    plain: &str,
    realloc: Function<'c>,
) -> Function<'c> {
    if let Some(function) = module.function(plain) {
        return function;
    }
    let (ptr, size) = (context.ptr(), context.int(64));
    let signature = match plain {
        "__rust_dealloc" => context.function(context.void(), &[ptr, size, size], false),
        _ => context.function(ptr, &[size, size], false),
    };
    let function = module.add_function(plain, signature);
    if let Some(mangled) = realloc.text_attribute(Place::Function, MANGLED) {
        let mangled = mangled.replace(&sized("__rust_realloc"), &sized(plain));
        function.add_attribute(context, Place::Function, Attribute::Text(MANGLED, &mangled));
    }
    function
}

/// An identifier as it stands in a mangled name.
fn sized(name: &str) -> String {
    format!("{}_{name}", name.len())
}
