//! Checks of several addresses at once: LLVM joins `a & 7 == 0 && b & 7 == 0` to `(a | b) & 7 == 0`. To
//! Enzyme, addresses that are joined are no type at all, but the bits of one that tell how it is aligned
//! are an integer.

use crate::llvm::{Binary, Builder, Context, Function, Instruction, Module, Opcode, Value};

/// Takes the bits of each address before they are joined.
pub(super) fn separate<'c>(context: &'c Context, module: &Module<'c>) {
    let functions = module.functions().filter(|function| !function.is_declaration());
    let masks: Vec<_> = functions.flat_map(Function::instructions).filter(|it| it.is_and()).collect();
    for mask in masks {
        let joined = mask.operand(0).as_instruction().filter(|it| it.is_or() && joins_addresses(*it));
        let (Some(joined), Some(_)) = (joined, mask.operand(1).as_int()) else { continue };
        let bits = of_each(&Builder::before(context, mask), joined, mask.operand(1));
        mask.replace_uses(bits);
        mask.erase();
        forget(joined);
    }
}

fn joins_addresses(joined: Instruction<'_>) -> bool {
    let operands = [joined.operand(0), joined.operand(1)];
    operands
        .into_iter()
        .filter_map(Value::as_instruction)
        .any(|operand| operand.opcode() == Opcode::PtrToInt || (operand.is_or() && joins_addresses(operand)))
}

/// The bits of all that is joined.
fn of_each<'c>(builder: &Builder<'c>, joined: Instruction<'c>, mask: Value<'c>) -> Value<'c> {
    let [left, right] = [joined.operand(0), joined.operand(1)].map(|operand| {
        match operand.as_instruction().filter(|it| it.is_or()) {
            Some(inner) => of_each(builder, inner, mask),
            None => builder.binary(Binary::And, operand, mask),
        }
    });
    builder.binary(Binary::Or, left, right)
}

/// Erases what joined addresses and is not used any more.
fn forget(joined: Instruction<'_>) {
    if !joined.value().users().is_empty() {
        return;
    }
    let operands = [joined.operand(0), joined.operand(1)];
    joined.erase();
    operands.into_iter().filter_map(Value::as_instruction).filter(|it| it.is_or()).for_each(forget);
}
