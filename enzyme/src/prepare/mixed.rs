//! Addresses that are sometimes of constant memory and sometimes of memory with a shadow. Enzyme
//! takes constant memory for its own shadow there, so the derivative would be wrong.

use super::dependence::Dependence;
use super::flow::{Flow, anchor};
use super::origin::Origins;
use super::state;
use crate::class::Class;
use crate::llvm::{Function, Instruction, Module, Opcode, Type, Value};
use crate::reason::Reason;

/// Refuses such choices in forward mode.
pub(super) fn check<'c>(
    module: &Module<'c>,
    flow: &mut Flow<'c>,
    dependence: &Dependence<'c>,
) -> Option<Reason> {
    let constants = Origins::of_constants_and_data(module, flow);
    let first = choices(module, flow, dependence, &constants).into_iter().next();
    first.map(|choice| Reason::at(Class::Mixes, choice))
}

/// Where an address is chosen between constant memory and other memory, and that holds floats which depend on the
/// arguments.
pub(super) fn choices<'c>(
    module: &Module<'c>,
    flow: &mut Flow<'c>,
    dependence: &Dependence<'c>,
    constants: &Origins<'c>,
) -> Vec<Instruction<'c>> {
    let functions = module.functions().filter(|function| !state::is_native(*function));
    let mixed = functions.flat_map(Function::instructions).filter(|choice| {
        holds_address(choice.ty())
            && mixes(*choice, constants)
            && dependence.of_contents(choice.value(), None, flow)
            && flow.of_contents(choice.value()).is_used_as_float()
    });
    mixed.collect()
}

/// Whether a value of this type is an address or has one, as a slice has.
fn holds_address(ty: Type<'_>) -> bool {
    !ty.is_void() && ty.int_bits().is_none() && ty.float_name().is_none()
}

/// Whether one choice is of constant memory and another is not.
fn mixes<'c>(choice: Instruction<'c>, constants: &Origins<'c>) -> bool {
    let choices: Vec<Value<'c>> = match choice.opcode() {
        Opcode::Phi => choice.operands().collect(),
        Opcode::Select => choice.operands().skip(1).collect(),
        _ => return false,
    };
    // What is nowhere in memory, such as the address of an empty vector, is neither.
    let somewhere = |value: &&Value<'c>| !value.is_constant() || anchor(**value).as_global().is_some();
    let (constant, other): (Vec<&Value<'c>>, Vec<&Value<'c>>) =
        choices.iter().filter(somewhere).partition(|value| constants.contain(**value));
    !constant.is_empty() && other.iter().any(|value| **value != choice.value())
}
