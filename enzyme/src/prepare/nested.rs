//! Derivatives taken inside what is to be differentiated.

use crate::llvm::{Instruction, Module};
use crate::reason::Reason;
use crate::symbol;

/// Finds a derivative call.
pub(super) fn check(module: &Module<'_>) -> Option<Reason> {
    let entry = module.functions().find(|function| symbol::is_derivative_call(&function.name()))?;
    let call =
        entry.users().into_iter().filter_map(crate::llvm::Value::as_instruction).find(|it| it.is_call())?;
    Some(Reason::Nested { function: Instruction::block(call).function().name() })
}
