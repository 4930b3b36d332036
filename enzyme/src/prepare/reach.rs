//! What is reached from the functions that are differentiated, by calls that do not only panic.

use std::collections::HashSet;

use super::region;
use crate::llvm::{Block, Function, Instruction};
use crate::targets::addresses;

/// Functions that are reached, one after the other.
pub(super) struct Reached<'c> {
    seen: HashSet<Function<'c>>,
    pending: Vec<Function<'c>>,
}

impl<'c> Reached<'c> {
    pub(super) fn from(starts: impl Iterator<Item = Function<'c>>) -> Self {
        let mut reached = Reached { seen: HashSet::new(), pending: Vec::new() };
        starts.for_each(|start| reached.add(start));
        reached
    }

    pub(super) fn add(&mut self, function: Function<'c>) {
        if !function.is_declaration() && self.seen.insert(function) {
            self.pending.push(function);
        }
    }

    /// The next one. What it calls will follow.
    pub(super) fn next(&mut self) -> Option<Function<'c>> {
        let function = self.pending.pop()?;
        for call in live(function).into_iter().filter(|it| it.is_call()) {
            if let Some(callee) = call.callee() {
                self.add(callee);
                if callee.is_declaration() {
                    // What Enzyme is asked to differentiate, say.
                    for function in addresses(call) {
                        self.add(function);
                    }
                }
            }
        }
        Some(function)
    }
}

/// The instructions of a function that are not on the way to a panic.
pub(super) fn live(function: Function<'_>) -> Vec<Instruction<'_>> {
    let doomed = region::doomed(function);
    let blocks = function.blocks().filter(|block| !doomed.contains(block));
    blocks.flat_map(Block::instructions).collect()
}
