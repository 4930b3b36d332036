//! Memory that the derivative treats as constant: captured values, `Const` arguments, statics.

use super::dependence::Dependence;
use super::flow::Flow;
use super::origin::Origins;
use crate::class::Class;
use crate::llvm::{Function, Instruction, Module, Opcode, Value};
use crate::reason::Reason;

/// Finds a floating-point value that is stored in constant memory. To Enzyme it ends there, so what
/// is computed from it later would lose its derivative without a word.
pub(super) fn check<'c>(
    module: &Module<'c>,
    flow: &mut Flow<'c>,
    dependence: &Dependence<'c>,
) -> Option<Reason> {
    let origins = Origins::of_constants(module, flow);
    let functions = module.functions().filter(|function| !function.is_declaration());
    functions.flat_map(Function::instructions).find_map(|instruction| {
        let pointer = destination(instruction, flow, dependence)?;
        origins.contain(pointer).then(|| Reason::at(Class::StoresInConstant, instruction))
    })
}

/// Where an instruction stores what may be a floating-point number that depends on the arguments.
fn destination<'c>(
    instruction: Instruction<'c>,
    flow: &mut Flow<'c>,
    dependence: &Dependence<'c>,
) -> Option<Value<'c>> {
    match instruction.opcode() {
        Opcode::Store => {
            let value = instruction.operand(0);
            let float = value.ty().float_name().is_some() || flow.of_value(value).may_be_float();
            (float && dependence.of_value(value)).then(|| instruction.operand(1))
        }
        Opcode::Call => {
            let name = instruction.callee()?.name();
            let copies = name.starts_with("llvm.memcpy.") || name.starts_with("llvm.memmove.");
            let length = copies.then(|| instruction.operand(2).as_int().map(i64::cast_unsigned)).flatten();
            (copies
                && flow.of_range(instruction.operand(0), length).may_be_float()
                && dependence.of_contents(instruction.operand(1), length, flow))
            .then(|| instruction.operand(0))
        }
        _ => None,
    }
}
