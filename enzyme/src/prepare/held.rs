//! Addresses of constant memory that are held in memory with a shadow: by a closure, say, that refers to what another
//! one has captured and to the arguments. To Enzyme such an address is its own shadow, and derivatives would be added
//! to the constants themselves.

use std::collections::HashSet;

use super::dependence::Dependence;
use super::flow::{Flow, anchor};
use super::origin::Origins;
use super::reach::Reached;
use super::{mixed, state};
use crate::derivative;
use crate::llvm::{Context, Function, Global, Instruction, Module, Opcode, Value};

/// Tells Enzyme of such addresses. Where one may as well be of what depends on the arguments, the derivative is made to
/// look at it when it runs.
pub(super) fn mark_inactive<'c>(
    context: &'c Context,
    module: &Module<'c>,
    flow: &mut Flow<'c>,
    dependence: &Dependence<'c>,
) {
    let constants = Origins::of_constants_and_data(module, flow);
    let inactive = context.metadata_kind("enzyme_inactive_val");
    let functions = module.functions().filter(|function| !state::is_native(*function));
    let loads = functions.flat_map(Function::instructions).filter(|it| it.opcode() == Opcode::Load);
    let choices = mixed::choices(module, flow, dependence, &constants);
    let mut unclear: HashSet<_> = choices.into_iter().map(|choice| choice.block().function()).collect();
    for load in loads.filter(|load| constants.contain(load.value())).collect::<Vec<_>>() {
        if !flow.of_contents(load.value()).is_used_as_float() {
            continue;
        }
        if !dependence.of_all_behind(load.value(), flow) {
            load.set_metadata(inactive, Some(context.metadata_node(&[])));
        } else if !is_constant(load.value(), flow) {
            unclear.insert(load.block().function());
        }
    }
    derivative::look_at_activity(context, module, |function| {
        let mut reached = Reached::from([function].into_iter());
        std::iter::from_fn(|| reached.next()).any(|function| unclear.contains(&function))
    });
}

/// Whether an address surely is of constant memory, as Enzyme finds out by itself.
fn is_constant<'c>(address: Value<'c>, flow: &Flow<'c>) -> bool {
    let address = anchor(address);
    if flow.constants().contains(&address) || address.as_global().is_some_and(Global::is_constant_global) {
        return true;
    }
    let from =
        |it: &Instruction<'c>| matches!(it.opcode(), Opcode::Load | Opcode::GetElementPtr | Opcode::BitCast);
    address.as_instruction().filter(from).is_some_and(|it| is_constant(it.operand(0), flow))
}
