//! The loops of functions.

use indexmap::{IndexMap, IndexSet};
use petgraph::algo::tarjan_scc;
use petgraph::graph::{DiGraph, NodeIndex};

use crate::llvm::{Block, Function, Instruction, Opcode};

/// A loop of a function. The blocks are in the order of the function, so that what is done with them is the same
/// each time.
#[derive(Debug)]
pub(super) struct Loop<'c> {
    pub(super) blocks: IndexSet<Block<'c>>,
    /// Where it is entered.
    heads: IndexSet<Block<'c>>,
}

/// A branch that leaves a loop in one case.
#[derive(Debug)]
pub(super) struct Exit<'c> {
    pub(super) branch: Instruction<'c>,
    /// The number of the successor that stays in the loop.
    pub(super) stays: usize,
}

/// The loops of a function, inner loops included.
pub(super) fn of(function: Function<'_>) -> Vec<Loop<'_>> {
    let mut loops = Vec::new();
    let mut left = vec![function.blocks().collect()];
    while let Some(blocks) = left.pop() {
        for blocks in cycles(&blocks) {
            let enters = |block: &Block<'_>| block.predecessors().iter().any(|from| !blocks.contains(from));
            let heads = blocks.iter().copied().filter(enters).collect();
            // Each inner loop is one without the places where the outer one is entered.
            left.push(blocks.difference(&heads).copied().collect());
            loops.push(Loop { blocks, heads });
        }
    }
    loops
}

impl<'c> Loop<'c> {
    /// The branches that leave it in one of two cases.
    pub(super) fn exits(&self) -> Vec<Exit<'c>> {
        let stays = |branch: &Instruction<'c>| {
            let &[yes, no] = &branch.successors()[..] else { return None };
            match (self.blocks.contains(&yes), self.blocks.contains(&no)) {
                (true, false) => Some(0),
                (false, true) => Some(1),
                // LLVM may take a loop apart whose turns begin at the same place.
                (true, true) if self.heads.contains(&yes) != self.heads.contains(&no) => {
                    Some(usize::from(self.heads.contains(&no)))
                }
                _ => None,
            }
        };
        let branches = self.blocks.iter().filter_map(|block| block.terminator());
        branches.filter_map(|branch| Some(Exit { branch, stays: stays(&branch)? })).collect()
    }

    /// The edges that leave it: from where and where to.
    fn leaving(&self) -> Vec<(Block<'c>, Block<'c>)> {
        let mut leaving = Vec::new();
        for from in &self.blocks {
            let successors = from.terminator().map(Instruction::successors).unwrap_or_default();
            // A switch may have several cases that lead there.
            for to in successors.into_iter().filter(|to| !self.blocks.contains(to)) {
                if !leaving.contains(&(*from, to)) {
                    leaving.push((*from, to));
                }
            }
        }
        leaving
    }

    /// The same without those that a guard has made dead.
    pub(super) fn ways_out(&self) -> Vec<(Block<'c>, Block<'c>)> {
        self.leaving().into_iter().filter(|(_, to)| !is_end(*to)).collect()
    }
}

/// Whether nothing goes on behind a block: where a guard has stopped.
fn is_end(block: Block<'_>) -> bool {
    let (mut seen, mut next) = (IndexSet::new(), Some(block));
    while let Some(block) = next.filter(|block| seen.insert(*block)) {
        let Some(end) = block.terminator() else { return false };
        if end.opcode() == Opcode::Unreachable {
            return true;
        }
        let goes_straight_on = end.opcode() == Opcode::Branch && end.condition().is_none();
        next = end.successors().first().copied().filter(|_| goes_straight_on);
    }
    false
}

/// The largest sets of blocks that all lead to each other.
fn cycles<'c>(blocks: &IndexSet<Block<'c>>) -> Vec<IndexSet<Block<'c>>> {
    let mut graph = DiGraph::<Block<'c>, ()>::new();
    let nodes: IndexMap<_, _> = blocks.iter().map(|block| (*block, graph.add_node(*block))).collect();
    for (block, from) in &nodes {
        let successors = block.terminator().map(Instruction::successors).unwrap_or_default();
        for to in successors.iter().filter_map(|to| nodes.get(to)) {
            graph.add_edge(*from, *to, ());
        }
    }
    let is_cycle = |set: &Vec<_>| set.len() > 1 || graph.contains_edge(set[0], set[0]);
    let sets = tarjan_scc(&graph).into_iter().filter(is_cycle);
    let in_order = |mut set: Vec<NodeIndex>| {
        set.sort();
        set.into_iter().map(|node| graph[node]).collect()
    };
    sets.map(in_order).collect()
}
