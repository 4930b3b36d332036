//! Memory of text: what is allocated without alignment, so bytes. Functions of the library that
//! Enzyme does not see make it, grow it and free it. Enzyme would keep memory that it sees allocated
//! until the reverse sweep and free it then; so that everyone does the same, it must not see that of
//! text: it is allocated and freed where the primal does.

use super::dependence::Dependence;
use super::flow::Flow;
use super::gift;
use super::origin::Origins;
use super::outlined::{self, CHANGES_ARGUMENTS, CHANGES_UNSEEN};
use crate::class::Class;
use crate::llvm::{Attribute, Builder, Context, Function, Instruction, Module, Place, Value};
use crate::protocol::Site;
use crate::reason::Reason;
use crate::symbol;

/// The allocator's entry points: where the alignment is among the arguments, and what they do.
const ENTRIES: [(&str, u32, u64); 4] = [
    ("__rust_alloc", 1, CHANGES_UNSEEN),
    ("__rust_alloc_zeroed", 1, CHANGES_UNSEEN),
    ("__rust_dealloc", 2, CHANGES_ARGUMENTS | CHANGES_UNSEEN),
    ("__rust_realloc", 2, CHANGES_ARGUMENTS | CHANGES_UNSEEN),
];

/// The beginning of the names of those that do the same unseen.
const TEXT: &str = "text";

/// Whether a function is one of the allocator's for text.
pub(super) fn is_hidden(function: Function<'_>) -> bool {
    outlined::is_named(function, TEXT)
}

/// Whether a call allocates bytes: text.
pub(super) fn is_of_text(call: Instruction<'_>) -> bool {
    let name = call.callee().map(|callee| callee.name()).unwrap_or_default();
    ENTRIES.iter().any(|(entry, align, _)| name.ends_with(entry) && call.operand(*align).as_int() == Some(1))
}

/// Has the functions that grow vectors inlined, so that each knows its alignment.
pub(super) fn inline_growth(context: &Context, module: &Module<'_>) {
    for function in module.functions().filter(|function| !function.is_declaration()) {
        let name = function.name();
        if ["7raw_vec", "6Global"].iter().any(|part| name.contains(part)) && grows(&symbol::demangle(&name)) {
            function.add_attribute(context, Place::Function, Attribute::Enum("alwaysinline", 0));
        }
    }
}

fn grows(name: &str) -> bool {
    ["<alloc::raw_vec::RawVecInner", "<alloc::alloc::Global"].iter().any(|ty| name.starts_with(ty))
}

/// Takes the memory of text out of Enzyme's sight.
pub(super) fn hide<'c>(context: &'c Context, module: &Module<'c>) {
    for (name, align, memory) in ENTRIES {
        let Some(entry) = module.function(name) else { continue };
        let users = entry.users().into_iter().filter_map(Value::as_instruction);
        let calls = users.filter(|user| user.is_call() && user.callee() == Some(entry));
        for call in calls.filter(|call| call.operand(align).as_int() == Some(1)) {
            call_hidden(context, module, call, memory);
        }
    }
}

/// Takes out of Enzyme's sight as well that memory is freed which was allocated there: it would not
/// be freed at all.
pub(super) fn hide_foreign<'c>(
    context: &'c Context,
    module: &Module<'c>,
    flow: &mut Flow<'c>,
    shims: &[(&Site, Function<'c>)],
) {
    let Some(free) = module.function("__rust_dealloc") else { return };
    let arguments = shims.iter().flat_map(|(_, shim)| (0..shim.param_count()).map(|index| shim.param(index)));
    let known = gift::allocated(module).into_iter().chain(arguments).collect();
    let known = Origins::of(known, module, flow);
    let users = free.users().into_iter().filter_map(Value::as_instruction);
    for call in users.filter(|user| user.is_call() && user.callee() == Some(free)) {
        if !is_hidden(call.block().function()) && !known.contain(call.operand(0)) {
            call_hidden(context, module, call, CHANGES_ARGUMENTS | CHANGES_UNSEEN);
        }
    }
}

/// Takes all memory that holds no numbers out of Enzyme's sight: in forward mode Enzyme drops the
/// calls that free it.
pub(super) fn hide_without_numbers<'c>(context: &'c Context, module: &Module<'c>, flow: &mut Flow<'c>) {
    for (name, _, memory) in ENTRIES {
        let Some(entry) = module.function(name) else { continue };
        let users = entry.users().into_iter().filter_map(Value::as_instruction);
        for call in users.filter(|user| user.is_call() && user.callee() == Some(entry)) {
            let block = if call.ty().is_pointer() { call.value() } else { call.operand(0) };
            if !is_hidden(call.block().function()) && !flow.may_hold_floats(block) {
                call_hidden(context, module, call, memory);
            }
        }
    }
}

/// Finds numbers that depend on the arguments in memory that was taken for text: hidden from Enzyme, their
/// derivatives would be lost.
pub(super) fn check<'c>(
    module: &Module<'c>,
    flow: &mut Flow<'c>,
    dependence: &Dependence<'c>,
) -> Option<Reason> {
    let hidden = module.functions().filter(|function| is_hidden(*function));
    let calls: Vec<_> =
        hidden.flat_map(|function| function.users()).filter_map(Value::as_instruction).collect();
    calls.into_iter().filter(|call| call.is_call() && call.ty().is_pointer()).find_map(|call| {
        let memory = call.value();
        let lost =
            flow.of_range(memory, None).is_used_as_float() && dependence.of_contents(memory, None, flow);
        lost.then(|| Reason::at(Class::Bytes, call))
    })
}

/// Makes a call of the allocator one that Enzyme does not recognise.
fn call_hidden<'c>(context: &'c Context, module: &Module<'c>, call: Instruction<'c>, memory: u64) {
    let Some(entry) = call.callee() else { return };
    let hidden = hidden(context, module, entry, memory);
    call.set_operand(call.operand_count() - 1, *hidden);
}

/// An inactive function that does what an entry point of the allocator does.
fn hidden<'c>(context: &'c Context, module: &Module<'c>, entry: Function<'c>, memory: u64) -> Function<'c> {
    let name = format!("{TEXT}{}", entry.name());
    if let Some(known) = outlined::find(module, &name) {
        return known;
    }
    let function = outlined::add(context, module, &name, entry.signature(), memory);
    // Enzyme need not keep what it allocates, nor what it frees.
    for attribute in [Attribute::Enum("nofree", 0), Attribute::Text("enzyme_no_escaping_allocation", "")] {
        function.add_attribute(context, Place::Function, attribute);
    }
    let builder = Builder::at_end(context, function.append_block(context, c"entry"));
    let params: Vec<_> = (0..function.param_count()).map(|index| function.param(index)).collect();
    let result = builder.call(entry, &params);
    if result.ty().is_void() {
        builder.return_void();
    } else {
        builder.return_value(result.value());
    }
    function
}
