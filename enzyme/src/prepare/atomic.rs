//! Atomic operations on integers: counters, locks, reference counts. Enzyme handles none, and no
//! derivative flows through an integer, so each becomes an inactive function.

use super::flow::{Flow, Kinds};
use super::outlined;
use crate::llvm::{Builder, Context, Function, Instruction, Module, Opcode, Value};

/// Takes atomic operations on integers out of Enzyme's sight.
pub(super) fn outline<'c>(context: &'c Context, module: &Module<'c>, flow: &mut Flow<'c>) {
    let functions = module.functions().filter(|function| !function.is_declaration());
    let atomics: Vec<_> = functions
        .flat_map(Function::instructions)
        .filter(|it| matches!(it.opcode(), Opcode::AtomicRmw | Opcode::CompareExchange))
        .filter(|it| !may_be_float(*it, flow.of_range(it.operand(0), Some(8))))
        .collect();
    for (number, atomic) in atomics.into_iter().enumerate() {
        replace(context, module, atomic, number);
    }
}

/// Whether an operation may be on the bits of a float. That beside an integer are floats says
/// nothing: in a lock, say.
fn may_be_float(atomic: Instruction<'_>, contents: Kinds) -> bool {
    let known = atomic.operands().skip(1).all(Value::is_constant);
    let bits = atomic.operand(1).ty().int_bits();
    contents.may_be_float_of(bits) && !(known && atomic.has_users() && is_only_compared(atomic.value()))
}

/// Whether a value, or its parts, are compared and nothing else.
fn is_only_compared(value: Value<'_>) -> bool {
    value.users().into_iter().filter_map(Value::as_instruction).all(|user| match user.opcode() {
        Opcode::ICmp | Opcode::Switch | Opcode::Branch => true,
        Opcode::Copy | Opcode::Extract | Opcode::Phi => is_only_compared(user.value()),
        _ => false,
    })
}

fn replace<'c>(context: &'c Context, module: &Module<'c>, atomic: Instruction<'c>, number: usize) {
    let operands: Vec<_> = atomic.operands().collect();
    let types: Vec<_> = operands.iter().map(|operand| operand.ty()).collect();
    let signature = context.function(atomic.ty(), &types, false);
    let name = format!("atomic_{number}");
    // One that takes or gives a lock: nothing may be moved across.
    let memory = if atomic.is_relaxed() { outlined::CHANGES_ARGUMENTS } else { outlined::ANYTHING };
    let function = outlined::add(context, module, &name, signature, memory);
    let inside = Builder::at_end(context, function.append_block(context, c"entry"));
    let copy = inside.copy_of(atomic);
    for index in 0..operands.len() as u32 {
        copy.set_operand(index, function.param(index));
    }
    inside.return_value(copy.value());
    let call = Builder::before(context, atomic).call(function, &operands);
    atomic.replace_uses(call.value());
    atomic.erase();
}
