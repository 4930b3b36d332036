//! Landing pads. Enzyme knows no exceptions, so calls that may unwind become plain calls. That is
//! all where unwinding would only have freed memory: a panic then leaks it. Where destructors do
//! more, see [`cleanup`](super::cleanup). A closure that catches panics is refused.

use std::collections::{HashMap, HashSet};

use super::{custom, region};
use crate::class::Class;
use crate::error::Error;
use crate::llvm::{
    Block, Builder, Context, Function, Instruction, Machine, Module, Opcode, Vectorize, run_passes,
};
use crate::reason::Reason;
use crate::symbol;

/// Turns each `invoke` into a `call`, but those in which a panic must run destructors; whether there
/// are any.
pub(super) fn lower<'c>(context: &'c Context, module: &Module<'c>, machine: &Machine) -> Result<bool, Error> {
    let kept = kept(module);
    if kept.is_empty() && !module.functions().any(custom::is_own) {
        run_passes(context, module, machine, "function(lower-invoke,simplifycfg)", Vectorize::No)
            .map_err(Error::stage("lowering landing pads"))?;
        return Ok(false);
    }
    for invoke in invokes(module) {
        if !kept.contains(&invoke) {
            to_call(context, invoke);
        }
    }
    for pad in kept.iter().map(|invoke| invoke.unwind_destination()).collect::<HashSet<_>>() {
        forget_frees(pad);
    }
    Ok(!kept.is_empty())
}

/// Finds panics that are caught.
pub(super) fn check(module: &Module<'_>) -> Option<Reason> {
    invokes(module).into_iter().find_map(|invoke| {
        let pad = invoke.unwind_destination();
        let lands = pad.instructions().find(|it| it.opcode() == Opcode::LandingPad)?;
        // Pads that end the program are for panics within panics.
        let catches = !lands.only_cleans_up() && !region::doomed(pad.function()).contains(&pad);
        catches.then(|| Reason::at(Class::Catches, invoke))
    })
}

/// All calls with a landing pad.
pub(super) fn invokes<'c>(module: &Module<'c>) -> Vec<Instruction<'c>> {
    let functions = module.functions().filter(|function| !custom::is_own(*function));
    functions.flat_map(Function::instructions).filter(|it| it.opcode() == Opcode::Invoke).collect()
}

/// Replaces an `invoke` by a `call` and a branch; returns both.
pub(super) fn to_call<'c>(
    context: &'c Context,
    invoke: Instruction<'c>,
) -> (Instruction<'c>, Instruction<'c>) {
    let (from, pad) = (invoke.block(), invoke.unwind_destination());
    let builder = Builder::before(context, invoke);
    let call = builder.call_as(invoke);
    builder.branch(invoke.normal_destination());
    invoke.replace_uses(call.value());
    invoke.erase();
    forget_edge(context, from, pad);
    (call, from.terminator().expect("the branch"))
}

/// Ends a block that the call before the branch never leaves.
pub(super) fn end_after_call<'c>(context: &'c Context, branch: Instruction<'c>) {
    let (from, to) = (branch.block(), branch.successors());
    Builder::before(context, branch).unreachable();
    branch.erase();
    for to in to {
        forget_edge(context, from, to);
    }
}

/// Takes what comes from `from` out of the phis of `to`.
fn forget_edge<'c>(context: &'c Context, from: Block<'c>, to: Block<'c>) {
    let phis: Vec<_> = to.instructions().take_while(|it| it.opcode() == Opcode::Phi).collect();
    for phi in phis {
        forget_incoming(context, phi, |block| block == from);
    }
}

/// Replaces a phi by one without what comes from some blocks.
pub(super) fn forget_incoming<'c>(
    context: &'c Context,
    phi: Instruction<'c>,
    gone: impl Fn(Block<'c>) -> bool,
) {
    let incoming = phi.incoming();
    if !incoming.iter().any(|(_, block)| gone(*block)) {
        return;
    }
    let rest = Builder::before(context, phi).phi(phi.ty());
    for (value, block) in incoming.into_iter().filter(|(_, block)| !gone(*block)) {
        rest.add_incoming(value, block);
    }
    phi.replace_uses(rest.value());
    phi.erase();
}

/// The calls in which a panic must run destructors that do more than free memory.
fn kept<'c>(module: &Module<'c>) -> HashSet<Instruction<'c>> {
    let mut destructors = Destructors::default();
    let functions = module.functions().filter(|function| !custom::is_own(*function));
    functions
        .flat_map(|function| {
            let doomed = region::doomed(function);
            let invokes = function.instructions().filter(|it| it.opcode() == Opcode::Invoke);
            invokes.filter(|it| !doomed.contains(&it.unwind_destination())).collect::<Vec<_>>()
        })
        .filter(|invoke| {
            let mut blocks = reachable(invoke.unwind_destination()).into_iter();
            blocks.any(|block| destructors.in_block(block) || changes_shared(block))
        })
        .collect()
}

/// A block and all that may follow it.
pub(super) fn reachable(start: Block<'_>) -> HashSet<Block<'_>> {
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

/// Whether a block changes an atomic integer: in the standard library, whose code comes optimised,
/// that is what is left of a destructor.
fn changes_shared(block: Block<'_>) -> bool {
    block.instructions().any(|it| {
        matches!(it.opcode(), Opcode::AtomicRmw | Opcode::CompareExchange) && !is_local(it.operand(0))
    })
}

/// Takes calls that only free memory out of a landing pad and what follows.
fn forget_frees(pad: Block<'_>) {
    let instructions: Vec<_> = reachable(pad).into_iter().flat_map(Block::instructions).collect();
    for call in instructions.into_iter().filter(|it| it.opcode() == Opcode::Call) {
        let frees = call.callee().is_some_and(|callee| {
            let free = symbol::allocator(&callee.name()) == Some("__rust_dealloc");
            free || !callee.is_intrinsic() && only_frees(callee)
        });
        if frees && call.ty().is_void() {
            call.erase();
        }
    }
}

/// Functions, and whether they may run destructors that do more than free memory.
#[derive(Default)]
struct Destructors<'c>(HashMap<Function<'c>, bool>);

impl<'c> Destructors<'c> {
    fn in_block(&mut self, block: Block<'c>) -> bool {
        block.instructions().filter_map(Instruction::callee).any(|callee| self.of(callee))
    }

    fn of(&mut self, function: Function<'c>) -> bool {
        if let Some(known) = self.0.get(&function) {
            return *known;
        }
        // A recursive destructor adds nothing of its own.
        self.0.insert(function, false);
        let found = symbol::is_destructor(&function.name()) && !only_frees(function)
            || function.blocks().any(|block| self.in_block(block));
        self.0.insert(function, found);
        found
    }
}

/// Whether all that a function does is to give memory back.
fn only_frees(function: Function<'_>) -> bool {
    !function.is_declaration()
        && function.instructions().all(|instruction| match instruction.opcode() {
            Opcode::Store | Opcode::AtomicRmw | Opcode::CompareExchange => {
                is_local(instruction.operand(u32::from(instruction.opcode() == Opcode::Store)))
            }
            Opcode::Call | Opcode::Invoke => instruction.callee().is_some_and(|callee| {
                let name = callee.name();
                callee.is_intrinsic()
                    || symbol::allocator(&name) == Some("__rust_dealloc")
                    || region::never_returns(instruction)
                    || (!symbol::is_destructor(&name) && only_frees(callee))
            }),
            _ => true,
        })
}

/// Whether a pointer is to a stack slot.
fn is_local(pointer: crate::llvm::Value<'_>) -> bool {
    pointer.as_instruction().is_some_and(|it| match it.opcode() {
        Opcode::Alloca => true,
        Opcode::GetElementPtr => is_local(it.operand(0)),
        _ => false,
    })
}
