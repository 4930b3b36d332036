//! What integers carry. They are followed in the direction in which they are copied, until nothing
//! new is found.

use super::graph::{Byte, Graph};
use super::{Flow, Kinds, Strip};

/// A byte that is copied as byte `position` of `count`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Copied {
    pub(super) from: Byte,
    pub(super) to: Byte,
    pub(super) position: u64,
    pub(super) count: u64,
}

/// A number that another one is computed from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Computed {
    pub(super) from: Strip,
    pub(super) to: Strip,
}

impl Flow<'_> {
    pub(super) fn solve(&mut self) {
        self.settle();
        self.open_guessed();
        self.give_up();
    }

    fn open_guessed(&mut self) {
        // An integer of unknown origin became an address: it may be of any memory that had its own
        // address made an integer.
        let guessed = std::mem::take(&mut self.guessed);
        let mut unknown = Vec::new();
        for (from, to) in guessed {
            if !self.graph.holds(from).has(Kinds::POINTERS) {
                unknown.push(self.graph.target_of(to));
            }
        }
        if !unknown.is_empty() {
            for place in unknown.into_iter().chain(std::mem::take(&mut self.exposed)) {
                self.graph.hold_all(place, Kinds::OPEN);
            }
        }
        for byte in std::mem::take(&mut self.escaped) {
            if let Some(place) = self.graph.target(byte) {
                self.graph.hold_all(place, Kinds::UNKNOWN.with(Kinds::OPEN));
            }
        }
        self.settle();
    }

    fn settle(&mut self) {
        loop {
            let mut changed = false;
            for index in 0..self.copied.len() {
                changed |= self.copy_kinds(self.copied[index]);
            }
            for index in 0..self.guessed.len() {
                let (from, to) = self.guessed[index];
                changed |= share_target(&mut self.graph, from, to);
            }
            for index in 0..self.computed.len() {
                changed |= self.compute(self.computed[index]);
            }
            if !changed {
                return;
            }
        }
    }

    fn copy_kinds(&mut self, copied: Copied) -> bool {
        let Copied { from, to, position, count } = copied;
        let (from, to) = (self.graph.root(from), self.graph.root(to));
        if from == to {
            return false;
        }
        let carried = self.kinds(from).copied(position, count);
        let mut changed = self.graph.hold(to, carried);
        let wanted = self.graph.used(to).with(self.graph.holds(to).and(Kinds::FLOATS));
        let shared = Kinds::FLOATS.with(Kinds::POINTERS).with(Kinds::INTEGER);
        changed |= self.graph.mark_use(from, wanted.and(shared));
        changed | share_target(&mut self.graph, from, to)
    }

    /// A number that is computed from the bits of a floating-point number.
    fn compute(&mut self, computed: Computed) -> bool {
        let origin = Kinds::FLOATS.with(Kinds::DERIVED);
        let derived = computed.from.bytes().any(|byte| self.kinds(byte).has(origin));
        derived && {
            let mut changed = false;
            for byte in computed.to.bytes() {
                changed |= self.graph.hold(byte, Kinds::DERIVED);
            }
            changed
        }
    }
}

/// If either byte begins an address, both do.
fn share_target(graph: &mut Graph, from: Byte, to: Byte) -> bool {
    match (graph.target(from), graph.target(to)) {
        (None, None) => false,
        (Some(left), Some(right)) => {
            let (left, right) = (graph.resolve(left), graph.resolve(right));
            left != right && {
                graph.join(left, right);
                true
            }
        }
        (Some(target), None) => {
            graph.point(to, target);
            true
        }
        (None, Some(target)) => {
            graph.point(from, target);
            true
        }
    }
}
