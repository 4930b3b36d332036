//! What is kept on the tape rather than computed again. Enzyme computes again what it can; for
//! functions that take longer than a load from memory, that loses.

use crate::llvm::{Context, Function, Instruction, Module};

/// Functions whose value is kept, by the names of the C library and of LLVM's intrinsics.
const COSTLY: [&str; 26] = [
    "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "cos", "cosh", "erf", "exp", "exp10",
    "exp2", "expm1", "hypot", "log", "log10", "log1p", "log2", "pow", "sin", "sinh", "sqrt", "tan", "tanh",
];

/// Marks values that are to be kept.
pub(super) fn mark<'c>(context: &'c Context, module: &Module<'c>) {
    let kind = context.metadata_kind("enzyme_mustcache");
    let functions = module.functions().filter(|function| !function.is_declaration());
    for instruction in functions.flat_map(Function::instructions).filter(|it| is_costly(*it)) {
        instruction.set_metadata(kind, Some(context.metadata_node(&[])));
    }
}

fn is_costly(instruction: Instruction<'_>) -> bool {
    if let Some(callee) = instruction.callee() {
        let name = callee.name();
        let plain = name.strip_prefix("llvm.").and_then(|rest| rest.split('.').next()).unwrap_or(&name);
        return COSTLY.contains(&plain) || plain.strip_suffix('f').is_some_and(|it| COSTLY.contains(&it));
    }
    instruction.is_division()
}
