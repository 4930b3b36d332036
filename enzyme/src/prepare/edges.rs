//! Edges between blocks. Where several ways meet Enzyme keeps which one was taken, at the end of each
//! block that leads there, and tells LLVM that it is kept once. A block that leads there directly and
//! through others would keep it twice, and once a loop is unrolled LLVM reads what was kept first.

use super::outlined;
use super::state;
use crate::llvm::{Attribute, Block, Builder, Context, Function, Instruction, Module, Opcode, Place};

/// Gives such edges blocks of their own, with something in them that keeps them apart.
pub(super) fn split<'c>(context: &'c Context, module: &Module<'c>) {
    let functions: Vec<_> = module.functions().filter(|function| !state::is_native(*function)).collect();
    let mut edges = Vec::new();
    for target in functions.into_iter().flat_map(Function::blocks) {
        let sources = target.predecessors();
        edges.extend(sources.iter().filter(|source| needs_block(**source, &sources)).map(|it| (*it, target)));
    }
    if edges.is_empty() {
        return;
    }
    let signature = context.function(context.void(), &[], false);
    let mark = outlined::add(context, module, "edge", signature, outlined::WRITES_NOTHING_SEEN);
    for name in ["nofree", "nosync", "nounwind", "willreturn"] {
        mark.add_attribute(context, Place::Function, Attribute::Enum(name, 0));
    }
    Builder::at_end(context, mark.append_block(context, c"entry")).return_void();
    for (source, target) in edges {
        let block = between(context, source, target);
        if let Some(end) = block.terminator() {
            Builder::before(context, end).call(mark, &[]);
        }
    }
}

/// Of two ways that part at a branch Enzyme asks the branch again.
fn needs_block<'c>(source: Block<'c>, sources: &[Block<'c>]) -> bool {
    let Some(last) = source.terminator() else { return false };
    let ways = last.successors().len();
    sources.len() > 1 && ways > 1 && (sources.len() > 2 || ways > 2)
}

/// Puts a block between two, of which one leads to the other.
pub(super) fn between<'c>(context: &'c Context, source: Block<'c>, target: Block<'c>) -> Block<'c> {
    let between = target.function().append_block(context, c"edge");
    Builder::at_end(context, between).branch(target);
    let phis: Vec<Instruction<'c>> =
        target.instructions().take_while(|it| it.opcode() == Opcode::Phi).collect();
    for phi in phis {
        let new = Builder::before(context, phi).phi(phi.ty());
        let mut moved = false;
        for (value, block) in phi.incoming() {
            if block != source {
                new.add_incoming(value, block);
            } else if !moved {
                new.add_incoming(value, between);
                moved = true;
            }
        }
        phi.replace_uses(new.value());
        phi.erase();
    }
    let last = source.terminator().expect("a block that leads to another ends");
    for (index, _) in last.successors().into_iter().enumerate().filter(|(_, to)| *to == target) {
        last.set_successor(index as u32, between);
    }
    between
}
