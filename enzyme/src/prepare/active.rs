//! Memory that holds what depends on the arguments. Enzyme takes memory for constant whose contents are
//! never needed, and where its address may as well be that of other memory, the one's numbers are taken
//! for the other's shadow.

use std::collections::HashSet;

use super::dependence::Dependence;
use super::flow::Flow;
use crate::llvm::{Attribute, Context, Function, Instruction, Module, Opcode, Place};
use crate::symbol;

/// To Enzyme: this has a shadow.
const MARK: &str = "enzyme_active_val";

/// Says of such memory, where its address may be one of several, that it has a shadow.
pub(super) fn mark<'c>(
    context: &'c Context,
    module: &Module<'c>,
    flow: &mut Flow<'c>,
    dependence: &Dependence<'c>,
) {
    let functions = module.functions().filter(|function| !function.is_declaration());
    let instructions: Vec<_> = functions.flat_map(Function::instructions).collect();
    let merged: HashSet<_> = instructions
        .iter()
        .filter(|instruction| merges_addresses(**instruction))
        .flat_map(|merge| flow.objects(merge.value()))
        .collect();
    for memory in instructions.into_iter().filter(|it| makes_memory(*it)) {
        let address = memory.value();
        let is_one_of_several = !flow.objects(address).is_disjoint(&merged);
        let holds_numbers = flow.of_range(address, None).is_used_as_float();
        if is_one_of_several && holds_numbers && dependence.of_contents(address, None, flow) {
            if memory.is_call() {
                memory.add_call_attribute(context, Place::Function, Attribute::Text(MARK, ""));
            } else {
                memory.set_metadata(context.metadata_kind(MARK), Some(context.metadata_node(&[])));
            }
        }
    }
}

fn merges_addresses(instruction: Instruction<'_>) -> bool {
    matches!(instruction.opcode(), Opcode::Phi | Opcode::Select) && instruction.ty().is_pointer()
}

fn makes_memory(instruction: Instruction<'_>) -> bool {
    let allocates = |callee: Function<'_>| symbol::manages_memory(&callee.name());
    instruction.opcode() == Opcode::Alloca
        || (instruction.ty().is_pointer()
            && instruction.is_call()
            && instruction.callee().is_some_and(allocates))
}
