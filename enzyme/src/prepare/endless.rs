//! Loops that do nothing and have no way out. Enzyme makes some where it differentiates its own
//! derivatives and the way out was a check that it took for impossible.

use crate::class::Class;
use crate::llvm::{Block, Function, Module, Opcode};
use crate::reason::Reason;

/// Finds a block that only leads to itself.
pub(super) fn check(module: &Module<'_>) -> Option<Reason> {
    module.functions().flat_map(Function::blocks).any(is_endless).then(|| Reason::new(Class::Endless))
}

fn is_endless(block: Block<'_>) -> bool {
    block.instructions().next().is_some_and(|first| {
        first.opcode() == Opcode::Branch && first.condition().is_none() && first.successors() == [block]
    })
}
