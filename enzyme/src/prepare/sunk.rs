//! Stores to one of several places: LLVM makes one of those that stand on several ways, and the standard library's
//! bitcode comes with them. Once a function is inlined, the places are local variables, which stay in memory because of
//! such a store, and what they are for is out of sight. (`llvm::run_passes` has no more of them made.)

use std::collections::HashSet;

use super::edges::between;
use super::state;
use crate::llvm::{Block, Builder, Context, Function, Instruction, Module, Opcode, Value};

/// Puts such stores back on each way.
pub(super) fn raise<'c>(context: &'c Context, module: &Module<'c>) {
    let functions = module.functions().filter(|it| !it.is_declaration() && !state::is_native(*it));
    for block in functions.flat_map(Function::blocks).collect::<Vec<_>>() {
        while let Some((store, ways)) = ways_of(block) {
            for Way { from, value, place } in ways {
                let end = match from.terminator() {
                    Some(end) if end.successors().len() == 1 => Some(end),
                    _ => between(context, from, block).terminator(),
                };
                let Some(end) = end else { continue };
                let raised = Builder::before(context, end).copy_of(store);
                raised.set_operand(0, value);
                raised.set_operand(1, place);
            }
            store.erase();
        }
    }
}

/// What is stored, and where, on the way from a block.
struct Way<'c> {
    from: Block<'c>,
    value: Value<'c>,
    place: Value<'c>,
}

/// The first thing that a block does, if it is such a store.
fn ways_of(block: Block<'_>) -> Option<(Instruction<'_>, Vec<Way<'_>>)> {
    let store = block.instructions().find(|it| it.opcode() != Opcode::Phi)?;
    if store.opcode() != Opcode::Store || !store.is_simple_access() {
        return None;
    }
    let places = phi_of(store.operand(1), block)?.incoming();
    if !places.iter().all(|(place, _)| is_fixed(*place)) {
        return None;
    }
    let values = phi_of(store.operand(0), block).map(Instruction::incoming);
    let value_from = |from: Block<'_>| {
        let found = values.iter().flatten().find(|(_, block)| *block == from);
        found.map_or(store.operand(0), |(value, _)| *value)
    };
    let mut seen = HashSet::new();
    let ways = places.into_iter().filter(|(_, from)| seen.insert(*from));
    Some((store, ways.map(|(place, from)| Way { from, value: value_from(from), place }).collect()))
}

fn phi_of<'c>(value: Value<'c>, block: Block<'c>) -> Option<Instruction<'c>> {
    value.as_instruction().filter(|it| it.opcode() == Opcode::Phi && it.block() == block)
}

/// Whether an address is the same all the time, and is not null: in a local variable, or behind an argument.
fn is_fixed(place: Value<'_>) -> bool {
    match place.as_instruction() {
        None => place.parameter_of().is_some(),
        Some(it) if it.opcode() == Opcode::Alloca => true,
        Some(it) => {
            it.opcode() == Opcode::GetElementPtr
                && it.operands().skip(1).all(Value::is_constant)
                && is_fixed(it.operand(0))
        }
    }
}
