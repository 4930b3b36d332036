//! Stores into one of several stack slots. LLVM merges stores at the ends of two branches into one
//! behind them, to an address that depends on the branch taken; the slots then have to stay in
//! memory. The standard library's code has it where vectors free their memory: how it is aligned,
//! a constant, is lost that way.

use crate::llvm::{Block, Builder, Context, Function, Instruction, Module, Opcode, Value};

/// Puts such stores back into the branches.
pub(super) fn separate<'c>(context: &'c Context, module: &Module<'c>) {
    let functions = module.functions().filter(|function| !function.is_declaration());
    let merged: Vec<_> = functions.flat_map(Function::instructions).filter_map(merged).collect();
    for (store, choice) in merged {
        let value = store.operand(0);
        for (slot, from) in choice.incoming() {
            let Some(end) = from.terminator() else { continue };
            let value = incoming(value, store).into_iter().find(|(_, block)| *block == from);
            let value = value.map_or(store.operand(0), |(value, _)| value);
            Builder::before(context, end).store(value, slot).set_alignment(store.alignment());
        }
        store.erase();
    }
}

/// A store that is first in its block, and the choice of slots it goes to.
fn merged(store: Instruction<'_>) -> Option<(Instruction<'_>, Instruction<'_>)> {
    let is_slot = |value: Value<'_>| value.as_instruction().is_some_and(|it| it.opcode() == Opcode::Alloca);
    let plain = store.opcode() == Opcode::Store && store.is_simple_access();
    let choice = plain.then(|| store.operand(1).as_instruction()).flatten()?;
    let first = store.block().instructions().find(|it| it.opcode() != Opcode::Phi);
    let here = choice.opcode() == Opcode::Phi && choice.block() == store.block();
    // What an invoke returns is not known before it.
    let ends = |block: Block<'_>| {
        block.terminator().is_some_and(|end| end.opcode() != Opcode::Invoke && end.successors().len() == 1)
    };
    let slots = || choice.incoming().into_iter().all(|(slot, from)| is_slot(slot) && ends(from));
    // A value made elsewhere is known at the end of each branch as well.
    (here && first == Some(store) && slots()).then_some((store, choice))
}

/// What a value is at the end of each branch into the block of `user`, if that makes a difference.
fn incoming<'c>(value: Value<'c>, user: Instruction<'c>) -> Vec<(Value<'c>, Block<'c>)> {
    let phi = value.as_instruction().filter(|it| it.opcode() == Opcode::Phi && it.block() == user.block());
    phi.map(Instruction::incoming).unwrap_or_default()
}
