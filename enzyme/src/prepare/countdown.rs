//! Loops that go on while a number is at least another one: mostly, those that count down. Enzyme counts the turns of
//! loops beforehand where it can, and counts these wrong. So it must not see what decides: then it counts the turns
//! while the loop runs.

use std::collections::HashSet;

use indexmap::IndexSet;

use super::loops::{self, Exit, Loop};
use super::{outlined, state};
use crate::llvm::{Block, Builder, Context, Function, Instruction, Module, Opcode, Relation, Value};

/// The name of the function through which goes what decides.
const NAME: &str = "bound";

/// Hides what decides whether such loops go on.
pub(super) fn hide<'c>(context: &'c Context, module: &Module<'c>) {
    let functions = module.functions().filter(|it| !it.is_declaration() && !state::is_native(*it));
    let asks = |function: &Function<'c>| {
        function.blocks().filter_map(Block::terminator).any(|branch| !relations(branch).is_empty())
    };
    let branches: IndexSet<Instruction<'c>> =
        functions.filter(asks).flat_map(loops::of).flat_map(|it| miscounted(&it)).collect();
    if branches.is_empty() {
        return;
    }
    let bound = outlined::hiding(context, module, NAME, context.int(1));
    for branch in branches {
        let Some(condition) = branch.condition() else { continue };
        branch.set_operand(0, Builder::before(context, branch).call(bound, &[condition]).value());
    }
}

/// Takes away what hides.
pub(super) fn show(module: &Module<'_>) {
    outlined::reveal(module, NAME);
}

/// The branches by which Enzyme would count the turns of a loop, wrongly.
fn miscounted<'c>(turns: &Loop<'c>) -> Vec<Instruction<'c>> {
    let is_wrong = |exit: &Exit<'c>| {
        let condition = exit.branch.condition();
        relations(exit.branch).into_iter().any(|(comparison, relation)| {
            if condition != Some(comparison.value()) {
                // It is part of a condition, who knows of which sign.
                return true;
            }
            let goes_on = if exit.stays == 0 { relation } else { relation.negated() };
            let [left, right] = [comparison.operand(0), comparison.operand(1)];
            is_at_least(goes_on, right, &turns.blocks) || is_at_least(goes_on.swapped(), left, &turns.blocks)
        })
    };
    turns.exits().into_iter().filter(is_wrong).map(|exit| exit.branch).collect()
}

/// Whether something is to be at least `bound`, which is the same in each turn.
fn is_at_least<'c>(relation: Relation, bound: Value<'c>, inside: &IndexSet<Block<'c>>) -> bool {
    let known = bound.is_constant() && !relation.signed;
    !relation.less && relation.or_equal && !known && is_fixed(bound, inside)
}

/// Whether a value is the same in each turn of a loop.
fn is_fixed<'c>(value: Value<'c>, inside: &IndexSet<Block<'c>>) -> bool {
    let in_loop = |value: Value<'c>| value.as_instruction().filter(|it| inside.contains(&it.block()));
    let (mut seen, mut left) = (HashSet::new(), vec![value]);
    while let Some(value) = left.pop() {
        let Some(instruction) = in_loop(value).filter(|it| seen.insert(*it)) else { continue };
        let varies = [Opcode::Phi, Opcode::Load, Opcode::Call, Opcode::AtomicRmw];
        if varies.contains(&instruction.opcode()) {
            return false;
        }
        left.extend(instruction.operands());
    }
    true
}

/// The comparisons of integers that a branch depends on.
fn relations(branch: Instruction<'_>) -> Vec<(Instruction<'_>, Relation)> {
    let (mut found, mut seen) = (Vec::new(), HashSet::new());
    let mut left: Vec<Value<'_>> = branch.condition().into_iter().collect();
    while let Some(value) = left.pop() {
        let Some(instruction) = value.as_instruction().filter(|it| seen.insert(*it)) else { continue };
        match instruction.opcode() {
            Opcode::Phi | Opcode::Load | Opcode::Call => {}
            Opcode::ICmp => found.extend(instruction.relation().map(|relation| (instruction, relation))),
            _ => left.extend(instruction.operands().filter(|it| it.ty().int_bits() == Some(1))),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{hide, show};
    use crate::llvm::Context;

    /// Whether the way out of a loop is hidden, which goes on while `%i` and this are so.
    fn is_hidden(goes_on: &str, bound: &str) -> bool {
        let text = format!(
            "define void @f(i64 %n, i64 %k, ptr %p) {{
            entry:
              br label %loop
            loop:
              %i = phi i64 [ %n, %entry ], [ %next, %loop ]
              %next = add i64 %i, -1
              %goes_on = icmp {goes_on} i64 %next, {bound}
              br i1 %goes_on, label %loop, label %done
            done:
              ret void
            }}"
        );
        let context = Context::new();
        let text = std::ffi::CString::new(text).expect("a text");
        let module = context.parse_text(&text).expect("this is a module");
        hide(&context, &module);
        module.verify().expect("it is still a module");
        let hidden = module.text().contains("call i1 @__autodiff_outlined_bound");
        show(&module);
        assert!(module.text().contains("br i1 %goes_on"));
        hidden
    }

    #[test]
    fn counting_down_to_a_bound_is_hidden() {
        assert!(is_hidden("uge", "%k") && is_hidden("sge", "%k") && is_hidden("sge", "0"));
        for (goes_on, bound) in [("ugt", "%k"), ("sgt", "%k"), ("ult", "%k"), ("ne", "%k"), ("uge", "4")] {
            assert!(!is_hidden(goes_on, bound), "{goes_on} {bound}");
        }
    }
}
