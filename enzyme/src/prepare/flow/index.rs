//! What is known of an index, from the code around it: the numbers it may be, and what they are
//! multiples of.

use super::graph::gcd;
use crate::llvm::{Block, Instruction, Opcode, Value};

/// Steps that are taken to find something out.
const DEPTH: u32 = 8;

/// The numbers from the first to below the second that `index` is one of at a place.
pub(super) fn range<'c>(index: Value<'c>, at: Instruction<'c>) -> Option<(i64, i64)> {
    counted(index).or_else(|| Some((0, assumed(index, at).or_else(|| checked(index, at.block()))?)))
}

/// A loop's counter, by one from a constant to a constant.
fn counted(index: Value<'_>) -> Option<(i64, i64)> {
    let phi = index.as_instruction().filter(|it| it.opcode() == Opcode::Phi)?;
    let incoming = phi.incoming();
    let &[one, other] = &incoming[..] else { return None };
    let ((start, _), (next, latch)) = if one.0.as_int().is_some() { (one, other) } else { (other, one) };
    let start = start.as_int()?;
    let step = next.as_instruction().filter(|it| it.is_addition())?;
    if step.operand(0) != index || step.operand(1).as_int() != Some(1) {
        return None;
    }
    let last = latch.terminator()?;
    let condition = last.condition()?.as_instruction().filter(|it| it.is_equality())?;
    let end = match condition.operand(1).as_int()? {
        last if condition.operand(0) == index => last.checked_add(1)?,
        end => Some(end).filter(|_| condition.operand(0) == next)?,
    };
    // The loop is left when the counter has got there.
    let leaves = last.successors().first().is_some_and(|exit| *exit != phi.block());
    (leaves && last.successors().get(1) == Some(&phi.block()) && start < end).then_some((start, end))
}

/// A bound that the compiler was told in the same block.
fn assumed<'c>(index: Value<'c>, at: Instruction<'c>) -> Option<i64> {
    let tests = index.users().into_iter().filter_map(Value::as_instruction);
    tests
        .filter(|test| test.block() == at.block())
        .filter_map(|test| Some((test, bound(test, index)?)))
        .filter(|(test, _)| {
            let users = test.users().into_iter().filter_map(Value::as_instruction);
            users
                .filter(|user| user.block() == at.block())
                .any(|user| user.callee().is_some_and(|callee| callee.name() == "llvm.assume"))
        })
        .map(|(_, bound)| bound)
        .min()
}

/// A bound that is checked on the way to a block.
fn checked<'c>(index: Value<'c>, block: Block<'c>) -> Option<i64> {
    let mut block = block;
    for _ in 0..DEPTH {
        let &[before] = &block.predecessors()[..] else { return None };
        let last = before.terminator()?;
        let successors = last.successors();
        if let Some(test) = last.condition().and_then(Value::as_instruction)
            && successors.first() == Some(&block)
            && successors.get(1) != Some(&block)
            && let Some(bound) = bound(test, index)
        {
            return Some(bound);
        }
        block = before;
    }
    None
}

/// What an index is below if a comparison holds.
fn bound<'c>(test: Instruction<'c>, index: Value<'c>) -> Option<i64> {
    (test.is_less_unsigned() && test.operand(0) == index)
        .then(|| test.operand(1).as_int().filter(|bound| *bound > 0))?
}

/// A number that an integer is a multiple of; 0 for zero itself.
pub(super) fn factor(value: Value<'_>) -> i64 {
    factor_of(value, &mut Vec::new(), DEPTH)
}

fn factor_of<'c>(value: Value<'c>, phis: &mut Vec<Value<'c>>, depth: u32) -> i64 {
    if let Some(number) = value.as_int() {
        return number;
    }
    let Some(instruction) = value.as_instruction().filter(|_| depth > 0) else { return 1 };
    let operand = |index| instruction.operand(index);
    let parts: Vec<_> = match instruction.opcode() {
        Opcode::Phi if phis.contains(&value) => return 0,
        Opcode::Phi => {
            phis.push(value);
            instruction.operands().collect()
        }
        Opcode::Select => vec![operand(1), operand(2)],
        Opcode::ShiftLeft => {
            let Some(by @ 0..62) = operand(1).as_int() else { return 1 };
            return factor_of(operand(0), phis, depth - 1).saturating_mul(1 << by);
        }
        _ if instruction.is_addition() || instruction.is_subtraction() => vec![operand(0), operand(1)],
        _ if instruction.is_multiplication() => {
            let left = factor_of(operand(0), phis, depth - 1);
            return left.saturating_mul(factor_of(operand(1), phis, depth - 1));
        }
        _ => return 1,
    };
    parts.into_iter().fold(0, |all, part| gcd(all, factor_of(part, phis, depth - 1)))
}
