//! Loops that do nothing and have no way out. Enzyme makes some where it differentiates its own
//! derivatives and the way out was a check that it took for impossible.

use crate::class::Class;
use crate::llvm::{Block, Function, Module, Opcode};
use crate::reason::Reason;

/// Finds a block that only leads to itself.
pub(super) fn check(module: &Module<'_>) -> Option<Reason> {
    module.functions().flat_map(Function::blocks).any(is_endless).then(|| Reason::new(Class::Endless))
}

fn is_endless(block: Block<'_>) -> bool {
    block.instructions().next().is_some_and(|first| {
        first.opcode() == Opcode::Branch && first.condition().is_none() && first.successors() == [block]
    })
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::llvm::Context;

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
