//! Values that leave loops which have loops inside and are left in several ways, or as an inner one is. Where code
//! behind such a loop needs one of them in the reverse sweep, Enzyme computes it again, and asks how often the inner
//! loop has turned in the last turn of the outer one before it knows which that was. So they leave through memory of
//! their own: what is read there is as it was.

use std::collections::HashSet;

use indexmap::IndexSet;

use super::dependence::Dependence;
use super::edges::between;
use super::flow::Flow;
use super::loops::{self, Loop};
use super::{leaving, outlined, state};
use crate::error::Error;
use crate::llvm::{
    Block, Builder, Context, Function, Instruction, Machine, Module, Opcode, Value, Vectorize, run_passes,
};

/// The name of the function that may change such memory, as far as the optimiser knows: else it would not be asked.
const NAME: &str = "crossed";

/// Has values cross the ends of such loops through memory.
pub(super) fn through_memory<'c>(
    context: &'c Context,
    module: &Module<'c>,
    machine: &Machine,
) -> Result<(), Error> {
    let functions = module.functions().filter(|it| !it.is_declaration() && !state::is_native(*it));
    let functions: Vec<_> = functions.filter(|it| !ends(*it).is_empty()).collect();
    if functions.is_empty() {
        return Ok(());
    }
    // What is computed in a loop and used outside now goes through the blocks that the loop is left to.
    run_passes(context, module, machine, "function(loop-simplify,lcssa)", Vectorize::No)
        .map_err(Error::stage("finding the ways out of loops"))?;
    let crossed = outlined::changing(context, module, NAME);
    for function in functions {
        for block in ends(function) {
            cross(context, function, block, crossed);
        }
    }
    Ok(())
}

/// Whether a function is the one that changes nothing.
pub(super) fn is_one(function: Function<'_>) -> bool {
    outlined::plain_name(&function.name()) == Some(NAME)
}

/// Tells Enzyme which integers that cross have no derivatives: in memory that might have changed, it cannot know.
pub(super) fn mark_inactive<'c>(
    context: &'c Context,
    module: &Module<'c>,
    flow: &mut Flow<'c>,
    dependence: &Dependence<'c>,
) {
    let inactive = context.metadata_kind("enzyme_inactive_val");
    for call in calls(module) {
        let slot = call.arguments()[0];
        if dependence.of_all_behind(slot, flow) {
            continue;
        }
        let loads = slot.users().into_iter().filter_map(Value::as_instruction);
        for load in loads.filter(|it| it.opcode() == Opcode::Load && it.ty().int_bits().is_some()) {
            load.set_metadata(inactive, Some(context.metadata_node(&[])));
        }
    }
}

/// Lets the optimiser know.
pub(super) fn settle(module: &Module<'_>) {
    calls(module).into_iter().for_each(Instruction::erase);
}

fn calls<'c>(module: &Module<'c>) -> Vec<Instruction<'c>> {
    let users = outlined::find(module, NAME).map(|function| function.users()).unwrap_or_default();
    users.into_iter().filter_map(Value::as_instruction).collect()
}

/// The blocks that loops with loops inside are left to, of those that are left in several ways or as an inner one is.
fn ends(function: Function<'_>) -> Vec<Block<'_>> {
    let loops = loops::of(function);
    let has_inner = |outer: &Loop<'_>| {
        loops
            .iter()
            .any(|inner| inner.blocks.len() < outer.blocks.len() && inner.blocks.is_subset(&outer.blocks))
    };
    let mut ends = IndexSet::new();
    for outer in loops.iter().filter(|outer| has_inner(outer)) {
        let ways = outer.ways_out();
        if ways.len() > 1 || ways.iter().any(|(from, _)| leaving::part_at(*from)) {
            ends.extend(ways.into_iter().map(|(_, to)| to));
        }
    }
    ends.into_iter().collect()
}

/// Has what a block takes from those before go through memory.
fn cross<'c>(context: &'c Context, function: Function<'c>, block: Block<'c>, crossed: Function<'c>) {
    let phis = |block: Block<'c>| block.instructions().take_while(|it| it.opcode() == Opcode::Phi);
    let Some(start) = function.entry().and_then(|entry| entry.instructions().next()) else { return };
    if phis(block).next().is_none() {
        return;
    }
    let mut seen = HashSet::new();
    for source in block.predecessors().into_iter().filter(|source| seen.insert(*source)) {
        between(context, source, block);
    }
    let Some(first) = block.instructions().find(|it| it.opcode() != Opcode::Phi) else { return };
    for phi in phis(block).collect::<Vec<_>>() {
        let slot = Builder::before(context, start).slot(phi.ty());
        for (value, from) in phi.incoming() {
            if let Some(end) = from.terminator() {
                Builder::before(context, end).store(value, slot);
            }
        }
        let builder = Builder::before(context, first);
        builder.call(crossed, &[slot]);
        let value = builder.load(phi.ty(), slot);
        phi.replace_uses(value);
        phi.erase();
    }
}
