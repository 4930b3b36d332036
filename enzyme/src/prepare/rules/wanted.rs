//! What the rules are for: calls by name, operations, and the formulas by which the standard library computes
//! inverse hyperbolic functions, which the optimiser has made part of their callers.

use super::{Found, Operand, Rule};
use crate::llvm::{Arithmetic, Instruction, Precision, Value};

const fn unary(name: &'static str) -> Rule {
    Rule { name, unary: true }
}

const fn binary(name: &'static str) -> Rule {
    Rule { name, unary: false }
}

/// The rule for what an instruction computes, if there is one.
pub(super) fn at<'c>(instruction: Instruction<'c>, forward: bool) -> Option<Found<'c>> {
    let precision = instruction.ty().precision()?;
    let found = |rule: Rule, arguments: Vec<Operand<'c>>, replaced: Vec<Instruction<'c>>| {
        Some(Found { rule, precision, arguments, replaced })
    };
    if let Some(arithmetic) = instruction.arithmetic() {
        let both = vec![(instruction, 0), (instruction, 1)];
        return match arithmetic {
            Arithmetic::Remainder => found(binary("rem"), both, vec![instruction]),
            Arithmetic::Divide if forward && !is_moderate(instruction.operand(1), precision) => {
                found(binary("div"), both, vec![instruction])
            }
            Arithmetic::Multiply => {
                let (x, replaced) = atanh(instruction)?;
                found(unary("atanh"), vec![x], replaced)
            }
            _ => None,
        };
    }
    let name = called(instruction)?;
    let arguments = instruction.arguments();
    let rule = match name.as_str() {
        "acos" => unary("acos"),
        "asin" => unary("asin"),
        "cbrt" => unary("cbrt"),
        "atan2" => binary("atan2"),
        "hypot" => binary("hypot"),
        "fmod" => binary("rem"),
        "llvm.minnum" => binary("minnum"),
        "llvm.maxnum" => binary("maxnum"),
        // A constant exponent or base has no slope, and is in no corner.
        "llvm.pow" if !is_positive(arguments[0]) && !is_real(arguments[1]) => binary("pow"),
        "llvm.log" => {
            let (x, replaced) = acosh(instruction)?;
            return found(unary("acosh"), vec![x], replaced);
        }
        "llvm.copysign" => {
            let (x, replaced) = asinh(instruction)?;
            return found(unary("asinh"), vec![x], replaced);
        }
        _ => return None,
    };
    let arguments = (0..arguments.len() as u32).map(|index| (instruction, index)).collect();
    found(rule, arguments, vec![instruction])
}

/// The name of a called function of the C library or intrinsic, without its precision.
fn called(instruction: Instruction<'_>) -> Option<String> {
    let precision = instruction.ty().precision()?;
    let callee = instruction.callee()?;
    let same = |param: &Value<'_>| param.ty().precision() == Some(precision);
    if !instruction.arguments().iter().all(same) {
        return None;
    }
    let name = callee.name();
    let suffix = match (callee.is_intrinsic(), precision) {
        (true, Precision::Double) => ".f64",
        (true, Precision::Single) => ".f32",
        (false, Precision::Double) => "",
        (false, Precision::Single) => "f",
    };
    name.strip_suffix(suffix).map(str::to_owned)
}

/// Whether a divisor's square is neither too large nor too small to be a number.
fn is_moderate(divisor: Value<'_>, precision: Precision) -> bool {
    let exponent = if precision == Precision::Double { 500 } else { 60 };
    divisor.as_real().is_some_and(|real| (2f64.powi(-exponent)..=2f64.powi(exponent)).contains(&real.abs()))
}

fn is_positive(base: Value<'_>) -> bool {
    base.as_real().is_some_and(|real| real > 0.0 && real < f64::INFINITY)
}

fn is_real(exponent: Value<'_>) -> bool {
    exponent.as_real().is_some_and(|real| real != 0.0 && real.is_finite())
}

/// The operands of an operation, and itself.
fn operands(value: Value<'_>, arithmetic: Arithmetic) -> Option<(Instruction<'_>, Value<'_>, Value<'_>)> {
    let instruction = value.as_instruction().filter(|it| it.arithmetic() == Some(arithmetic))?;
    Some((instruction, instruction.operand(0), instruction.operand(1)))
}

/// The operands of an operation that may stand in either order: first the one of which `is` holds.
fn either<'c>(
    value: Value<'c>,
    arithmetic: Arithmetic,
    is: impl Fn(Value<'c>) -> bool,
) -> Option<(Instruction<'c>, Value<'c>, Value<'c>)> {
    let (instruction, left, right) = operands(value, arithmetic)?;
    if is(left) { Some((instruction, left, right)) } else { is(right).then_some((instruction, right, left)) }
}

fn equals(number: f64) -> impl Fn(Value<'_>) -> bool {
    move |value| value.as_real() == Some(number)
}

/// The call of a function by its name.
fn call<'c>(value: Value<'c>, name: &str) -> Option<Instruction<'c>> {
    value.as_instruction().filter(|it| it.is_call() && called(*it).as_deref() == Some(name))
}

/// `0.5 * ln_1p(2x / (1 - x))`.
fn atanh(root: Instruction<'_>) -> Option<(Operand<'_>, Vec<Instruction<'_>>)> {
    let (_, _, log) = either(root.value(), Arithmetic::Multiply, equals(0.5))?;
    let log = call(log, "log1p")?;
    let (quotient, double, rest) = operands(log.operand(0), Arithmetic::Divide)?;
    let (double, x) = match either(double, Arithmetic::Multiply, equals(2.0)) {
        Some((double, _, x)) => (double, x),
        None => operands(double, Arithmetic::Add)
            .filter(|(_, left, right)| left == right)
            .map(|(double, x, _)| (double, x))?,
    };
    let (rest, one, other) = operands(rest, Arithmetic::Subtract)?;
    (equals(1.0)(one) && other == x).then(|| ((rest, 1), vec![root, log, quotient, double, rest]))
}

/// `ln(x + sqrt(x - 1) * sqrt(x + 1))`.
fn acosh(root: Instruction<'_>) -> Option<(Operand<'_>, Vec<Instruction<'_>>)> {
    let shifted = |value, by| {
        let root = call(value, "llvm.sqrt")?;
        let (sum, _, x) = either(root.operand(0), Arithmetic::Add, equals(by))?;
        Some((x, root, sum))
    };
    let (sum, left, right) = operands(root.operand(0), Arithmetic::Add)?;
    let (x, product) = [(left, right), (right, left)]
        .into_iter()
        .find(|(_, product)| operands(*product, Arithmetic::Multiply).is_some())?;
    let (product, first, second) = operands(product, Arithmetic::Multiply)?;
    let (first, second) = if shifted(first, -1.0).is_some() { (first, second) } else { (second, first) };
    let (below, first, less) = shifted(first, -1.0)?;
    let (above, second, more) = shifted(second, 1.0)?;
    let place = u32::from(sum.operand(1) == x);
    (below == x && above == x).then(|| ((sum, place), vec![root, sum, product, first, second, less, more]))
}

/// `ln_1p(a + a / (hypot(1, 1 / a) + 1 / a))` with the sign of `x`, where `a` is `|x|`.
fn asinh(root: Instruction<'_>) -> Option<(Operand<'_>, Vec<Instruction<'_>>)> {
    let x = root.operand(1);
    let is_size = |value: Value<'_>| call(value, "llvm.fabs").is_some_and(|size| size.operand(0) == x);
    let log = call(root.operand(0), "log1p")?;
    let (inner, size, quotient) = either(log.operand(0), Arithmetic::Add, is_size)?;
    let (quotient, over, sum) = operands(quotient, Arithmetic::Divide)?;
    let (sum, length, inverse) = either(sum, Arithmetic::Add, |value| call(value, "hypot").is_some())?;
    let length = call(length, "hypot")?;
    let (inverse_of, one, under) = operands(inverse, Arithmetic::Divide)?;
    let right = over == size && under == size && equals(1.0)(one);
    let hypot = equals(1.0)(length.operand(0)) && length.operand(1) == inverse;
    let replaced = vec![root, log, inner, quotient, sum, length, inverse_of];
    (right && hypot).then_some(((root, 1), replaced))
}
