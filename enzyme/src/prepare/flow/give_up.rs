//! Bits of floating-point numbers that are computed with and become floating-point numbers again: what
//! their derivative is nobody can say, so nothing is said of them.

use super::graph::Byte;
use super::{Flow, Kinds, Part};

/// Bytes that bits of floating-point numbers get from one to the other.
struct Groups(Vec<u32>);

impl Groups {
    fn root(&mut self, mut index: u32) -> u32 {
        while self.0[index as usize] != index {
            let parent = self.0[index as usize];
            self.0[index as usize] = self.0[parent as usize];
            index = self.0[index as usize];
        }
        index
    }

    fn join(&mut self, Byte(left): Byte, Byte(right): Byte) {
        let (left, right) = (self.root(left), self.root(right));
        self.0[right as usize] = left;
    }
}

impl Flow<'_> {
    pub(super) fn give_up(&mut self) {
        let mut groups = Groups((0..self.graph.byte_count()).collect());
        let bits = Kinds::FLOATS.with(Kinds::DERIVED);
        for index in 0..self.copied.len() {
            let copied = self.copied[index];
            let (from, to) = (self.graph.root(copied.from), self.graph.root(copied.to));
            if self.kinds(from).has(bits) {
                groups.join(from, to);
            }
        }
        for index in 0..self.computed.len() {
            let computed = self.computed[index];
            if computed.from.bytes().any(|byte| self.kinds(byte).has(bits)) {
                for byte in computed.from.bytes().chain(computed.to.bytes()) {
                    let (first, byte) = (self.graph.root(computed.to.byte(0)), self.graph.root(byte));
                    groups.join(first, byte);
                }
            }
        }
        let roots: Vec<_> =
            (0..self.graph.byte_count()).map(Byte).filter(|byte| self.graph.root(*byte) == *byte).collect();
        let mut given_up = vec![false; groups.0.len()];
        for byte in &roots {
            if self.is_confused(*byte) {
                given_up[groups.root(byte.0) as usize] = true;
            }
        }
        for byte in roots {
            if given_up[groups.root(byte.0) as usize] {
                self.graph.hold(byte, Kinds::UNKNOWN);
            }
        }
    }

    fn is_confused(&mut self, byte: Byte) -> bool {
        let (kinds, used) = (self.kinds(byte), self.graph.used(byte));
        let float = kinds.has(Kinds::FLOATS);
        // Numbers of one type are clear also where an array's bytes are not told apart.
        float && kinds.part() == Part::Unclear && kinds.name().is_none()
            || kinds.has(Kinds::DERIVED) && (float || used.has(Kinds::FLOATS))
    }
}
