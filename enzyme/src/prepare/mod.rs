//! Makes Rust's code into code that Enzyme can differentiate, and undoes after Enzyme what must
//! not stay. This is where Rust is known.

mod active;
mod address;
mod alignment;
mod allocator;
mod atomic;
mod bits;
mod black_box;
mod cleanup;
mod constant;
mod countdown;
mod crossing;
mod custom;
mod dependence;
mod dispatch;
mod dispatcher;
mod edges;
mod empty;
mod endless;
mod flow;
mod gift;
mod globals;
mod guard;
mod held;
mod inactive;
mod independent;
mod indirect;
mod intrinsic;
mod keep;
mod known;
mod landing;
mod leaving;
mod libm;
mod linkage;
mod loops;
mod mixed;
mod moves;
mod nested;
mod order;
mod origin;
mod outlined;
mod panic;
mod reach;
mod region;
mod rounding;
mod rules;
mod scopes;
mod shared;
mod state;
mod stores;
mod tables;
mod tape;
mod text;
mod threads;
mod through_text;
mod types;
mod variance;
mod vtables;

use std::collections::BTreeSet;

pub(crate) use self::address::symbol_of_native;
pub(crate) use self::custom::RULE;
use self::dependence::Dependence;
use crate::candidates::Candidates;
use crate::error::Error;
use crate::llvm::{Context, Function, Linkage, Machine, Module, Vectorize, run_passes};
use crate::program::Program;
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
    program: &Program,
    candidates: &Candidates,
) -> Result<Prepared, Error> {
    if let Some(reason) = simplify(context, module, machine, shims, candidates)? {
        return Ok(Prepared::Refused(reason));
    }
    let nested = match nested::resolve(context, module) {
        Ok(count) => count > 0,
        Err(reason) => return Ok(Prepared::Refused(reason)),
    };
    let custom = match custom::resolve(context, module, shims) {
        Ok(rules) => rules,
        Err(reason) => return Ok(Prepared::Refused(reason)),
    };
    if nested || !custom.is_empty() {
        // What the inner derivatives take apart was put together by their callers.
        optimise(context, module, machine)?;
    }
    linkage::let_go(module, candidates);
    vtables::mark_inactive(context, module);
    match dispatch::resolve(context, module, shims, program, candidates)? {
        dispatch::Outcome::Nothing => {}
        dispatch::Outcome::Changed => optimise(context, module, machine)?,
        dispatch::Outcome::Wants(names) => return Ok(Prepared::Wants(names)),
        dispatch::Outcome::Refused(reason) => return Ok(Prepared::Refused(reason)),
    }
    unroll(context, module, machine)?;
    let nests = nested && state::nests(shims);
    custom.stand_in(context, module, nests);
    text::hide(context, module);
    allocator::lower_realloc(context, module);
    intrinsic::lower(context, module);
    let forward = nested || shims.iter().any(|(site, _)| site.mode == Mode::Forward);
    rules::apply(context, module, machine, forward)?;
    guard::raise(context, module, shims);
    state::mark_inactive(context, module, shims);
    black_box::open(module);
    leaving::one_by_one(context, module, machine)?;
    crossing::through_memory(context, module, machine)?;
    edges::split(context, module);
    alignment::separate(context, module);
    let mut flow = flow::Flow::of(module, shims);
    if moves::lower(context, module, &mut flow) {
        flow = flow::Flow::of(module, shims);
    }
    let dependence = Dependence::of(module, &mut flow, shims);
    let reason = globals::mark_inactive(context, module, &mut flow, &dependence)
        .or_else(|| state::check(module, &mut flow, &dependence))
        .or_else(|| indirect::check(module, &mut flow))
        .or_else(|| constant::check(module, &mut flow, &dependence))
        .or_else(|| forward.then(|| mixed::check(module, &mut flow, &dependence)).flatten())
        .or_else(|| text::check(module, &mut flow, &dependence))
        .or_else(|| through_text::check(module, &mut flow))
        .or_else(|| gift::check(module, &mut flow, shims))
        .or_else(|| custom.check(module, &mut flow, &dependence));
    if let Some(reason) = reason {
        return Ok(Prepared::Refused(reason));
    }
    held::mark_inactive(context, module, &mut flow, &dependence);
    independent::mark_inactive(context, module, &mut flow, &dependence);
    active::mark(context, module, &mut flow, &dependence);
    crossing::mark_inactive(context, module, &mut flow, &dependence);
    text::hide_foreign(context, module, &mut flow, shims);
    if forward {
        text::hide_without_numbers(context, module, &mut flow);
    }
    atomic::outline(context, module, &mut flow);
    shared::separate(context, module, &mut flow);
    types::add(context, module, &mut flow);
    keep::mark(context, module);
    rounding::mark(module);
    if nested {
        types::add_of_pointers(context, module, &mut flow);
    }
    custom.lower(context, module, nests);
    countdown::hide(context, module);
    scopes::restrict(context, module);
    Ok(Prepared::Ready)
}

/// Brings the code into a form in which its parts can be told apart, or says why it has no derivative.
fn simplify<'c>(
    context: &'c Context,
    module: &Module<'c>,
    machine: &Machine,
    shims: &[(&Site, Function<'c>)],
    candidates: &Candidates,
) -> Result<Option<Reason>, Error> {
    linkage::internalize(module, candidates);
    // What only panics and the allocator reach came along, and must not be judged.
    run_passes(context, module, machine, "globaldce", Vectorize::No)
        .map_err(Error::stage("dropping what is not reached"))?;
    custom::keep_apart(context, module, shims);
    if let Some(reason) =
        threads::check(module).or_else(|| landing::check(module)).or_else(|| tables::check(module))
    {
        return Ok(Some(reason));
    }
    let cleanups = landing::lower(context, module, machine)?;
    state::keep_whole(context, module);
    allocator::rename(context, module);
    tape::mark_foreign(context, module);
    libm::rename(context, module);
    order::lower(context, module, machine)?;
    inactive::mark(context, module);
    stores::separate(context, module);
    text::inline_growth(context, module);
    run_passes(context, module, machine, "always-inline", Vectorize::No)
        .map_err(Error::stage("inlining the growth of vectors"))?;
    run_passes(context, module, machine, empty::PIPELINE, Vectorize::No)
        .map_err(Error::stage("inlining before Enzyme"))?;
    empty::join(context, module);
    optimise(context, module, machine)?;
    // Of a debug build's code, lengths were in memory until now.
    empty::join(context, module);
    if cleanups { cleanup::outline(context, module) } else { Ok(None) }
}

fn optimise<'c>(context: &'c Context, module: &Module<'c>, machine: &Machine) -> Result<(), Error> {
    run_passes(context, module, machine, "default<O2>", Vectorize::No)
        .map_err(Error::stage("optimising before Enzyme"))
}

/// Unrolls loops of few turns, then reads no memory twice. The engine unrolls them too, but then may not look at
/// memory (see `engine::OPTIONS`), and what an inner loop reads again in each turn of an outer one goes on the tape
/// as often.
fn unroll<'c>(context: &'c Context, module: &Module<'c>, machine: &Machine) -> Result<(), Error> {
    run_passes(context, module, machine, "function(loop(loop-unroll-full),gvn)", Vectorize::No)
        .map_err(Error::stage("unrolling before Enzyme"))
}

/// Everything after Enzyme and before object code. A reason says that what Enzyme made must not be used.
pub(crate) fn after<'c>(
    context: &'c Context,
    module: &Module<'c>,
    machine: &Machine,
    tape: Option<&Tape<'_>>,
) -> Result<Option<Reason>, Error> {
    countdown::show(module);
    leaving::show(module);
    crossing::settle(module);
    endless::stop(context, module);
    custom::settle(module);
    cleanup::define_list(context, module);
    guard::settle(context, module);
    outlined::lower(module);
    inactive::restore(module);
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

/// Makes functions without derivatives into code that derivatives can be linked with.
pub(crate) fn inactive<'c>(
    context: &'c Context,
    module: &Module<'c>,
    machine: &Machine,
    roots: &[Function<'c>],
) -> Result<(), Error> {
    linkage::internalize(module, &Candidates::default());
    for root in roots {
        // The program may have it as well.
        root.set_linkage(Linkage::Weak);
    }
    linkage::probe_stacks(context, module);
    run_passes(context, module, machine, "default<O2>", Vectorize::Yes)
        .map_err(Error::stage("optimising functions without derivatives"))
}
