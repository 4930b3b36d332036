//! Loops and the ways out of them.

use std::collections::{HashMap, HashSet};

use petgraph::algo::tarjan_scc;
use petgraph::graph::DiGraph;

use crate::llvm::{Block, Function, Instruction};

/// A branch that leaves a loop in one case.
#[derive(Debug)]
pub(super) struct Exit<'c> {
    pub(super) branch: Instruction<'c>,
    /// The number of the successor that stays in the loop.
    pub(super) stays: usize,
    /// The blocks of the loop.
    pub(super) inside: HashSet<Block<'c>>,
}

/// The ways out of the loops of a function, inner loops included.
pub(super) fn exits(function: Function<'_>) -> Vec<Exit<'_>> {
    let mut exits = Vec::new();
    find(&function.blocks().collect(), &mut exits);
    exits
}

/// Adds the ways out of the loops among these blocks.
fn find<'c>(blocks: &HashSet<Block<'c>>, exits: &mut Vec<Exit<'c>>) {
    for inside in cycles(blocks) {
        // Each inner loop is one without the places where the outer one is entered.
        let enters = |block: &Block<'c>| block.predecessors().iter().any(|from| !inside.contains(from));
        let heads: HashSet<Block<'c>> = inside.iter().copied().filter(enters).collect();
        for branch in inside.iter().filter_map(|block| block.terminator()) {
            let successors = branch.successors();
            let &[yes, no] = &successors[..] else { continue };
            let stays = match (inside.contains(&yes), inside.contains(&no)) {
                (true, false) => 0,
                (false, true) => 1,
                // LLVM may take a loop apart whose turns begin at the same place.
                (true, true) if heads.contains(&yes) != heads.contains(&no) => {
                    usize::from(heads.contains(&no))
                }
                _ => continue,
            };
            exits.push(Exit { branch, stays, inside: inside.clone() });
        }
        find(&inside.difference(&heads).copied().collect(), exits);
    }
}

/// The largest sets of blocks that all lead to each other.
fn cycles<'c>(blocks: &HashSet<Block<'c>>) -> Vec<HashSet<Block<'c>>> {
    let mut graph = DiGraph::<Block<'c>, ()>::new();
    let nodes: HashMap<_, _> = blocks.iter().map(|block| (*block, graph.add_node(*block))).collect();
    for (block, from) in &nodes {
        let successors = block.terminator().map(Instruction::successors).unwrap_or_default();
        for to in successors.iter().filter_map(|to| nodes.get(to)) {
            graph.add_edge(*from, *to, ());
        }
    }
    let is_cycle = |set: &Vec<_>| set.len() > 1 || graph.contains_edge(set[0], set[0]);
    let sets = tarjan_scc(&graph).into_iter().filter(is_cycle);
    sets.map(|set| set.into_iter().map(|node| graph[node]).collect()).collect()
}
