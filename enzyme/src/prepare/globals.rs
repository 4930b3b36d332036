//! Global variables. Enzyme asks for a shadow of each one it meets, and there is none.

use super::cleanup;
use super::dependence::Dependence;
use super::flow::Flow;
use crate::class::Class;
use crate::llvm::{Attribute, Context, Global, Instruction, Module, Opcode, Place};
use crate::reason::Reason;
use crate::symbol;

/// Tells Enzyme of mutable global variables that no derivative flows through. A reason says that
/// one flows through another.
pub(super) fn mark_inactive<'c>(
    context: &'c Context,
    module: &Module<'c>,
    flow: &mut Flow<'c>,
    dependence: &Dependence<'c>,
) -> Option<Reason> {
    let node = context.metadata_node(&[]);
    for global in module.globals().filter(|global| !global.is_constant_global()) {
        if global.name().starts_with("enzyme_") || cleanup::is_list(global) {
            continue;
        }
        if flow.stores_floats_behind(*global) && dependence.of_all_behind(*global, flow) {
            if let Some(user) = user(global) {
                return Some(Reason::at(Class::MutableStatic, user).about(static_name(&global.name())));
            }
        } else {
            global.set_metadata(context.metadata_kind("enzyme_inactive"), node);
            mark_addresses(context, global);
            flow.treat_as_constant(*global);
        }
    }
    None
}

/// Says the same of where the thread's own copy is: Enzyme would take it for its own shadow.
fn mark_addresses<'c>(context: &'c Context, global: Global<'c>) {
    let mentions = global.mentions().into_iter();
    let addresses = mentions.filter(|it| {
        it.callee().is_some_and(|callee| callee.name().starts_with("llvm.threadlocal.address."))
    });
    for address in addresses {
        address.add_call_attribute(context, Place::Function, Attribute::Text("enzyme_inactive", ""));
    }
}

/// What uses a global variable: best what writes it.
fn user(global: Global<'_>) -> Option<Instruction<'_>> {
    let users = global.mentions();
    users.iter().rfind(|it| it.opcode() == Opcode::Store).or(users.last()).copied()
}

/// A static as the user wrote it: what a thread-local is made of stays out.
fn static_name(symbol: &str) -> String {
    let name = symbol::demangle(symbol);
    name.split_once("::{").map_or(name.clone(), |(path, _)| path.to_owned())
}
