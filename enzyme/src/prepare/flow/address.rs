//! What pointers point to. A pointer that is one of several points to several places; those of loops
//! and those that are stored or passed are merged.

use super::graph::Place;
use super::{Flow, LONGEST, index};
use crate::llvm::{Distance, Instruction, Opcode, Value};

/// More places than this are merged.
const MANY: usize = 8;

impl<'c> Flow<'c> {
    /// What a pointer points to, as one place.
    pub(super) fn place(&mut self, pointer: Value<'c>) -> Option<Place> {
        if let Some(places) = self.moved.get(&pointer)
            && let [place] = places[..]
        {
            return Some(place);
        }
        if pointer.is_constant_expression() {
            return self.constant_place(pointer);
        }
        match opcode(pointer) {
            Some(Opcode::GetElementPtr) if pointer.ty().is_pointer() => {
                let base = self.place(pointer.operand(0))?;
                let place = self.moved_place(base, pointer);
                self.moved.insert(pointer, vec![place]);
                Some(place)
            }
            Some(Opcode::Phi | Opcode::Select) if pointer.ty().is_pointer() => self.merged_place(pointer),
            _ => {
                let strip = self.strip(pointer).filter(|strip| strip.count > 0)?;
                Some(self.graph.target_of(strip.byte(0)))
            }
        }
    }

    /// All places that a pointer may point to.
    pub(super) fn places(&mut self, pointer: Value<'c>) -> Vec<Place> {
        match self.places_of(pointer, &mut Vec::new()) {
            Some(places) => places,
            None => self.place(pointer).into_iter().collect(),
        }
    }

    /// None if it depends on itself, or if there are too many.
    fn places_of(&mut self, pointer: Value<'c>, path: &mut Vec<Value<'c>>) -> Option<Vec<Place>> {
        if let Some(places) = self.moved.get(&pointer) {
            return Some(places.clone());
        }
        let places = match opcode(pointer).filter(|_| pointer.ty().is_pointer()) {
            Some(Opcode::GetElementPtr) => {
                let bases = self.places_of(pointer.operand(0), path)?;
                bases.into_iter().map(|base| self.moved_place(base, pointer)).collect()
            }
            Some(opcode @ (Opcode::Phi | Opcode::Select)) if !self.merged.contains(&pointer) => {
                if path.contains(&pointer) {
                    return None;
                }
                path.push(pointer);
                let mut places = Vec::new();
                for choice in pointer.operands().skip(usize::from(opcode == Opcode::Select)) {
                    for place in self.places_of(choice, path)? {
                        let place = self.graph.resolve(place);
                        if !places.contains(&place) {
                            places.push(place);
                        }
                    }
                }
                path.pop();
                if places.len() > MANY {
                    return None;
                }
                places
            }
            _ => return Some(self.place(pointer).into_iter().collect()),
        };
        self.moved.insert(pointer, places.clone());
        Some(places)
    }

    /// Merges what one of several pointers points to.
    fn merged_place(&mut self, pointer: Value<'c>) -> Option<Place> {
        let strip = self.strip(pointer)?;
        if self.merged.insert(pointer) {
            self.moved.remove(&pointer);
            let choices = usize::from(opcode(pointer) == Some(Opcode::Select));
            for choice in pointer.operands().skip(choices) {
                if let Some(place) = self.place(choice) {
                    self.graph.point(strip.byte(0), place);
                }
            }
        }
        Some(self.graph.target_of(strip.byte(0)))
    }

    /// Where a constant address is.
    fn constant_place(&mut self, pointer: Value<'c>) -> Option<Place> {
        let place = self.place(pointer.operand(0))?;
        match self.sizes.distance(pointer) {
            Some(distance) if distance.strides.is_empty() => Some(place.at(distance.fixed)),
            // Other expressions than moved addresses may be anywhere.
            _ => {
                self.graph.join(place, place.at(1));
                Some(place)
            }
        }
    }

    /// An address that a `getelementptr` computes from one that points to `base`.
    fn moved_place(&mut self, base: Place, pointer: Value<'c>) -> Place {
        if let Some(distance) = self.sizes.distance(pointer) {
            if let Some(place) =
                destination(pointer, &distance).and_then(|destination| self.place(destination))
            {
                return place;
            }
            return self.move_address(base, &distance, pointer);
        }
        self.graph.join(base, base.at(1));
        base
    }

    /// An address that is computed from one that points to `place`.
    fn move_address(&mut self, place: Place, distance: &Distance<'c>, value: Value<'c>) -> Place {
        let at = value.as_instruction();
        if let (&[(stride, index)], Some(at)) = (&distance.strides[..], at)
            && let Some((start, end)) = index::range(index, at)
            && stride > 0
        {
            let factor = index::factor(index).unsigned_abs().clamp(1, LONGEST).cast_signed();
            // Of numbers from zero on every `factor`th.
            let (size, count) = match factor {
                _ if start != 0 => (stride, end - start),
                _ => (stride * factor, end.saturating_add(factor - 1) / factor),
            };
            if size.saturating_mul(count) <= LONGEST.cast_signed() {
                let first = place.at(distance.fixed.wrapping_add(start.wrapping_mul(stride)));
                self.graph.fold_range(first, size, count);
                return first;
            }
        }
        for (stride, index) in &distance.strides {
            let step = stride.saturating_mul(index::factor(*index));
            if step != 0 {
                self.graph.join(place, place.at(step));
            }
        }
        place.at(distance.fixed)
    }
}

/// Where a pointer is moved to by its distance from another one.
fn destination<'c>(pointer: Value<'c>, distance: &Distance<'c>) -> Option<Value<'c>> {
    let &[(1, number)] = &distance.strides[..] else { return None };
    let number = number.as_instruction().filter(|it| it.is_subtraction() && distance.fixed == 0)?;
    let address = |index| {
        let cast = number.operand(index).as_instruction().filter(|it| it.opcode() == Opcode::PtrToInt);
        cast.map(|cast| cast.operand(0))
    };
    address(0).filter(|_| address(1) == Some(pointer.operand(0)))
}

fn opcode(value: Value<'_>) -> Option<Opcode> {
    value.as_instruction().map(Instruction::opcode)
}
