//! Loops that are left together with a loop around them: by `return`, by `break` to a label, or because a loop goes on in
//! two ways (`continue`), of which LLVM makes two loops. Enzyme keeps what the inner loop computes for each turn of the
//! outer one, and looks for it at the wrong turn where both are left at once. And it takes an outer loop that is left
//! from an inner one only for one that is never left. So each loop is left by itself: all ways out lead to one block,
//! which is still in the outer loop, and part there.

use std::collections::HashSet;

use super::edges::between;
use super::loops::{self, Loop};
use super::{outlined, state};
use crate::error::Error;
use crate::llvm::{
    Block, Builder, Context, Function, Instruction, Machine, Module, Opcode, Value, Vectorize, run_passes,
};

/// The name of the function through which goes what way was taken. If the optimiser saw that, it would have
/// each way lead where it led before.
const NAME: &str = "way";

/// Has each edge leave one loop at most.
pub(super) fn one_by_one<'c>(
    context: &'c Context,
    module: &Module<'c>,
    machine: &Machine,
) -> Result<(), Error> {
    let concerned = |function: &Function<'c>| leaves_several(&loops::of(*function)).is_some();
    let functions: Vec<_> =
        module.functions().filter(|it| !it.is_declaration() && !state::is_native(*it)).collect();
    if !functions.iter().any(concerned) {
        return Ok(());
    }
    // What is computed in a loop and used outside now goes through the blocks that the loop is left to.
    run_passes(context, module, machine, "function(loop-simplify,lcssa)", Vectorize::No)
        .map_err(Error::stage("finding the ways out of loops"))?;
    for function in functions {
        // There are fewer loops than blocks.
        let most = function.blocks().count();
        for ways_out in (0..most).map_while(|_| leaves_several(&loops::of(function))) {
            join(context, module, function, &ways_out);
        }
    }
    Ok(())
}

/// Shows the ways again.
pub(super) fn show(module: &Module<'_>) {
    outlined::reveal(module, NAME);
}

/// Whether the ways out of an inner loop part at the end of a block.
pub(super) fn part_at(block: Block<'_>) -> bool {
    let condition = block.terminator().and_then(Instruction::condition).and_then(Value::as_instruction);
    let called = condition.filter(|it| it.is_call()).and_then(Instruction::callee);
    called.is_some_and(|called| outlined::plain_name(&called.name()) == Some(NAME))
}

/// The edges out of the innermost loop of which one leaves a loop around it as well.
fn leaves_several<'c>(loops: &[Loop<'c>]) -> Option<Vec<(Block<'c>, Block<'c>)>> {
    let concerned = loops.iter().filter(|inner| {
        let around = loops
            .iter()
            .filter(|outer| outer.blocks.len() > inner.blocks.len() && inner.blocks.is_subset(&outer.blocks));
        let leaving = inner.ways_out();
        let leads_out_of = |outer: &Loop<'c>| leaving.iter().any(|(_, to)| !outer.blocks.contains(to));
        // Else nothing would keep the joined way in the outer loop.
        let goes_on_in = |outer: &Loop<'c>| leaving.iter().any(|(_, to)| outer.blocks.contains(to));
        around.into_iter().any(|outer| leads_out_of(outer) && goes_on_in(outer))
    });
    concerned.min_by_key(|inner| inner.blocks.len()).map(Loop::ways_out)
}

/// Leads edges through one block, behind which they part again, one after the other.
fn join<'c>(
    context: &'c Context,
    module: &Module<'c>,
    function: Function<'c>,
    edges: &[(Block<'c>, Block<'c>)],
) {
    let mut seen = HashSet::new();
    let targets: Vec<Block<'c>> = edges.iter().map(|(_, to)| *to).filter(|to| seen.insert(*to)).collect();
    let [first @ .., last] = &targets[..] else { return };
    let ways: Vec<(Block<'c>, Block<'c>)> =
        edges.iter().map(|(from, to)| (between(context, *from, *to), *to)).collect();
    let parting: Vec<Block<'c>> = first.iter().map(|_| function.append_block(context, c"left")).collect();
    let joined = parting[0];
    let merged: Vec<_> = targets
        .iter()
        .flat_map(|target| phis(*target))
        .map(|phi| (phi, merge(context, joined, phi, &ways)))
        .collect();
    for (phi, value) in merged {
        let index = targets.iter().position(|target| *target == phi.block()).unwrap_or_default();
        lead(context, phi, value, parting[index.min(parting.len() - 1)], &ways);
    }
    let flag = context.int(1);
    let hiding = outlined::hiding(context, module, NAME, flag);
    let chosen: Vec<_> = first.iter().map(|target| choice(context, joined, *target, &ways)).collect();
    for (index, (target, chosen)) in first.iter().zip(chosen).enumerate() {
        let builder = Builder::at_end(context, parting[index]);
        let chosen = builder.call(hiding, &[chosen.value()]).value();
        builder.branch_if(chosen, *target, *parting.get(index + 1).unwrap_or(last));
    }
    for (block, _) in &ways {
        if let Some(branch) = block.terminator() {
            branch.set_successor(0, joined);
        }
    }
}

/// Whether one of the ways to `target` was taken.
fn choice<'c>(
    context: &'c Context,
    joined: Block<'c>,
    target: Block<'c>,
    ways: &[(Block<'c>, Block<'c>)],
) -> Instruction<'c> {
    let flag = context.int(1);
    let chosen = Builder::at_end(context, joined).phi(flag);
    for (block, to) in ways {
        chosen.add_incoming(flag.constant(u64::from(*to == target)), *block);
    }
    chosen
}

fn phis(block: Block<'_>) -> Vec<Instruction<'_>> {
    block.instructions().take_while(|it| it.opcode() == Opcode::Phi).collect()
}

/// What a phi has for the ways that lead to it, in the block that joins all. For the others, it is not left open: the
/// optimiser would fill in what the former have.
fn merge<'c>(
    context: &'c Context,
    joined: Block<'c>,
    phi: Instruction<'c>,
    ways: &[(Block<'c>, Block<'c>)],
) -> Instruction<'c> {
    let merged = Builder::at_end(context, joined).phi(phi.ty());
    let incoming = phi.incoming();
    for (block, _) in ways {
        let value = incoming.iter().find(|(_, from)| from == block).map(|(value, _)| *value);
        merged.add_incoming(value.unwrap_or_else(|| phi.ty().null()), *block);
    }
    merged
}

/// Has a phi take for all the ways what was merged.
fn lead<'c>(
    context: &'c Context,
    phi: Instruction<'c>,
    merged: Instruction<'c>,
    from: Block<'c>,
    ways: &[(Block<'c>, Block<'c>)],
) {
    let new = Builder::before(context, phi).phi(phi.ty());
    new.add_incoming(merged.value(), from);
    for (value, other) in phi.incoming() {
        if ways.iter().all(|(block, _)| *block != other) {
            new.add_incoming(value, other);
        }
    }
    phi.replace_uses(new.value());
    phi.erase();
}
