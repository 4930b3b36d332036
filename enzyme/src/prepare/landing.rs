//! Landing pads. Enzyme knows no exceptions, so calls that may unwind become plain calls. That is
//! right where unwinding would only have freed memory: a panic then leaks it.

use crate::error::Error;
use crate::llvm::{Context, Machine, Module, Vectorize, run_passes};

/// Turns every `invoke` into a `call` and drops the landing pads.
pub(crate) fn lower(context: &Context, module: &Module<'_>, machine: &Machine) -> Result<(), Error> {
    run_passes(context, module, machine, "function(lower-invoke,simplifycfg)", Vectorize::No)
        .map_err(Error::stage("lowering landing pads"))
}
