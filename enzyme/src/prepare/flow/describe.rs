//! What is known of memory before any code is looked at.

use super::graph::Place;
use super::{Float, Flow, Kinds, LONGEST};
use crate::llvm::Value;
use crate::protocol::Layout;

impl<'c> Flow<'c> {
    /// Takes over what a call says of the memory behind a parameter.
    pub(super) fn describe(&mut self, place: Place, layout: &Layout) {
        match layout {
            Layout::Unknown => {}
            Layout::Integer { size } => {
                for position in 0..(*size).min(LONGEST) {
                    let byte = self.graph.byte(place.at(position.cast_signed()));
                    self.graph.hold(byte, Kinds::INTEGER);
                }
            }
            Layout::Float { size } => match Float::of_size(*size) {
                Some(float) => self.hold_float(place, float, *size),
                None => self.graph.hold_all(place, Kinds::UNKNOWN),
            },
            Layout::Pointer { pointee } => {
                let target = self.hold_address(place);
                if let Some(pointee) = pointee {
                    self.describe(target, pointee);
                }
            }
            Layout::Struct { fields, .. } => {
                for (offset, field) in fields {
                    self.describe(place.at(offset.cast_signed()), field);
                }
            }
            Layout::Array { stride, count, element } => {
                let stride = (*stride).cast_signed();
                match count {
                    Some(count) if count.cast_signed().saturating_mul(stride) <= LONGEST.cast_signed() => {
                        for index in 0..count.cast_signed() {
                            self.describe(place.at(index * stride), element);
                        }
                    }
                    _ => {
                        self.graph.join(place, place.at(stride));
                        self.describe(place, element);
                    }
                }
            }
        }
    }

    /// There is a floating-point number, or a vector of `size` bytes of them.
    pub(super) fn hold_float(&mut self, place: Place, float: Float, size: u64) {
        for position in 0..size {
            let byte = self.graph.byte(place.at(position.cast_signed()));
            self.graph.hold(byte, Kinds::float(float, position));
        }
    }

    /// There is an address; returns what it points to.
    pub(super) fn hold_address(&mut self, place: Place) -> Place {
        for position in 0..8 {
            let byte = self.graph.byte(place.at(position));
            self.graph.hold(byte, Kinds::pointer_byte(position.cast_unsigned()));
        }
        let first = self.graph.byte(place);
        self.graph.target_of(first)
    }

    /// The addresses among the parts of a constant.
    pub(super) fn constant(&mut self, place: Place, constant: Value<'c>) {
        let ty = constant.ty();
        if ty.is_pointer() {
            if let Some(target) = self.place(constant) {
                let there = self.hold_address(place);
                self.graph.join(there, target);
            }
        } else if ty.is_aggregate() {
            for (index, part) in (0..).zip(constant.operands()) {
                let offset = self.sizes.part_offset(ty, index).cast_signed();
                self.constant(place.at(offset), part);
            }
        } else if let Some(target) = self.place_of_number(constant) {
            let there = self.hold_address(place);
            self.graph.join(there, target);
        }
    }

    /// What a number points to that is computed from an address when the program is linked.
    fn place_of_number(&mut self, constant: Value<'c>) -> Option<Place> {
        constant.is_constant_expression().then(|| self.place(constant))?
    }
}
