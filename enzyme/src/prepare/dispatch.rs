//! Calls through pointers: of function pointers and of the methods of trait objects. Enzyme would ask
//! for the shadow of what is called. The functions that can be meant are known, for the whole program
//! is: so such a call becomes one of a *dispatcher*, which compares the pointer with the address of
//! each and calls that one by name, or panics if it is none of them.

use std::collections::BTreeSet;

use super::dispatcher::Dispatchers;
use super::known::Origins;
use super::panic::Panic;
use super::{address, allocator, libm, reach};
use crate::candidates::Candidates;
use crate::class::Class;
use crate::error::Error;
use crate::llvm::{Context, Function, Instruction, Module};
use crate::program::Program;
use crate::protocol::Site;
use crate::reason::Reason;
use crate::symbol;
use crate::targets::functions_in;

/// The most functions that are tried at one call.
const MOST: usize = 64;

/// What came of it.
pub(super) enum Outcome {
    /// There was nothing to do.
    Nothing,
    /// Calls have been replaced.
    Changed,
    /// The bodies of these functions are needed.
    Wants(BTreeSet<String>),
    /// There are too many.
    Refused(Reason),
}

/// Replaces the calls through pointers that the shims reach. `candidates` are the functions
/// whose bodies were asked for before.
pub(super) fn resolve<'c>(
    context: &'c Context,
    module: &Module<'c>,
    shims: &[(&Site, Function<'c>)],
    program: &Program,
    candidates: &Candidates,
) -> Result<Outcome, Error> {
    let mut search = Search { module, program, candidates, wants: BTreeSet::new() };
    let origins = Origins { context, program };
    let mut reached = reach::Reached::from(shims.iter().map(|(_, shim)| *shim));
    let mut calls = Vec::new();
    while let Some(function) = reached.next() {
        for call in reach::live(function).into_iter().filter(|call| is_indirect(*call)) {
            let targets = match search.targets(call, &origins)? {
                Targets::These(targets) => targets,
                Targets::Unknown => continue,
                Targets::TooMany(count) => {
                    let reason = Reason::at(Class::TooManyTargets, call).about(count.to_string());
                    return Ok(Outcome::Refused(reason));
                }
            };
            for target in &targets {
                reached.add(*target);
            }
            calls.push((call, targets));
        }
    }
    if !search.wants.is_empty() {
        return Ok(Outcome::Wants(search.wants));
    }
    let Some(panic) = Panic::new(context, module, program).filter(|_| !calls.is_empty()) else {
        return Ok(Outcome::Nothing);
    };
    let mut dispatchers = Dispatchers::new(context, module, program, panic, shims);
    for (call, targets) in calls {
        dispatchers.replace(call, &targets);
    }
    dispatchers.let_unwind();
    address::hide(module);
    Ok(Outcome::Changed)
}

/// Looks for the functions that calls may lead to.
struct Search<'a, 'c> {
    module: &'a Module<'c>,
    program: &'a Program,
    candidates: &'a Candidates,
    wants: BTreeSet<String>,
}

/// The functions that a call may lead to.
enum Targets<'c> {
    These(Vec<Function<'c>>),
    /// Not one of them is here.
    Unknown,
    TooMany(usize),
}

impl<'c> Search<'_, 'c> {
    fn targets(&mut self, call: Instruction<'c>, origins: &Origins<'_, 'c>) -> Result<Targets<'c>, Error> {
        let pointer = call.called();
        if let Some(known) = origins.functions(pointer) {
            let mut known: Vec<_> = known.into_iter().collect();
            known.sort_by_key(|function| function.name());
            return Ok(Targets::These(known));
        }
        let slot = origins.slot(pointer);
        if slot == Some(0) {
            return Ok(Targets::These(self.destructors()));
        }
        let names = self.program.targets()?.of_call(&call.called_type().text(), slot);
        if names.len() > MOST {
            return Ok(Targets::TooMany(names.len()));
        }
        let found: Vec<_> = names.into_iter().filter_map(|name| self.find(name, call)).collect();
        Ok(if found.is_empty() { Targets::Unknown } else { Targets::These(found) })
    }

    /// The destructors of what may have become a trait object in here. Those of the whole program
    /// would be too many, and what is dropped inside was mostly made inside.
    fn destructors(&self) -> Vec<Function<'c>> {
        let globals = self.module.globals().filter(|global| !global.is_declaration());
        let destructors = globals.flat_map(functions_in).filter(|(slot, _)| *slot == Some(0));
        let mut destructors: Vec<_> = destructors.map(|(_, function)| function).collect();
        destructors.sort_by_key(|function| function.name());
        destructors.dedup();
        destructors
    }

    /// A function that can be called by name. Its body is asked for if it is not here yet.
    fn find(&mut self, name: &str, call: Instruction<'c>) -> Option<Function<'c>> {
        let function = self.module.function(name).or_else(|| allocator::renamed(self.module, name));
        if let Some(function) = function.filter(|function| !function.is_declaration()) {
            return Some(function);
        }
        if self.program.index.find(name).is_some() {
            if !self.candidates.contain(name) {
                self.wants.insert(name.to_owned());
            }
            return None;
        }
        libm::has_rule(name).then(|| self.module.declare(name, call.called_type()))
    }
}

fn is_indirect(call: Instruction<'_>) -> bool {
    let formats = || {
        let name = symbol::demangle(&call.block().function().name());
        ["core::fmt::", "<core::fmt::", "alloc::fmt::", "std::io::"].iter().any(|own| name.starts_with(own))
    };
    call.is_call() && call.callee().is_none() && !call.is_inline_asm() && !formats()
}
