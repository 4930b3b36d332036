//! Integers in the bytes of floating-point numbers: payloads of enums, unions, and whatever looks at
//! bits. Enzyme must see the bytes as floating-point numbers everywhere, or it could not copy them.
//! So an integer that is computed becomes a number when it is put there, and a number's bits become
//! an integer when they are computed with; what is only copied stays the number that it may be.
//!
//! The conversions carry no derivative. That is right: [`Flow`] has given up on bits that are
//! computed with and become a floating-point number again.

use std::collections::HashMap;

use super::bits::Bits;
use super::flow::{Cell, Float, Flow};
use crate::llvm::{Binary, Block, Builder, Cast, Context, Function, Instruction, Module, Opcode, Value};

/// Separates integers from floating-point numbers.
pub(super) fn separate<'c>(context: &'c Context, module: &Module<'c>, flow: &mut Flow<'c>) {
    let functions: Vec<_> = module.functions().filter(|function| !function.is_declaration()).collect();
    let instructions: Vec<_> = functions.iter().copied().flat_map(Function::instructions).collect();
    let mut mixed = Mixed { bits: Bits { context, module }, flow, incoming: HashMap::new() };
    // What is an integer is asked of the code as it was.
    let uses: Vec<_> = instructions.iter().flat_map(|instruction| mixed.uses_of(*instruction)).collect();
    let parts: Vec<_> = instructions.iter().filter_map(|instruction| mixed.part_of(*instruction)).collect();
    for one in uses {
        mixed.convert(one);
    }
    for (access, float, position) in parts {
        match access.opcode() {
            Opcode::Load => mixed.load_part(access, float, position),
            _ => mixed.store_part(access, float, position),
        }
    }
}

struct Mixed<'a, 'm, 'c> {
    bits: Bits<'m, 'c>,
    flow: &'a mut Flow<'c>,
    /// What phis get from a block: if that is the same several times, it must stay so.
    incoming: HashMap<(Value<'c>, Block<'c>), Value<'c>>,
}

/// What an operand is to be made.
#[derive(Clone, Copy)]
enum Conversion {
    /// An integer: it is the bits of a number, and computed with.
    Integer(Float),
    /// Bits of a number: it is an integer, and put where numbers are copied.
    Bits(Float),
    /// A number: it is an integer, and stored where a number may be.
    Number(Float),
}

#[derive(Clone, Copy)]
struct Use<'c> {
    user: Instruction<'c>,
    operand: u32,
    conversion: Conversion,
}

impl<'c> Mixed<'_, '_, 'c> {
    /// The operands of an instruction that must be converted.
    fn uses_of(&mut self, user: Instruction<'c>) -> Vec<Use<'c>> {
        let mut found = Vec::new();
        let count = if user.is_call() { user.arguments().len() as u32 } else { user.operand_count() };
        for operand in 0..count {
            let value = user.operand(operand);
            if value.ty().int_bits().is_none() || value.is_undefined() {
                continue;
            }
            if let Some(conversion) = self.conversion(user, operand, value) {
                found.push(Use { user, operand, conversion });
            }
        }
        found
    }

    fn conversion(&mut self, user: Instruction<'c>, operand: u32, value: Value<'c>) -> Option<Conversion> {
        let cell = self.flow.cell_of_value(value);
        let from = match cell {
            Cell::Whole(float) => Some(float),
            Cell::Plain => None,
            Cell::Within(..) | Cell::Unclear => return None,
        };
        let place = match self.destination(user, operand) {
            Destination::Copied(Cell::Unclear | Cell::Within(..)) => return None,
            Destination::Copied(place) => place,
            Destination::Computed => return from.map(Conversion::Integer),
        };
        match (from, place) {
            (None, Cell::Whole(float)) if user.opcode() == Opcode::Store => Some(Conversion::Number(float)),
            (None, Cell::Whole(float)) => Some(Conversion::Bits(float)),
            _ => None,
        }
    }

    /// What happens to an operand.
    fn destination(&mut self, user: Instruction<'c>, operand: u32) -> Destination {
        let result = |mixed: &mut Self| Destination::Copied(mixed.flow.cell_of_value(user.value()));
        match user.opcode() {
            Opcode::Store if operand == 0 => {
                let size = user.operand(0).ty().int_bits().map_or(0, |bits| u64::from(bits.div_ceil(8)));
                let simple = user.is_simple_access();
                Destination::Copied(if simple {
                    self.flow.cell_behind(user.operand(1), size)
                } else {
                    Cell::Unclear
                })
            }
            Opcode::Phi | Opcode::Copy => result(self),
            Opcode::Select if operand > 0 => result(self),
            Opcode::Return => Destination::Copied(self.flow.cell_of_result(user.block().function())),
            Opcode::Call | Opcode::Invoke => match user.callee() {
                Some(callee) if !callee.is_declaration() && operand < callee.param_count() => {
                    Destination::Copied(self.flow.cell_of_value(callee.param(operand)))
                }
                _ => Destination::Computed,
            },
            // To a floating-point number, or into parts of something else.
            Opcode::BitCast | Opcode::Insert | Opcode::AtomicRmw | Opcode::CompareExchange => {
                Destination::Copied(Cell::Unclear)
            }
            Opcode::Truncate | Opcode::ZeroExtend | Opcode::ShiftLeft | Opcode::ShiftRight | Opcode::Or
                if self.flow.cell_of_value(user.value()) != Cell::Plain =>
            {
                Destination::Copied(Cell::Unclear)
            }
            _ => Destination::Computed,
        }
    }

    fn convert(&mut self, one: Use<'c>) {
        let Use { user, operand, conversion } = one;
        let value = user.operand(operand);
        let before = match user.opcode() {
            Opcode::Phi => {
                let (_, block) = user.incoming()[operand as usize];
                if let Some(converted) = self.incoming.get(&(user.value(), block)) {
                    return user.set_operand(operand, *converted);
                }
                block.terminator().expect("a block that leads to another ends")
            }
            _ => user,
        };
        match conversion {
            Conversion::Integer(float) => {
                let builder = Builder::before(self.bits.context, before);
                let number = builder.cast(Cast::Bits, value, float.ty(self.bits.context));
                user.set_operand(operand, self.bits.of_float(&builder, float, number));
            }
            Conversion::Bits(float) => {
                let converted = self.bits.as_copied(before, float, value);
                if user.opcode() == Opcode::Phi {
                    self.incoming.insert((user.value(), before.block()), converted);
                }
                user.set_operand(operand, converted);
            }
            Conversion::Number(float) => {
                let builder = Builder::before(self.bits.context, before);
                let number = self.bits.to_float(&builder, float, value);
                let store = builder.store(number, user.operand(1));
                store.set_alignment(user.alignment());
                user.erase();
            }
        }
    }

    /// Whether a load or store is of a part of a number.
    fn part_of(&mut self, access: Instruction<'c>) -> Option<(Instruction<'c>, Float, u64)> {
        let (ty, pointer) = match access.opcode() {
            Opcode::Load => (access.ty(), access.operand(0)),
            Opcode::Store => (access.operand(0).ty(), access.operand(1)),
            _ => return None,
        };
        let bits = ty.int_bits().filter(|bits| bits % 8 == 0 && access.is_simple_access())?;
        match self.flow.cell_behind(pointer, u64::from(bits / 8)) {
            Cell::Within(float, position) => Some((access, float, position)),
            _ => None,
        }
    }

    fn load_part(&self, load: Instruction<'c>, float: Float, position: u64) {
        let builder = Builder::before(self.bits.context, load);
        let (_, bits) = self.load_bits(&builder, load.operand(0), float, position);
        let shift = self.bits.integer(float).constant(position * 8);
        let shifted = builder.binary(Binary::ShiftRight, bits, shift);
        load.replace_uses(builder.cast(Cast::Truncate, shifted, load.ty()));
        load.erase();
    }

    fn store_part(&self, store: Instruction<'c>, float: Float, position: u64) {
        let builder = Builder::before(self.bits.context, store);
        let value = store.operand(0);
        let integer = self.bits.integer(float);
        let (pointer, bits) = self.load_bits(&builder, store.operand(1), float, position);
        let width = value.ty().int_bits().unwrap_or(0);
        let mask = ((1_u64 << width) - 1) << (position * 8);
        let kept = builder.binary(Binary::And, bits, integer.constant(!mask));
        let wide = builder.cast(Cast::ZeroExtend, value, integer);
        let placed = builder.binary(Binary::ShiftLeft, wide, integer.constant(position * 8));
        let number = self.bits.to_float(&builder, float, builder.binary(Binary::Or, kept, placed));
        builder.store(number, pointer).set_alignment(1);
        store.erase();
    }

    /// Where a number is that a byte of is behind a pointer, and its bits.
    fn load_bits(
        &self,
        builder: &Builder<'c>,
        pointer: Value<'c>,
        float: Float,
        position: u64,
    ) -> (Value<'c>, Value<'c>) {
        let context = self.bits.context;
        let back = context.int(64).constant(position.wrapping_neg());
        let pointer = builder.offset(context.int(8), pointer, back);
        let number = builder.load(float.ty(context), pointer);
        number.as_instruction().iter().for_each(|load| load.set_alignment(1));
        (pointer, self.bits.of_float(builder, float, number))
    }
}

enum Destination {
    /// It gets to where this is.
    Copied(Cell),
    /// It is computed with.
    Computed,
}
