//! Moves between places that may overlap. Enzyme's adjoint of `memmove` is the one of `memcpy`,
//! which is wrong where they do overlap, as in `Vec::remove`, `copy_within` and `rotate_left`. So
//! they go through a place of their own.

use super::flow::Flow;
use crate::llvm::{Builder, Context, Function, Instruction, Module};

/// Turns moves that may be of floating-point numbers into two copies. Says whether there were any.
pub(super) fn lower<'c>(context: &'c Context, module: &Module<'c>, flow: &mut Flow<'c>) -> bool {
    let functions = module.functions().filter(|function| !function.is_declaration());
    let moves: Vec<_> = functions
        .flat_map(Function::instructions)
        .filter(|it| it.callee().is_some_and(|callee| callee.name().starts_with("llvm.memmove.")))
        .filter(|it| {
            let moved = flow.of_range(it.operand(0), it.operand(2).as_int().map(i64::cast_unsigned));
            moved.may_be_float() || !(moved.is_integer() || moved.is_pointer())
        })
        .collect();
    for call in &moves {
        through_a_copy(context, module, *call);
    }
    !moves.is_empty()
}

fn through_a_copy<'c>(context: &'c Context, module: &Module<'c>, call: Instruction<'c>) {
    let (to, from, size) = (call.operand(0), call.operand(1), call.operand(2));
    // Of the C library: Enzyme uses it as well, and the size may be zero.
    let allocate = module.declare("malloc", context.function(context.ptr(), &[size.ty()], false));
    let free = module.declare("free", context.function(context.void(), &[context.ptr()], false));
    let builder = Builder::before(context, call);
    let copy = builder.call(allocate, &[size]).value();
    builder.copy(copy, from, size);
    builder.copy(to, copy, size);
    builder.call(free, &[copy]);
    call.erase();
}
