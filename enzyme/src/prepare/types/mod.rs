//! Types. Stable rustc emits none, and Enzyme must know which bytes are floats, integers or
//! pointers. Three sources, in the order of their trustworthiness: what a derivative call says of
//! its parameters, the types of loads and stores, and how values flow between them.

mod annotate;
mod flow;
mod tag;

use crate::llvm::{Context, Function, Module};
use crate::protocol::Site;

/// Tells Enzyme what is known of types. `shims` are the functions to be differentiated.
pub(super) fn add<'c>(context: &'c Context, module: &Module<'c>, shims: &[(&Site, Function<'c>)]) {
    tag::accesses(context, module);
    annotate::values(context, module, &mut flow::Flow::of(context, module, shims));
}
