//! Makes Rust's code into code that Enzyme can differentiate, and undoes after Enzyme what must
//! not stay. This is where Rust is known.

mod address;
mod allocator;
mod atomic;
mod barrier;
mod cleanup;
mod constant;
mod dependence;
mod dispatch;
mod dispatcher;
mod empty;
mod endless;
mod flow;
mod gift;
mod globals;
mod guard;
mod independent;
mod indirect;
mod intrinsic;
mod keep;
mod known;
mod landing;
mod libm;
mod linkage;
mod mixed;
mod moves;
mod nested;
mod order;
mod origin;
mod outlined;
mod panic;
mod provenance;
mod reach;
mod region;
mod rounding;
mod rules;
mod slots;
mod state;
mod tape;
mod threads;
mod types;
mod variance;
mod vtables;

pub(crate) use address::symbol_of_native;

use std::collections::BTreeSet;

use self::dependence::Dependence;
use crate::candidates::Candidates;
use crate::error::Error;
use crate::library::Library;
use crate::llvm::{Context, Function, Machine, Module, Vectorize, run_passes};
use crate::protocol::{Mode, Site};
use crate::reason::Reason;
use crate::symbol::Tape;

/// What came of the work before Enzyme.
pub(crate) enum Prepared {
    /// Enzyme may be asked.
    Ready,
    /// Enzyme must not even be asked.
    Refused(Reason),
    /// It must be done anew in a module that has the bodies of these functions as well.
    Wants(BTreeSet<String>),
}

/// Everything before Enzyme. `shims` are the functions to be differentiated, `candidates` those
/// whose bodies were asked for before.
pub(crate) fn before<'c>(
    context: &'c Context,
    module: &Module<'c>,
    machine: &Machine,
    shims: &[(&Site, Function<'c>)],
    library: &Library,
    candidates: &Candidates,
) -> Result<Prepared, Error> {
    linkage::internalize(module, candidates);
    // What only panics and the allocator reach came along, and must not be judged.
    run_passes(context, module, machine, "globaldce", Vectorize::No)
        .map_err(Error::stage("dropping what is not reached"))?;
    if let Some(reason) = threads::check(module).or_else(|| landing::check(module)) {
        return Ok(Prepared::Refused(reason));
    }
    barrier::remove(module);
    let cleanups = landing::lower(context, module, machine)?;
    state::keep_whole(context, module);
    allocator::rename(context, module);
    tape::mark_foreign(context, module);
    libm::rename(context, module);
    order::lower(context, module, machine)?;
    let optimise = || {
        run_passes(context, module, machine, "default<O2>", Vectorize::No)
            .map_err(Error::stage("optimising before Enzyme"))
    };
    run_passes(context, module, machine, empty::PIPELINE, Vectorize::No)
        .map_err(Error::stage("inlining before Enzyme"))?;
    slots::separate(context, module);
    empty::join(context, module);
    optimise()?;
    if cleanups && let Some(reason) = cleanup::outline(context, module)? {
        return Ok(Prepared::Refused(reason));
    }
    let nested = match nested::resolve(context, module) {
        Ok(count) => count > 0,
        Err(reason) => return Ok(Prepared::Refused(reason)),
    };
    if nested {
        // What the inner derivatives take apart was put together by their callers.
        optimise()?;
    }
    linkage::internalize(module, &Candidates::default());
    vtables::mark_inactive(context, module);
    match dispatch::resolve(context, module, shims, library, candidates)? {
        dispatch::Outcome::Nothing => {}
        dispatch::Outcome::Changed => optimise()?,
        dispatch::Outcome::Wants(names) => return Ok(Prepared::Wants(names)),
        dispatch::Outcome::Refused(reason) => return Ok(Prepared::Refused(reason)),
    }
    allocator::lower_realloc(context, module);
    intrinsic::lower(context, module);
    provenance::repair(context, module, &mut flow::Flow::of(module, shims));
    let forward = nested || shims.iter().any(|(site, _)| site.mode == Mode::Forward);
    rules::apply(context, module, machine, forward)?;
    guard::raise(context, module);
    state::mark_inactive(context, module, shims);
    let mut flow = flow::Flow::of(module, shims);
    if moves::lower(context, module, &mut flow) {
        flow = flow::Flow::of(module, shims);
    }
    let dependence = Dependence::of(module, &mut flow, shims);
    let reason = globals::mark_inactive(context, module, &mut flow, &dependence)
        .or_else(|| state::check(module, &mut flow, &dependence))
        .or_else(|| indirect::check(module, &mut flow))
        .or_else(|| constant::check(module, &mut flow, &dependence))
        .or_else(|| mixed::check(module, &mut flow, &dependence))
        .or_else(|| gift::check(module, &mut flow, shims));
    if let Some(reason) = reason {
        return Ok(Prepared::Refused(reason));
    }
    independent::mark_inactive(context, module, &mut flow, &dependence);
    atomic::outline(context, module, &mut flow);
    types::add(context, module, &mut flow);
    keep::mark(context, module);
    rounding::mark(module);
    if nested {
        types::add_of_pointers(context, module, &mut flow);
    }
    Ok(Prepared::Ready)
}

/// Everything after Enzyme and before object code. A reason says that what Enzyme made must not be used.
pub(crate) fn after<'c>(
    context: &'c Context,
    module: &Module<'c>,
    machine: &Machine,
    tape: Option<&Tape<'_>>,
) -> Result<Option<Reason>, Error> {
    cleanup::define_list(context, module);
    outlined::lower(module);
    rounding::release(context, module);
    empty::split(context, module);
    variance::forget(context, module);
    allocator::restore(context, module);
    address::settle(module);
    cleanup::forget_old(context, module);
    linkage::internalize(module, &Candidates::default());
    linkage::probe_stacks(context, module);
    run_passes(context, module, machine, "default<O3>", Vectorize::Yes)
        .map_err(Error::stage("optimising after Enzyme"))?;
    if let Some(tape) = tape {
        tape::redirect(module, tape);
    }
    Ok(endless::check(module))
}
