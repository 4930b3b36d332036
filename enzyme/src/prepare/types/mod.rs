//! Types. Stable rustc emits none, and Enzyme must know which bytes are floats, integers or
//! pointers. Three sources, in the order of their trustworthiness: what a derivative call says of
//! its parameters, the types of loads and stores, and how values flow between them.

mod annotate;
mod tag;

use super::flow::Flow;
use crate::llvm::{Context, Module};

/// Tells Enzyme what is known of types.
pub(super) fn add<'c>(context: &'c Context, module: &Module<'c>, flow: &mut Flow<'c>) {
    tag::accesses(context, module);
    annotate::values(context, module, flow);
}
