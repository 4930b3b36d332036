//! Numbers that are moved as integers, as LLVM does with copies of a few bytes. Enzyme takes a store
//! of an integer for one of an address where it does not know the memory, without a word. So what is
//! moved into or out of memory that holds numbers is moved as numbers.

use crate::llvm::{Builder, Cast, Context, Function, Instruction, Module, Opcode, Type, Value};
use crate::prepare::flow::{Cell, Flow};

/// Gives such loads and stores the type of the numbers.
pub(super) fn as_numbers<'c>(context: &'c Context, module: &Module<'c>, flow: &mut Flow<'c>) {
    let functions = module.functions().filter(|function| !function.is_declaration());
    let moves: Vec<_> = functions
        .flat_map(Function::instructions)
        .filter_map(|instruction| Some((instruction, numbers(context, instruction, flow)?)))
        .collect();
    // Loads first: stores then find the numbers that integers were made of.
    let (loads, stores): (Vec<_>, Vec<_>) =
        moves.into_iter().partition(|(instruction, _)| instruction.opcode() == Opcode::Load);
    for (load, ty) in loads {
        let builder = Builder::before(context, load);
        let number = builder.load(ty, load.operand(0));
        number.as_instruction().iter().for_each(|number| number.set_alignment(load.alignment()));
        load.replace_uses(builder.cast(Cast::Bits, number, load.ty()));
        load.erase();
    }
    for (store, ty) in stores {
        let builder = Builder::before(context, store);
        let value = store.operand(0);
        let number = origin(value, ty).unwrap_or_else(|| builder.cast(Cast::Bits, value, ty));
        builder.store(number, store.operand(1)).set_alignment(store.alignment());
        store.erase();
    }
}

/// The type of the numbers that a load or store moves as an integer.
fn numbers<'c>(context: &'c Context, moved: Instruction<'c>, flow: &mut Flow<'c>) -> Option<Type<'c>> {
    let (value, pointer) = match moved.opcode() {
        Opcode::Load => (moved.value(), moved.operand(0)),
        Opcode::Store => (moved.operand(0), moved.operand(1)),
        _ => return None,
    };
    let bits = value.ty().int_bits().filter(|bits| bits % 8 == 0 && moved.is_simple_access())?;
    let size = u64::from(bits / 8);
    let (float, count) = match flow.segments(pointer, size).as_deref() {
        Some(&[segment]) if segment.size == size => {
            let float = segment.float.filter(|float| size % float.size() == 0)?;
            (float, (size / float.size()) as u32)
        }
        // Where an array's bytes are not told apart, but are all of numbers.
        _ => match flow.cell_of_value(value) {
            Cell::Whole(float) if flow.of_range(pointer, Some(size)).name() == Some(float.name()) => {
                (float, 1)
            }
            _ => return None,
        },
    };
    let number = float.ty(context);
    Some(if count == 1 { number } else { number.vector(count) })
}

/// The number whose bits a value is, if it was of this type.
fn origin<'c>(value: Value<'c>, ty: Type<'c>) -> Option<Value<'c>> {
    let cast = value.as_instruction().filter(|it| it.opcode() == Opcode::BitCast)?;
    Some(cast.operand(0)).filter(|number| number.ty() == ty)
}
