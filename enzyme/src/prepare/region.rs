//! Regions of blocks that cannot but panic.

use std::collections::{HashMap, HashSet};

use crate::llvm::{Block, Builder, Context, Function, Instruction, Opcode, Place, Value};

/// The blocks of a function from which every way ends in a call that never returns.
pub(super) fn doomed(function: Function<'_>) -> HashSet<Block<'_>> {
    let mut doomed: HashSet<Block<'_>> = function.blocks().filter(|block| panics(*block)).collect();
    loop {
        let more: Vec<_> = function
            .blocks()
            .filter(|block| !doomed.contains(block))
            .filter(|block| {
                let successors = block.terminator().map(Instruction::successors).unwrap_or_default();
                !successors.is_empty() && successors.iter().all(|next| doomed.contains(next))
            })
            .collect();
        if more.is_empty() {
            return doomed;
        }
        doomed.extend(more);
    }
}

/// Whether a block ends in a call that never returns.
fn panics(block: Block<'_>) -> bool {
    block.terminator().is_some_and(|last| last.opcode() == Opcode::Unreachable)
        && block.instructions().any(never_returns)
}

/// Whether an instruction is a call that never returns.
pub(super) fn never_returns(call: Instruction<'_>) -> bool {
    call.callee().is_some_and(|callee| callee.has_attribute(Place::Function, "noreturn"))
        || call.is_call() && call.has_call_attribute(Place::Function, "noreturn")
}

/// Whether an instruction says where the life of a stack slot begins or ends, which only the
/// function with the slot may say.
fn marks_lifetime(instruction: Instruction<'_>) -> bool {
    instruction.callee().is_some_and(|callee| callee.name().starts_with("llvm.lifetime."))
}

/// The edges from the rest of a function into its doomed blocks: terminator, number of the
/// successor, block.
pub(super) fn edges_into<'c>(
    function: Function<'c>,
    doomed: &HashSet<Block<'c>>,
) -> Vec<(Instruction<'c>, u32, Block<'c>)> {
    let alive = function.blocks().filter(|block| !doomed.contains(block));
    alive
        .filter_map(Block::terminator)
        .flat_map(|last| {
            let successors = last.successors().into_iter().enumerate();
            successors.map(move |(index, to)| (last, index as u32, to))
        })
        .filter(|(_, _, to)| doomed.contains(to))
        .collect()
}

/// What one edge leads to.
pub(super) struct Region<'c> {
    /// The block that the edge comes from.
    from: Block<'c>,
    /// The blocks, the entered one first.
    blocks: Vec<Block<'c>>,
    /// Stack slots that only the region uses.
    pub(super) slots: Vec<Instruction<'c>>,
    /// Values from outside that it needs.
    pub(super) inputs: Vec<Value<'c>>,
}

impl<'c> Region<'c> {
    pub(super) fn new(from: Block<'c>, entry: Block<'c>) -> Self {
        let mut blocks = vec![entry];
        let mut next = 0;
        while let Some(block) = blocks.get(next) {
            next += 1;
            for successor in block.terminator().map(Instruction::successors).unwrap_or_default() {
                if !blocks.contains(&successor) {
                    blocks.push(successor);
                }
            }
        }
        let mut region = Region { from, blocks, slots: Vec::new(), inputs: Vec::new() };
        for instruction in region.instructions() {
            for operand in region.operands(instruction) {
                region.need(operand);
            }
        }
        region
    }

    fn instructions(&self) -> Vec<Instruction<'c>> {
        self.blocks.iter().flat_map(|block| block.instructions()).filter(|it| !marks_lifetime(*it)).collect()
    }

    /// The operands of an instruction, of a phi at the entry only what comes along the edge.
    fn operands(&self, instruction: Instruction<'c>) -> Vec<Value<'c>> {
        if instruction.opcode() == Opcode::Phi {
            let from_here = |block: &Block<'c>| *block == self.from || self.blocks.contains(block);
            let incoming = instruction.incoming().into_iter();
            return incoming.filter(|(_, block)| from_here(block)).map(|(value, _)| value).collect();
        }
        instruction.operands().collect()
    }

    fn need(&mut self, value: Value<'c>) {
        let inside =
            |user: Value<'c>| user.as_instruction().is_some_and(|user| self.blocks.contains(&user.block()));
        let known = value.is_constant() || value.is_block() || value.is_metadata() || inside(value);
        if known || self.inputs.contains(&value) {
            return;
        }
        if let Some(slot) =
            value.as_instruction().filter(|instruction| instruction.opcode() == Opcode::Alloca)
            && slot.users().into_iter().all(inside)
        {
            if !self.slots.contains(&slot) {
                self.slots.push(slot);
            }
        } else {
            self.inputs.push(value);
        }
    }

    /// Copies the region into another function, stack slots into its block `entry`. `map` says what
    /// the inputs are there, and may say it of slots. Returns the copy of the entered block.
    pub(super) fn copy_into(
        &self,
        context: &'c Context,
        function: Function<'c>,
        entry: Block<'c>,
        mut map: HashMap<Value<'c>, Value<'c>>,
    ) -> Block<'c> {
        for slot in &self.slots {
            map.entry(slot.value()).or_insert_with(|| Builder::at_end(context, entry).copy_of(*slot).value());
        }
        let copies: Vec<_> = self.blocks.iter().map(|_| function.append_block(context, c"panic")).collect();
        for (block, copy) in self.blocks.iter().zip(&copies) {
            map.insert(block.as_value(), copy.as_value());
        }
        let mut done = Vec::new();
        for (block, copy) in self.blocks.iter().zip(&copies) {
            let builder = Builder::at_end(context, *copy);
            for instruction in block.instructions().filter(|it| !marks_lifetime(*it)) {
                if instruction.opcode() == Opcode::Phi && *block == self.blocks[0] {
                    // Entered along one edge only.
                    let value = self.operands(instruction)[0];
                    let value = map.get(&value).copied().unwrap_or(value);
                    map.insert(instruction.value(), value);
                } else if instruction.opcode() == Opcode::Phi {
                    let phi = builder.phi(instruction.ty());
                    map.insert(instruction.value(), phi.value());
                    done.push((instruction, phi));
                } else if instruction.opcode() == Opcode::LandingPad {
                    // Nothing lands in a copy, nor does a panic go on from there.
                    map.insert(instruction.value(), instruction.ty().poison());
                } else if instruction.opcode() == Opcode::Resume {
                    builder.return_void();
                } else {
                    let copy = builder.copy_of(instruction);
                    map.insert(instruction.value(), copy.value());
                    done.push((instruction, copy));
                }
            }
        }
        for (original, copy) in done {
            if original.opcode() == Opcode::Phi {
                for (value, block) in original.incoming() {
                    if let Some(index) = self.blocks.iter().position(|other| *other == block) {
                        copy.add_incoming(map.get(&value).copied().unwrap_or(value), copies[index]);
                    }
                }
            } else {
                for index in 0..copy.operand_count() {
                    if let Some(value) = map.get(&copy.operand(index)) {
                        copy.set_operand(index, *value);
                    }
                }
            }
        }
        copies[0]
    }
}
