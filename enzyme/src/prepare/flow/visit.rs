//! What each instruction does to values and memory.

use super::graph::{Byte, Place};
use super::solve::{Computed, Copied};
use super::{Float, Flow, Kinds, Strip};
use crate::llvm::{Function, Instruction, Opcode, Type, Value};

/// Where something is that is copied.
#[derive(Debug, Clone, Copy)]
pub(super) enum Spot {
    Memory(Place),
    /// From a byte of a value on.
    Value(Strip, u64),
    /// An address that points there.
    Address(Place),
    /// A plain constant, or a floating-point value: of them nothing has to be known.
    Nothing,
}

impl<'c> Flow<'c> {
    pub(super) fn visit(&mut self, function: Function<'c>, instruction: Instruction<'c>) {
        let value = instruction.value();
        let operand = |index| instruction.operand(index);
        match instruction.opcode() {
            Opcode::Load => {
                for place in self.places(operand(0)) {
                    self.copy_to_value(Spot::Memory(place), value);
                }
            }
            Opcode::Store => {
                for place in self.places(operand(1)) {
                    self.store(operand(0), place);
                }
            }
            Opcode::GetElementPtr => value.operands().skip(1).for_each(|index| self.integer(index)),
            // What they point to is found out where they are used.
            Opcode::Select | Opcode::Phi if value.ty().is_pointer() => {}
            Opcode::Select => {
                self.copy_value(operand(1), value);
                self.copy_value(operand(2), value);
            }
            Opcode::Phi | Opcode::Copy => {
                instruction.operands().for_each(|incoming| self.copy_value(incoming, value));
            }
            Opcode::Extract => {
                let from = self.source(operand(0), self.sizes.place_in_aggregate(instruction));
                self.copy_to_value(from, value);
            }
            Opcode::Insert => {
                self.copy_value(operand(0), value);
                let offset = self.sizes.place_in_aggregate(instruction);
                let Some(to) = self.strip(value) else { return };
                let from = self.source(operand(1), 0);
                self.copy(operand(1).ty(), from, Spot::Value(to, offset));
            }
            Opcode::BitCast => self.visit_bitcast(operand(0), value),
            Opcode::PtrToInt => {
                let (Some(place), Some(strip)) = (self.place(operand(0)), self.strip(value)) else { return };
                self.copy(operand(0).ty(), Spot::Address(place), Spot::Value(strip, 0));
                self.exposed.push(place);
            }
            Opcode::IntToPtr => {
                let (Some(from), Some(to)) = (self.strip(operand(0)), self.strip(value)) else { return };
                from.bytes().for_each(|byte| {
                    self.graph.mark_use(byte, Kinds::POINTERS);
                });
                self.guessed.push((from.byte(0), to.byte(0)));
            }
            Opcode::Truncate | Opcode::ZeroExtend | Opcode::ShiftLeft | Opcode::ShiftRight | Opcode::Or => {
                self.visit_bytes(instruction);
            }
            Opcode::Return if instruction.operand_count() == 1 => {
                let to = self.result(function);
                let from = self.source(operand(0), 0);
                self.copy(operand(0).ty(), from, Spot::Value(to, 0));
            }
            Opcode::Call | Opcode::Invoke => self.visit_call(instruction),
            Opcode::AtomicRmw | Opcode::CompareExchange => self.visit_atomic(instruction),
            Opcode::Alloca => self.integer(operand(0)),
            Opcode::Return | Opcode::Branch | Opcode::Unreachable | Opcode::Resume | Opcode::LandingPad => {}
            // Arithmetic, comparisons, switches: what they touch is a number.
            _ => self.arithmetic(instruction),
        }
    }

    fn visit_bitcast(&mut self, from: Value<'c>, to: Value<'c>) {
        let float = |value: Value<'c>| value.ty().float_name().and_then(Float::named);
        match (float(from), float(to)) {
            (Some(_), Some(_)) => {}
            (Some(float), None) => {
                let Some(strip) = self.strip(to) else { return };
                for (position, byte) in (0..).zip(strip.bytes()) {
                    self.graph.hold(byte, Kinds::float(float, position));
                }
            }
            (None, Some(float)) => {
                let Some(strip) = self.strip(from) else { return };
                for (position, byte) in (0..).zip(strip.bytes()) {
                    self.graph.mark_use(byte, Kinds::float(float, position));
                }
            }
            (None, None) => {
                let (Some(from), Some(to)) = (self.strip(from), self.strip(to)) else { return };
                self.copy_bytes(from, 0, to, 0, from.count.min(to.count));
            }
        }
    }

    /// Shifts and the like that move bytes as they are; any other is arithmetic.
    fn visit_bytes(&mut self, instruction: Instruction<'c>) {
        let Some(moves) = moves(instruction) else { return self.arithmetic(instruction) };
        let Some(to) = self.strip(instruction.value()) else { return };
        for (from, first, position, count) in moves {
            if let Some(from) = self.strip(from) {
                self.copy_bytes(from, first, to, position, count);
            }
        }
    }

    fn visit_atomic(&mut self, instruction: Instruction<'c>) {
        let first = instruction.operand(1).ty();
        for place in self.places(instruction.operand(0)) {
            for operand in instruction.operands().skip(1) {
                self.store(operand, place);
            }
            if let Some(strip) = self.strip(instruction.value()) {
                self.copy(first, Spot::Memory(place), Spot::Value(strip, 0));
            }
        }
    }

    fn store(&mut self, value: Value<'c>, place: Place) {
        self.write(place, self.sizes.of(value.ty()));
        let from = self.source(value, 0);
        self.copy(value.ty(), from, Spot::Memory(place));
        if value.as_int().is_some_and(|number| number != 0) {
            // The bits of a floating-point number, too, count as an integer until they are stored.
            self.hold_at(Spot::Memory(place), self.sizes.of(value.ty()), |_| Kinds::INTEGER);
        }
    }

    /// Something is stored in so many bytes.
    pub(super) fn write(&mut self, place: Place, count: u64) {
        for position in 0..count {
            let byte = self.graph.byte(place.at(position.cast_signed()));
            self.graph.hold(byte, Kinds::WRITTEN);
        }
    }

    /// One value is a copy of another one.
    pub(super) fn copy_value(&mut self, from: Value<'c>, to: Value<'c>) {
        let from = self.source(from, 0);
        self.copy_to_value(from, to);
    }

    fn copy_to_value(&mut self, from: Spot, to: Value<'c>) {
        let to_spot = if to.ty().float_name().is_some() {
            Spot::Nothing
        } else {
            self.strip(to).map_or(Spot::Nothing, |strip| Spot::Value(strip, 0))
        };
        self.copy(to.ty(), from, to_spot);
    }

    /// Where a value is, from a byte of it on.
    pub(super) fn source(&mut self, value: Value<'c>, offset: u64) -> Spot {
        if value.ty().is_pointer() {
            return self.place(value).map_or(Spot::Nothing, Spot::Address);
        }
        if value.ty().float_name().is_some() {
            return Spot::Nothing;
        }
        self.strip(value).map_or(Spot::Nothing, |strip| Spot::Value(strip, offset))
    }

    /// Copies a value of a type.
    pub(super) fn copy(&mut self, ty: Type<'c>, from: Spot, to: Spot) {
        if ty.is_void() {
            return;
        }
        for (offset, scalar) in self.sizes.scalars(ty) {
            let size = self.sizes.of(scalar);
            let (from, to) = (from.at(offset), to.at(offset));
            if let Some(name) = scalar.float_name() {
                for spot in [from, to] {
                    self.hold_at(spot, size, |position| {
                        Float::named(name).map_or(Kinds::UNKNOWN, |float| Kinds::float(float, position))
                    });
                }
            } else if scalar.is_pointer() {
                for spot in [from, to] {
                    self.hold_at(spot, size, Kinds::pointer_byte);
                }
                self.copy_address(from, to);
            } else {
                self.copy_number(from, to, size);
            }
        }
    }

    fn hold_at(&mut self, spot: Spot, size: u64, kinds: impl Fn(u64) -> Kinds) {
        for position in 0..size {
            if let Some(byte) = self.byte_at(spot, position) {
                self.graph.hold(byte, kinds(position));
            }
        }
    }

    fn copy_address(&mut self, from: Spot, to: Spot) {
        let target = match from {
            Spot::Address(place) => place,
            _ => match self.byte_at(from, 0) {
                Some(byte) => self.graph.target_of(byte),
                None => return,
            },
        };
        if let Some(byte) = self.byte_at(to, 0) {
            self.graph.point(byte, target);
        }
    }

    fn copy_number(&mut self, from: Spot, to: Spot, size: u64) {
        for position in 0..size {
            if let (Some(from), Some(to)) = (self.byte_at(from, position), self.byte_at(to, position)) {
                self.copied.push(Copied { from, to, position, count: size });
            }
        }
    }

    fn copy_bytes(&mut self, from: Strip, first: u64, to: Strip, start: u64, count: u64) {
        for position in 0..count {
            let (from, to) = (from.byte(first + position), to.byte(start + position));
            self.copied.push(Copied { from, to, position, count });
        }
    }

    fn byte_at(&mut self, spot: Spot, position: u64) -> Option<Byte> {
        match spot {
            Spot::Memory(place) => Some(self.graph.byte(place.at(position.cast_signed()))),
            Spot::Value(strip, offset) => {
                (offset + position < strip.count).then(|| strip.byte(offset + position))
            }
            Spot::Address(_) | Spot::Nothing => None,
        }
    }

    /// What an instruction computes with and what it computes are numbers.
    pub(super) fn arithmetic(&mut self, instruction: Instruction<'c>) {
        let compares = matches!(instruction.opcode(), Opcode::ICmp | Opcode::FCmp);
        self.computed_from(&instruction.operands().collect::<Vec<_>>(), instruction.value(), !compares);
    }

    pub(super) fn computed_from(&mut self, operands: &[Value<'c>], value: Value<'c>, keeps: bool) {
        let to = if is_number(value.ty()) { self.strip(value) } else { None };
        if let Some(strip) = to {
            for byte in strip.bytes() {
                self.graph.hold(byte, Kinds::INTEGER);
            }
        }
        for operand in operands.iter().filter(|operand| is_number(operand.ty())) {
            self.integer(*operand);
            if let (Some(from), Some(to), true) = (self.strip(*operand), to, keeps) {
                self.computed.push(Computed { from, to });
            }
        }
    }

    /// A number is computed with, unless it is an address.
    pub(super) fn integer(&mut self, value: Value<'c>) {
        let is_address = value.as_instruction().is_some_and(|i| i.opcode() == Opcode::PtrToInt);
        if is_address || !is_number(value.ty()) {
            return;
        }
        let Some(strip) = self.strip(value) else { return };
        for byte in strip.bytes() {
            self.graph.mark_use(byte, Kinds::INTEGER);
        }
    }
}

impl Spot {
    fn at(self, distance: u64) -> Spot {
        match self {
            Spot::Memory(place) => Spot::Memory(place.at(distance.cast_signed())),
            Spot::Value(strip, offset) => Spot::Value(strip, offset + distance),
            Spot::Address(_) | Spot::Nothing => self,
        }
    }
}

/// Whether values of a type are integers or may be made of integers.
fn is_number(ty: Type<'_>) -> bool {
    ty.int_bits().is_some() || ty.is_aggregate() || ty.is_vector() && ty.float_name().is_none()
}

/// A move of bytes: from which value and from which byte of it, to which byte, how many.
type Move<'c> = (Value<'c>, u64, u64, u64);

/// The bytes that an instruction moves, if that is all it does to integers.
pub(in crate::prepare) fn moves<'c>(instruction: Instruction<'c>) -> Option<Vec<Move<'c>>> {
    let bytes =
        |value: Value<'c>| value.ty().int_bits().filter(|bits| bits % 8 == 0).map(|bits| u64::from(bits / 8));
    let size = bytes(instruction.value())?;
    let operand = instruction.operand(0);
    let from = bytes(operand)?;
    let shift = || {
        let bits = instruction.operand(1).as_int()?.cast_unsigned();
        (bits % 8 == 0 && bits < size * 8).then_some(bits / 8)
    };
    match instruction.opcode() {
        Opcode::Truncate => Some(vec![(operand, 0, 0, size)]),
        Opcode::ZeroExtend => Some(vec![(operand, 0, 0, from)]),
        Opcode::ShiftRight => shift().map(|by| vec![(operand, by, 0, size - by)]),
        Opcode::ShiftLeft => shift().map(|by| vec![(operand, 0, by, size - by)]),
        Opcode::Or => {
            let right = instruction.operand(1);
            // One has what the other lacks.
            let (low, high) = match (zeros_from(operand), zeros_below(right)) {
                (Some(end), Some(start)) if end <= start => ((operand, end), (right, start)),
                _ => match (zeros_from(right), zeros_below(operand)) {
                    (Some(end), Some(start)) if end <= start => ((right, end), (operand, start)),
                    _ => return None,
                },
            };
            Some(vec![(low.0, 0, 0, low.1), (high.0, high.1, high.1, size - high.1)])
        }
        _ => None,
    }
}

/// The byte from which on a value is zero, if that is seen at once.
fn zeros_from(value: Value<'_>) -> Option<u64> {
    let instruction = value.as_instruction().filter(|it| it.opcode() == Opcode::ZeroExtend)?;
    instruction.operand(0).ty().int_bits().filter(|bits| bits % 8 == 0).map(|bits| u64::from(bits / 8))
}

/// The byte below which a value is zero, if that is seen at once.
fn zeros_below(value: Value<'_>) -> Option<u64> {
    let instruction = value.as_instruction().filter(|it| it.opcode() == Opcode::ShiftLeft)?;
    let bits = instruction.operand(1).as_int()?.cast_unsigned();
    (bits % 8 == 0).then_some(bits / 8)
}
