//! Makes Rust's code into code that Enzyme can differentiate, and undoes after Enzyme what must
//! not stay. This is where Rust is known.

mod allocator;
mod guard;
mod landing;
mod linkage;
mod region;
mod types;

use crate::error::Error;
use crate::llvm::{Context, Function, Machine, Module, Vectorize, run_passes};
use crate::protocol::Site;

/// Everything before Enzyme.
pub(crate) fn before<'c>(
    context: &'c Context,
    module: &Module<'c>,
    machine: &Machine,
    shims: &[(&Site, Function<'c>)],
) -> Result<(), Error> {
    linkage::internalize(context, module);
    landing::lower(context, module, machine)?;
    allocator::rename(context, module);
    run_passes(context, module, machine, "default<O2>", Vectorize::No)
        .map_err(Error::stage("optimising before Enzyme"))?;
    allocator::lower_realloc(context, module);
    guard::raise(context, module);
    types::add(context, module, shims);
    module.verify().map_err(Error::stage("preparing for Enzyme"))
}

/// Everything after Enzyme and before object code.
pub(crate) fn after<'c>(context: &'c Context, module: &Module<'c>, machine: &Machine) -> Result<(), Error> {
    guard::lower(module);
    allocator::restore(context, module);
    linkage::internalize(context, module);
    run_passes(context, module, machine, "default<O3>", Vectorize::Yes)
        .map_err(Error::stage("optimising after Enzyme"))
}
