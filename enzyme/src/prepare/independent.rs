//! Functions that touch nothing which depends on the arguments. Enzyme need not look into them, and
//! would take the addresses that some return for those of memory with a shadow.

use std::collections::HashSet;

use super::dependence::Dependence;
use super::flow::Flow;
use super::{cleanup, custom, state};
use crate::llvm::{Attribute, Context, Function, Instruction, Module, Opcode, Place};
use crate::{derivative, symbol};

/// Tells Enzyme of such functions.
pub(super) fn mark_inactive<'c>(
    context: &'c Context,
    module: &Module<'c>,
    flow: &mut Flow<'c>,
    dependence: &Dependence<'c>,
) {
    let mut independent: HashSet<Function<'c>> = module
        .functions()
        .filter(|function| !function.is_declaration() && !symbol::is_derivative(&function.name()))
        .filter(|function| !state::is_native(*function) && !cleanup::is_one(&function.name()))
        .filter(|function| !custom::is_inner(*function))
        .filter(|function| touches_nothing(*function, flow, dependence))
        .collect();
    // Nor may they call others that do.
    loop {
        let before = independent.len();
        let known = independent.clone();
        independent.retain(|function| {
            let mut callees = function.instructions().filter(|it| it.is_call()).map(Instruction::callee);
            callees.all(|callee| callee.is_some_and(|callee| is_harmless(callee) || known.contains(&callee)))
        });
        if independent.len() == before {
            break;
        }
    }
    for function in independent {
        function.add_attribute(context, Place::Function, Attribute::Text("enzyme_inactive", ""));
        function.add_attribute(context, Place::Function, Attribute::Enum("noinline", 0));
    }
}

/// Whether no instruction of a function is on what depends on the arguments.
fn touches_nothing<'c>(function: Function<'c>, flow: &mut Flow<'c>, dependence: &Dependence<'c>) -> bool {
    let params = (0..function.param_count()).map(|index| function.param(index));
    let values = function.instructions().flat_map(|instruction| {
        let operands = instruction.operands().filter(|operand| !operand.is_block() && !operand.is_metadata());
        operands.chain([instruction.value()]).collect::<Vec<_>>()
    });
    params.chain(values).all(|value| {
        !dependence.of_value(value)
            && (!value.ty().is_pointer()
                || value.as_function().is_some()
                || !dependence.of_all_behind(value, flow))
    }) && function.instructions().all(|instruction| instruction.opcode() != Opcode::Invoke)
}

/// Whether a function may be called without a thought for what is differentiated. One that frees
/// memory may not: what was there could still be needed for the reverse sweep.
fn is_harmless(callee: Function<'_>) -> bool {
    let name = callee.name();
    callee.is_declaration()
        && !derivative::is_enzyme(&name)
        && !["__rust_dealloc", "__rust_realloc", "free"].contains(&&*name)
        && (callee.is_intrinsic()
            || symbol::manages_memory(&name)
            || state::keeps_state(callee)
            || callee.has_attribute(Place::Function, "noreturn"))
        || super::outlined::plain_name(&name).is_some()
}
