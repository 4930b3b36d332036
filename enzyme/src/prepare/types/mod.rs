//! Types. Stable rustc emits none, and Enzyme must know which bytes are floats, integers or
//! pointers. Three sources, in the order of their trustworthiness: what a derivative call says of
//! its parameters, the types of loads and stores, and how values flow between them.

mod annotate;
mod bulk;
mod doubt;
mod elements;
mod moved;
mod pointers;
mod slots;
mod tag;

use super::flow::Flow;
use crate::llvm::{Context, Module};

/// Tells Enzyme what is known of types.
pub(super) fn add<'c>(context: &'c Context, module: &Module<'c>, flow: &mut Flow<'c>) {
    bulk::annotate(context, module, flow);
    moved::as_numbers(context, module, flow);
    doubt::mark(context, module, flow);
    tag::accesses(context, module, flow);
    annotate::values(context, module, flow);
    slots::annotate(context, module, flow);
}

/// Tells Enzyme what is behind pointers. It finds that out itself, except in a derivative that it
/// made and differentiates again: there LLVM has turned loops over what was kept into copies, after
/// all else was said.
pub(super) fn add_of_pointers<'c>(context: &'c Context, module: &Module<'c>, flow: &mut Flow<'c>) {
    pointers::mark(context, module, flow);
}
