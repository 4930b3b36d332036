//! `total_cmp`. It compares floats as integers, and the optimiser then loads and moves them as integers too: Enzyme
//! takes them for integers, and no derivative flows. So they are compared as floats instead. Only two NaNs with
//! other bits but one sign are then equal.

use std::ffi::CString;

use crate::error::Error;
use crate::llvm::{
    Bits, Builder, Context, Function, Instruction, Linkage, Machine, Module, Opcode, Precision, Value,
    Vectorize, link, run_passes,
};

const TEXT: &str = include_str!("order.ll");

/// Compares floats as such where their bits are compared. To be called before the optimiser.
pub(super) fn lower<'c>(context: &'c Context, module: &Module<'c>, machine: &Machine) -> Result<(), Error> {
    let instructions = |module: &Module<'c>| {
        let functions = module.functions().filter(|function| !function.is_declaration());
        functions.flat_map(Function::instructions)
    };
    if !instructions(module).any(is_sign) {
        return Ok(());
    }
    // The floats and the integers made of them meet in one function; a load is a float's still.
    let passes = "cgscc(inline),function(sroa,early-cse)";
    let failed = Error::stage("looking for comparisons of floats");
    run_passes(context, module, machine, passes, Vectorize::No).map_err(&failed)?;
    for (call, left, right) in instructions(module).filter_map(compared).collect::<Vec<_>>() {
        let Some(precision) = left.ty().precision() else { continue };
        let order = function(context, module, precision).map_err(&failed)?;
        let new = Builder::before(context, call).call(order, &[left, right]);
        call.replace_uses(new.value());
        call.erase();
    }
    Ok(())
}

/// The function that compares, added to the module if it is not there yet.
fn function<'c>(
    context: &'c Context,
    module: &Module<'c>,
    precision: Precision,
) -> Result<Function<'c>, crate::llvm::LlvmError> {
    let (bits, float) = match precision {
        Precision::Double => ("64", "double"),
        Precision::Single => ("32", "float"),
    };
    let name = format!("__autodiff_order_{bits}");
    if module.function(&name).is_none() {
        let text = TEXT.replace("{bits}", bits).replace("{float}", float);
        let text = context.parse_text(&CString::new(text).unwrap_or_default())?;
        text.set_machine(&module.triple(), &module.data_layout());
        link(context, module, text)?;
    }
    let function = module.declare(&name, context.function(context.void(), &[], false));
    function.set_linkage(Linkage::Internal);
    Ok(function)
}

/// A comparison of the bits of two floats, and the floats.
fn compared(call: Instruction<'_>) -> Option<(Instruction<'_>, Value<'_>, Value<'_>)> {
    let callee = call.callee().filter(|callee| callee.name().starts_with("llvm.scmp.i8."))?;
    debug_assert!(callee.is_intrinsic());
    let (left, right) = (float(call.operand(0))?, float(call.operand(1))?);
    (left.ty() == right.ty()).then_some((call, left, right))
}

/// The float of which a value is `bits ^ (bits >> 63) >>> 1`, which puts floats in order.
fn float(key: Value<'_>) -> Option<Value<'_>> {
    let key = key.as_instruction().filter(|it| it.bits() == Some(Bits::ExclusiveOr))?;
    [0, 1].into_iter().find_map(|index| {
        let sign = key.operand(1 - index).as_instruction().filter(|it| is_sign(*it))?;
        let bits = sign.operand(0).as_instruction()?.operand(0);
        let cast = bits.as_instruction().filter(|it| it.opcode() == Opcode::BitCast)?;
        (bits == key.operand(index)).then(|| cast.operand(0))
    })
}

/// Whether this is all bits but the first of an integer below zero: `(bits >> 63) >>> 1`.
fn is_sign(instruction: Instruction<'_>) -> bool {
    let by = |it: Instruction<'_>, bits: Bits, count: u64| {
        it.bits() == Some(bits) && it.operand(1).as_integer() == Some(count)
    };
    by(instruction, Bits::ShiftRight, 1)
        && instruction.ty().int_bits().is_some_and(|width| {
            let inner = instruction.operand(0).as_instruction();
            inner.is_some_and(|inner| by(inner, Bits::ShiftRightSigned, u64::from(width) - 1))
        })
}
