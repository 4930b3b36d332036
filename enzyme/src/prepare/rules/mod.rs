//! Derivatives of elementary functions where Enzyme's own rules lose digits, divide zero by zero or
//! overflow: see `docs/math.md`. The value stays that of the function.
//!
//! A function of one number becomes one of a family that Enzyme differentiates as it does the Bessel
//! functions, by `f(n, x)' = (f(n - 1, x) - f(n + 1, x)) / 2`: with the wanted slope, doubled, as number -1
//! and zero as number 1. The slope is code of its own, so that it has derivatives in turn.
//!
//! A function of two numbers becomes two: what has the right value, and what has the right slopes by Enzyme's
//! own rules. They are joined by a function that returns the one and is differentiated as the other.

mod text;
mod wanted;

use std::collections::{BTreeSet, HashSet};

use crate::error::Error;
use crate::llvm::{
    Attribute, Builder, Context, Function, Instruction, Linkage, Machine, Module, Place, Precision,
    Vectorize, link, run_passes,
};
use crate::symbol;

/// A rule, by the name of its function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Rule {
    name: &'static str,
    /// Of one number.
    unary: bool,
}

/// An operand by its number.
type Operand<'c> = (Instruction<'c>, u32);

/// Where a rule applies.
struct Found<'c> {
    rule: Rule,
    precision: Precision,
    /// Where the rule's arguments stand: other rules may change what stands there.
    arguments: Vec<Operand<'c>>,
    /// What computes the value now: the last instruction first.
    replaced: Vec<Instruction<'c>>,
}

/// Functions of the C library that rules call.
const LIBRARY: [&str; 7] = ["acos", "asin", "atan2", "cbrt", "fmod", "hypot", "log1p"];

/// Puts the rules in place of what they are for. `forward` says whether anything is differentiated in
/// forward mode.
pub(super) fn apply<'c>(
    context: &'c Context,
    module: &Module<'c>,
    machine: &Machine,
    forward: bool,
) -> Result<(), Error> {
    let functions = module.functions().filter(|function| !symbol::is_derivative(&function.name()));
    let found: Vec<Found<'c>> = functions
        .flat_map(Function::instructions)
        .filter_map(|instruction| wanted::at(instruction, forward))
        .collect();
    if found.is_empty() {
        return Ok(());
    }
    // What is part of a formula goes with it.
    let parts: HashSet<Instruction<'c>> =
        found.iter().flat_map(|found| found.replaced[1..].iter().copied()).collect();
    let found: Vec<_> = found.into_iter().filter(|found| !parts.contains(&found.replaced[0])).collect();
    add(context, module, &found)?;
    for found in &found {
        put(context, module, found);
    }
    let inlined = run_passes(context, module, machine, "always-inline", Vectorize::No);
    inlined.map_err(Error::stage("inlining rules of derivatives"))
}

/// Adds the functions of the rules to the module.
fn add<'c>(context: &'c Context, module: &Module<'c>, found: &[Found<'c>]) -> Result<(), Error> {
    let rules: BTreeSet<_> = found.iter().map(|found| (found.rule.name, found.precision)).collect();
    let failed = Error::stage("adding rules of derivatives");
    let text = context.parse_text(&text::of(&rules)).map_err(&failed)?;
    text.set_machine(&module.triple(), &module.data_layout());
    // What is local is not seen by the linker, and would be declared once more.
    let library = LIBRARY.iter().flat_map(|name| [(*name).to_owned(), format!("{name}f")]);
    let local: Vec<_> = library
        .filter_map(|name| module.function(&name))
        .filter(|function| function.linkage() == Linkage::Internal)
        .collect();
    for function in &local {
        function.set_linkage(Linkage::External);
    }
    link(context, module, text).map_err(&failed)?;
    let rules = module.functions().filter(|function| function.name().starts_with(text::PREFIX));
    rules.chain(local).for_each(|function| function.set_linkage(Linkage::Internal));
    Ok(())
}

/// Calls the rule in place of what it is for.
fn put<'c>(context: &'c Context, module: &Module<'c>, found: &Found<'c>) {
    let name = text::name(found.rule.name, found.precision);
    let (Some(rule), Some(last)) = (module.function(&name), found.replaced.first()) else { return };
    let builder = Builder::before(context, *last);
    let arguments: Vec<_> = found.arguments.iter().map(|(user, index)| user.operand(*index)).collect();
    let call = if found.rule.unary {
        let number = context.int(32).constant(0);
        let call = builder.call(rule, &[number, arguments[0]]);
        let bessel = if found.precision == Precision::Double { "jn" } else { "jnf" };
        // Of this call only: the slope, which the derivative calls, is differentiated as it is written.
        call.add_call_attribute(context, Place::Function, Attribute::Text("enzyme_math", bessel));
        call
    } else {
        builder.call(rule, &arguments)
    };
    last.replace_uses(call.value());
    for instruction in &found.replaced {
        if !instruction.has_users() {
            instruction.erase();
        }
    }
}
