//! Loops that have no way out. Enzyme makes some that do nothing where it differentiates its own
//! derivatives and the way out was a check that it took for impossible. It makes others that change memory,
//! for ever further away: most are never entered, but not all.

use crate::class::Class;
use crate::llvm::{Block, Builder, Context, Function, Module, Opcode};
use crate::reason::Reason;

/// Finds a block that only leads to itself.
pub(super) fn check(module: &Module<'_>) -> Option<Reason> {
    module.functions().flat_map(Function::blocks).any(is_endless).then(|| Reason::new(Class::Endless))
}

/// Ends the program where it enters a loop that would never end, before memory is overwritten.
pub(super) fn stop<'c>(context: &'c Context, module: &Module<'c>) {
    let leads_to_itself =
        |block: &Block<'c>| block.terminator().is_some_and(|end| end.successors() == [*block]);
    let loops: Vec<_> = module.functions().flat_map(Function::blocks).filter(leads_to_itself).collect();
    for first in
        loops.into_iter().filter_map(|block| block.instructions().find(|it| it.opcode() != Opcode::Phi))
    {
        if first.opcode() != Opcode::Branch {
            let trap = module.declare("llvm.trap", context.function(context.void(), &[], false));
            Builder::before(context, first).call(trap, &[]);
        }
    }
}

fn is_endless(block: Block<'_>) -> bool {
    block.instructions().next().is_some_and(|first| {
        first.opcode() == Opcode::Branch && first.condition().is_none() && first.successors() == [block]
    })
}

#[cfg(test)]
mod tests {
    use super::{check, stop};
    use crate::llvm::Context;

    #[test]
    fn memory_is_not_overwritten_without_end() {
        let context = Context::new();
        let text = c"define void @f(ptr %start) {
          br label %loop
        loop:
          %here = phi ptr [ %start, %0 ], [ %next, %loop ]
          store i64 0, ptr %here
          %next = getelementptr i64, ptr %here, i64 -1
          br label %loop
        }";
        let module = context.parse_text(text).expect("this is a module");
        stop(&context, &module);
        module.verify().expect("it is still a module");
        let text = module.text();
        assert!(
            text.find("call void @llvm.trap").expect("a trap") < text.find("store i64").expect("the store")
        );
    }

    fn is_endless(body: &std::ffi::CStr) -> bool {
        let context = Context::new();
        let module = context.parse_text(body).expect("this is a module");
        check(&module).is_some()
    }

    #[test]
    fn derivative_without_a_way_out_is_endless() {
        assert!(is_endless(
            c"define void @__autodiff_derivative_1(ptr %args) {
              br label %loop
            loop:
              br label %loop
            }"
        ));
        assert!(!is_endless(
            c"define void @__autodiff_derivative_1(ptr %args) {
              ret void
            }"
        ));
    }
}
