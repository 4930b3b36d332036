//! Roundings. The function's own arithmetic is computed to the last bit as without a derivative.
//! That of the adjoint and the tangent has no such meaning: nobody wrote it. So it may be reordered
//! and fused, which makes it faster and no less accurate; NaN, infinities and the sign of zero
//! remain what they are. Which is which, Enzyme does not say; so the function's own is marked
//! before, with a flag that means nothing for arithmetic.

use crate::llvm::{Context, FastMath, Function, Instruction, Module};

const MARK: FastMath = FastMath::APPROXIMATE;

/// Marks the arithmetic that is there before Enzyme.
pub(super) fn mark(module: &Module<'_>) {
    for instruction in arithmetic(module) {
        instruction.add_fast_math(MARK);
    }
}

/// Takes the marks away, and gives what has none the freedom to be rounded otherwise.
pub(super) fn release<'c>(context: &'c Context, module: &Module<'c>) {
    for instruction in arithmetic(module).collect::<Vec<_>>() {
        if instruction.fast_math().contains(MARK) {
            instruction.remove_fast_math(context, MARK);
        } else {
            instruction.add_fast_math(FastMath::ROUNDING);
        }
    }
}

fn arithmetic<'c>(module: &Module<'c>) -> impl Iterator<Item = Instruction<'c>> {
    let functions = module.functions().filter(|function| !function.is_declaration());
    functions.flat_map(Function::instructions).filter(|it| it.is_float_arithmetic())
}

#[cfg(test)]
mod tests {
    use super::{FastMath, Instruction, MARK, arithmetic, mark, release};
    use crate::llvm::Context;

    #[test]
    fn only_what_enzyme_adds_may_be_rounded_otherwise() {
        let context = Context::new();
        let module = context
            .parse_text(
                c"define double @f(double %x) {
                    %own = fadd double %x, %x
                    %free = fmul contract double %own, %x
                    %adjoint = fmul double %free, %x
                    ret double %adjoint
                }",
            )
            .expect("this is a module");
        mark(&module);
        // As if Enzyme had made the last one.
        let last = arithmetic(&module).last().expect("there are three");
        last.remove_fast_math(&context, MARK);
        release(&context, &module);
        let flags: Vec<_> = arithmetic(&module).map(Instruction::fast_math).collect();
        assert_eq!(flags[0], FastMath::default());
        assert!(!flags[1].contains(FastMath::ROUNDING), "the user's own flags stay");
        assert_eq!(flags[2], FastMath::ROUNDING);
    }
}
