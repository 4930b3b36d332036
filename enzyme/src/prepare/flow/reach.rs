//! What can be reached from an address.

use std::collections::HashSet;

use super::graph::Place;
use super::{Flow, Kinds};
use crate::llvm::Value;

impl<'c> Flow<'c> {
    /// Tells objects in memory apart: those that a pointer may point to.
    pub(in crate::prepare) fn objects(&mut self, pointer: Value<'c>) -> HashSet<u32> {
        let places = self.places(pointer);
        places.into_iter().map(|place| self.graph.resolve(place).object).collect()
    }

    /// Those and all that are behind them.
    pub(in crate::prepare) fn all_objects(&mut self, pointer: Value<'c>) -> HashSet<u32> {
        self.all_places(pointer).into_iter().map(|place| place.object).collect()
    }

    /// Whether what a pointer points to, or what is behind that, refers to a function or global variable.
    pub(in crate::prepare) fn leads_to(&mut self, pointer: Value<'c>, symbol: Value<'c>) -> bool {
        !self.objects(symbol).is_disjoint(&self.all_objects(pointer))
    }

    /// Whether floating-point values may be in what a pointer points to or behind that.
    pub(in crate::prepare) fn may_hold_floats(&mut self, pointer: Value<'c>) -> bool {
        let places = self.all_places(pointer);
        places.is_empty()
            || places.into_iter().any(|place| {
                let kinds = self.of_object(place);
                let known = kinds.is_integer() || kinds.is_pointer();
                !known || kinds.may_be_float() || kinds.has(Kinds::OPEN)
            })
    }

    fn all_places(&mut self, pointer: Value<'c>) -> Vec<Place> {
        let mut found = Vec::new();
        for place in self.places(pointer) {
            found.push(self.graph.resolve(place));
            found.extend(self.reachable(place));
        }
        found
    }
}
