//! Functions made of pieces of code that Enzyme must not look into. They are inactive to Enzyme and
//! inlined again afterwards.

use crate::llvm::{Attribute, Context, Function, Linkage, Module, Place, Type, Value};

/// The beginning of their names.
const OUTLINED: &str = "__autodiff_outlined_";

/// `memory(none)`.
pub(super) const NOTHING: u64 = 0;
/// `memory(inaccessiblemem: write)`: it may stop the program, and touches nothing that is seen.
pub(super) const WRITES_NOTHING_SEEN: u64 = 0b10 << 2;
/// `memory(argmem: readwrite, inaccessiblemem: readwrite)`: it keeps its arguments for later.
pub(super) const KEEPS_ARGUMENTS: u64 = 0b1111;
/// `memory(readwrite)`.
pub(super) const ANYTHING: u64 = READS | READS << 1;
/// `memory(argmem: readwrite)`.
pub(super) const CHANGES_ARGUMENTS: u64 = 0b11;
/// `memory(inaccessiblemem: readwrite)`.
pub(super) const CHANGES_UNSEEN: u64 = 0b11 << 2;
/// `memory(read, inaccessiblemem: readwrite)`: as the first, but it needs memory.
pub(super) const READS: u64 = 0b01 | 0b11 << 2 | 0b01 << 4 | 0b01 << 6 | 0b01 << 8 | 0b01 << 10;

/// The function that was added under a name.
pub(super) fn find<'c>(module: &Module<'c>, name: &str) -> Option<Function<'c>> {
    module.function(&format!("{OUTLINED}{name}"))
}

/// Adds a function for a piece of code; `memory` is what it does to memory, as LLVM encodes it.
pub(super) fn add<'c>(
    context: &'c Context,
    module: &Module<'c>,
    name: &str,
    signature: Type<'c>,
    memory: u64,
) -> Function<'c> {
    let function = module.add_function(&full_name(name), signature);
    function.set_linkage(Linkage::Internal);
    let attributes =
        [Attribute::Enum("memory", memory), Attribute::Enum("noinline", 0), Attribute::Enum("uwtable", 2)];
    for attribute in attributes.into_iter().chain([Attribute::Text("enzyme_inactive", "")]) {
        function.add_attribute(context, Place::Function, attribute);
    }
    function
}

/// Adds a function that gives back what it takes, of which only we know that. `reveal` must follow after Enzyme.
pub(super) fn hiding<'c>(
    context: &'c Context,
    module: &Module<'c>,
    name: &str,
    ty: Type<'c>,
) -> Function<'c> {
    opaque(context, module, name, context.function(ty, &[ty], false), NOTHING)
}

/// Adds a function that leaves what its argument points to as it is, of which only we know that. Its calls must be
/// erased after Enzyme.
pub(super) fn changing<'c>(context: &'c Context, module: &Module<'c>, name: &str) -> Function<'c> {
    let signature = context.function(context.void(), &[context.ptr()], false);
    opaque(context, module, name, signature, CHANGES_ARGUMENTS)
}

/// Without a body nobody finds out what a function does.
fn opaque<'c>(
    context: &'c Context,
    module: &Module<'c>,
    name: &str,
    signature: Type<'c>,
    memory: u64,
) -> Function<'c> {
    if let Some(known) = find(module, name) {
        return known;
    }
    let function = add(context, module, name, signature, memory);
    function.set_linkage(Linkage::External);
    for name in ["nofree", "nosync", "nounwind", "willreturn"] {
        function.add_attribute(context, Place::Function, Attribute::Enum(name, 0));
    }
    function
}

/// Puts in place of the calls of a hiding function what they hide.
pub(super) fn reveal(module: &Module<'_>, name: &str) {
    let calls = find(module, name).map(|function| function.users()).unwrap_or_default();
    for call in calls.into_iter().filter_map(Value::as_instruction) {
        call.replace_uses(call.arguments()[0]);
        call.erase();
    }
}

/// The name of a function that is added with `name`.
pub(super) fn full_name(name: &str) -> String {
    format!("{OUTLINED}{name}")
}

/// What follows the beginning of the names.
pub(super) fn plain_name(name: &str) -> Option<&str> {
    name.strip_prefix(OUTLINED)
}

/// Whether a function was added under a name that begins so.
pub(super) fn is_named(function: Function<'_>, begin: &str) -> bool {
    function.name().strip_prefix(OUTLINED).is_some_and(|name| name.starts_with(begin))
}

/// Gives the functions their true effects back, so that they can be inlined.
pub(super) fn lower(module: &Module<'_>) {
    // Enzyme's copies of functions that free no memory have names of their own.
    let is_one = |name: &str| name.strip_prefix("nofree_").unwrap_or(name).starts_with(OUTLINED);
    for function in module.functions().filter(|function| is_one(&function.name())) {
        for name in ["memory", "noinline", "nofree"] {
            function.remove_attribute(Place::Function, name);
        }
        function.remove_text_attribute(Place::Function, "enzyme_inactive");
        forget_return(function);
    }
}

/// Takes back that a function returns, which LLVM found out where it looked like one without effects: with
/// nothing of what it computes used, a panic would be dropped.
fn forget_return(function: Function<'_>) {
    let calls = function.users().into_iter().filter_map(Value::as_instruction).filter(|user| user.is_call());
    let calls: Vec<_> = calls.collect();
    for name in ["willreturn", "mustprogress"] {
        function.remove_attribute(Place::Function, name);
        for call in &calls {
            call.remove_call_attribute(Place::Function, name);
            call.block().function().remove_attribute(Place::Function, name);
        }
    }
    for call in calls {
        call.block().function().remove_attribute(Place::Function, "memory");
    }
}
