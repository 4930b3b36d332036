//! Landing pads. Enzyme knows no exceptions, so calls that may unwind become plain calls. That is
//! right where unwinding would only have freed memory: a panic then leaks it. A closure that
//! catches panics, or whose destructors do more, is refused.

use std::collections::{HashMap, HashSet};

use super::region;
use crate::class::Class;
use crate::error::Error;
use crate::llvm::{Block, Context, Function, Instruction, Machine, Module, Opcode, Vectorize, run_passes};
use crate::reason::Reason;
use crate::symbol;

/// Turns every `invoke` into a `call` and drops the landing pads.
pub(super) fn lower(context: &Context, module: &Module<'_>, machine: &Machine) -> Result<(), Error> {
    run_passes(context, module, machine, "function(lower-invoke,simplifycfg)", Vectorize::No)
        .map_err(Error::stage("lowering landing pads"))
}

/// What a panic that passes through must not skip.
pub(super) fn check(module: &Module<'_>) -> Option<Reason> {
    let mut destructors = Destructors::default();
    for function in module.functions().filter(|function| !function.is_declaration()) {
        let doomed = region::doomed(function);
        for invoke in function.instructions().filter(|it| it.opcode() == Opcode::Invoke) {
            let pad = invoke.unwind_destination();
            // Pads that end the program are for panics within panics.
            if doomed.contains(&pad) {
                continue;
            }
            let lands = pad.instructions().find(|it| it.opcode() == Opcode::LandingPad);
            if lands.is_some_and(|lands| !lands.only_cleans_up()) {
                return Some(Reason::at(Class::Catches, invoke));
            }
            let destructor = reachable(pad).into_iter().find_map(|block| destructors.in_block(block));
            if let Some(destructor) = destructor {
                return Some(skipped(invoke, &destructor));
            }
        }
    }
    None
}

/// The reason that a destructor does not run when a panic comes out of a call.
fn skipped(call: Instruction<'_>, destructor: &str) -> Reason {
    let prints = symbol::demangle(&call.block().function().name()).starts_with("std::io::stdio::");
    if prints {
        Reason::at(Class::Prints, call)
    } else {
        Reason::at(Class::Cleanup, call).about(symbol::without_paths(destructor))
    }
}

/// A block and all that may follow it.
fn reachable(start: Block<'_>) -> HashSet<Block<'_>> {
    let mut seen = HashSet::from([start]);
    let mut pending = vec![start];
    while let Some(block) = pending.pop() {
        for next in block.terminator().map(Instruction::successors).unwrap_or_default() {
            if seen.insert(next) {
                pending.push(next);
            }
        }
    }
    seen
}

/// Destructors that do more than free memory, by the functions that may run them.
#[derive(Default)]
struct Destructors<'c>(HashMap<Function<'c>, Option<String>>);

impl<'c> Destructors<'c> {
    fn in_block(&mut self, block: Block<'c>) -> Option<String> {
        block.instructions().filter_map(Instruction::callee).find_map(|callee| self.of(callee))
    }

    fn of(&mut self, function: Function<'c>) -> Option<String> {
        if let Some(known) = self.0.get(&function) {
            return known.clone();
        }
        // A recursive destructor adds nothing of its own.
        self.0.insert(function, None);
        let name = function.name();
        let found = symbol::destructor(&name)
            .filter(|_| !only_frees(function))
            .or_else(|| function.blocks().find_map(|block| self.in_block(block)));
        self.0.insert(function, found.clone());
        found
    }
}

/// Whether all that a function does is to give memory back.
fn only_frees(function: Function<'_>) -> bool {
    !function.is_declaration()
        && function.instructions().all(|instruction| match instruction.opcode() {
            Opcode::Store | Opcode::AtomicRmw | Opcode::CompareExchange => {
                local(instruction.operand(u32::from(instruction.opcode() == Opcode::Store)))
            }
            Opcode::Call | Opcode::Invoke => instruction.callee().is_some_and(|callee| {
                let name = callee.name();
                callee.is_intrinsic()
                    || symbol::allocator(&name) == Some("__rust_dealloc")
                    || region::never_returns(instruction)
                    || (symbol::destructor(&name).is_none() && only_frees(callee))
            }),
            _ => true,
        })
}

/// Whether a pointer is to a stack slot.
fn local(pointer: crate::llvm::Value<'_>) -> bool {
    pointer.as_instruction().is_some_and(|it| match it.opcode() {
        Opcode::Alloca => true,
        Opcode::GetElementPtr => local(it.operand(0)),
        _ => false,
    })
}
