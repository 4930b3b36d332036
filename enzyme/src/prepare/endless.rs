//! Loops without a way out. Enzyme makes some where it takes the way out for impossible: in derivatives of
//! its own derivatives, and in the reverse sweep of some loops whose number of turns is also what the loop
//! around them counts down by.

use std::collections::HashSet;

use crate::class::Class;
use crate::llvm::{Block, Function, Instruction, Module};
use crate::reason::Reason;

/// Finds a function with blocks from which no end is ever reached.
pub(super) fn check(module: &Module<'_>) -> Option<Reason> {
    let mut functions = module.functions().filter(|function| !function.is_declaration());
    functions.any(is_endless).then(|| Reason::new(Class::Endless))
}

fn is_endless(function: Function<'_>) -> bool {
    let blocks: Vec<_> = function.blocks().collect();
    let ends = |block: &&_| successors(**block).is_empty();
    let mut left: Vec<_> = blocks.iter().filter(ends).copied().collect();
    let mut ended: HashSet<_> = left.iter().copied().collect();
    while let Some(block) = left.pop() {
        left.extend(block.predecessors().into_iter().filter(|before| ended.insert(*before)));
    }
    ended.len() < blocks.len()
}

fn successors(block: Block<'_>) -> Vec<Block<'_>> {
    block.terminator().map(Instruction::successors).unwrap_or_default()
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
