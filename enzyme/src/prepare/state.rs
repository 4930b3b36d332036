//! The state of the standard library: what waits for a lock, names a thread, initialises a static
//! for the first time. Such functions run as they are, and no derivative flows through them.

use std::collections::HashSet;

use super::cleanup;
use super::dependence::Dependence;
use super::flow::Flow;
use super::outlined;
use crate::class::Class;
use crate::llvm::{Attribute, Context, Function, Instruction, Module, Opcode, Place, Value};
use crate::protocol::Site;
use crate::reason::Reason;
use crate::{derivative, symbol};

/// Marks functions that only run as they are.
const NATIVE: &str = "autodiff-native";

/// Keeps functions whole that initialise state, so that they can be told from the rest later.
pub(super) fn keep_whole<'c>(context: &'c Context, module: &Module<'c>) {
    for function in module.functions().filter(|function| symbol::initialises(&function.name())) {
        function.add_attribute(context, Place::Function, Attribute::Enum("noinline", 0));
    }
}

/// Tells Enzyme of functions that only look after state, and marks what only they call.
pub(super) fn mark_inactive<'c>(context: &'c Context, module: &Module<'c>, shims: &[(&Site, Function<'c>)]) {
    for function in module.functions().filter(|function| keeps_state(*function)) {
        for attribute in [
            Attribute::Text("enzyme_inactive", ""),
            Attribute::Enum("memory", outlined::ANYTHING),
            Attribute::Enum("nofree", 0),
            Attribute::Enum("noinline", 0),
        ] {
            function.add_attribute(context, Place::Function, attribute);
        }
    }
    let followed = followed(shims);
    for function in module.functions().filter(|function| !followed.contains(function)) {
        function.add_attribute(context, Place::Function, Attribute::Text(NATIVE, ""));
    }
}

/// Whether a function only runs as it is: what it does is not differentiated.
pub(super) fn is_native(function: Function<'_>) -> bool {
    function.text_attribute(Place::Function, NATIVE).is_some()
}

/// Whether a function only looks after state.
pub(super) fn keeps_state(function: Function<'_>) -> bool {
    let name = function.name();
    symbol::keeps_state(&name) || symbol::initialises(&name)
}

/// Finds state that is initialised with what depends on the arguments.
pub(super) fn check<'c>(
    module: &Module<'c>,
    flow: &mut Flow<'c>,
    dependence: &Dependence<'c>,
) -> Option<Reason> {
    let functions = module.functions().filter(|function| !is_native(*function));
    functions.flat_map(Function::instructions).find_map(|call| {
        let depends = call.callee().is_some_and(|callee| symbol::initialises(&callee.name()))
            && call.arguments().iter().any(|argument| dependence.of_all_behind(*argument, flow));
        depends.then(|| Reason::at(Class::Initialises, call))
    })
}

/// Whether what is differentiated takes derivatives itself.
pub(super) fn nests(shims: &[(&Site, Function<'_>)]) -> bool {
    let functions = followed(shims).into_iter().filter(|function| !symbol::is_derivative(&function.name()));
    let mut called = functions.flat_map(Function::instructions).filter_map(Instruction::callee);
    called.any(|callee| derivative::is_enzyme(&callee.name()))
}

/// The functions that are called from `shims`, or whose address is taken there, but for what only
/// looks after state and what panics run.
fn followed<'c>(shims: &[(&Site, Function<'c>)]) -> HashSet<Function<'c>> {
    let mut followed = HashSet::new();
    let mut seen = HashSet::new();
    let mut pending: Vec<Value<'c>> = shims.iter().map(|(_, shim)| **shim).collect();
    while let Some(value) = pending.pop() {
        if !seen.insert(value) {
            continue;
        }
        if let Some(function) = value.as_function() {
            let name = function.name();
            followed.insert(function);
            if !keeps_state(function) && !cleanup::is_one(&name) {
                pending.extend(function.instructions().flat_map(mentioned));
            }
        } else if let Some(global) = value.as_global() {
            pending.extend(global.initializer());
        } else if value.is_constant() {
            pending.extend(value.operands());
        }
    }
    followed
}

/// The constants that an instruction mentions; of a call that initialises, the function only.
fn mentioned(instruction: Instruction<'_>) -> Vec<Value<'_>> {
    if instruction.opcode() == Opcode::Call
        && let Some(callee) = instruction.callee()
        && symbol::initialises(&callee.name())
    {
        return vec![*callee];
    }
    instruction.operands().filter(|operand| operand.is_constant()).collect()
}
