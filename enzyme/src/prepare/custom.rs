//! Functions whose derivative the user gives. Their bodies are none of Enzyme's business: it is told of
//! a function without one, and of what to call in its place.
//!
//! A call of the runtime crate's way into such a function becomes a call with the argument slots as
//! arguments. Up to Enzyme this has a body that stands in for the function's: it has the same effects on
//! floating-point numbers, as far as the analyses can see. For Enzyme it becomes a call with one argument,
//! a structure of them all. So there is one activity for all: where an argument is constant and others are
//! not, Enzyme passes the argument as its own shadow, by which the runtime crate knows it.

mod define;
mod own;
mod record;

use self::define::{Define, Defined};
use self::record::Record;
use super::dependence::Dependence;
use super::flow::Flow;
use crate::class::Class;
use crate::derivative;
use crate::llvm::{Attribute, Builder, Context, Function, Global, Instruction, Module, Place, Value};
use crate::protocol::{Mode, Site};
use crate::reason::Reason;
use crate::symbol;

/// What the names begin with of the functions that Enzyme sees, and of the functions themselves.
pub(crate) const RULE: &str = "__autodiff_custom_";
const PRIMAL: &str = "__autodiff_primal_";

/// The functions with rules of a module.
#[derive(Default)]
pub(super) struct Rules<'c>(Vec<(Global<'c>, Record<'c>, Defined<'c>)>);

/// Has calls keep their records, as similar calls must not become one; and finds what only functions with rules
/// lead to.
pub(super) fn keep_apart<'c>(context: &'c Context, module: &Module<'c>, shims: &[(&Site, Function<'c>)]) {
    if let Some(entry) = entry(module) {
        entry.add_attribute(context, Place::Function, Attribute::Enum("nomerge", 0));
        own::mark(context, module, shims);
    }
}

/// Whether a function runs as it is, because only functions with rules lead to it.
pub(super) fn is_own(function: Function<'_>) -> bool {
    own::is(function)
}

/// Whether a function is differentiated in a rule, where no analysis sees with what.
pub(super) fn is_inner(function: Function<'_>) -> bool {
    own::is_inner(function)
}

/// Finds the calls of functions with rules, and has them call what stands in for the function.
pub(super) fn resolve<'c>(
    context: &'c Context,
    module: &Module<'c>,
    shims: &[(&Site, Function<'c>)],
) -> Result<Rules<'c>, Reason> {
    let mut rules = Rules::default();
    let Some(entry) = entry(module) else { return Ok(rules) };
    // Where nothing is differentiated, the way in leads to the function itself.
    let calls: Vec<_> = calls_of(entry).into_iter().filter(|it| !is_own(it.block().function())).collect();
    let widths = derivative::widths(module);
    for call in &calls {
        let refuse = |what: &str| Reason::at(Class::NoRule, *call).about(what);
        let is_wide = |(site, _): &(&Site, Function<'_>)| site.width > 1 && site.mode == Mode::Forward;
        if widths.len() > 1 || shims.iter().any(is_wide) {
            return Err(refuse(SEVERAL));
        }
        let record = call.operand(0).as_global().ok_or_else(|| refuse(CHOSEN))?;
        let width = widths.first().map_or(1, |width| *width as u32);
        let unpacked = rules.find(context, module, record, width).ok_or_else(|| refuse(CHOSEN))?;
        Builder::before(context, *call).call(unpacked, &[call.operand(1)]);
        call.erase();
    }
    Ok(rules)
}

const SEVERAL: &str =
    "in forward mode rules take one direction at a time, and in reverse mode as many everywhere";
const CHOSEN: &str = "which of several functions with rules is called is only known at run time";

impl<'c> Rules<'c> {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What takes the slots of the function with this record out of their block.
    fn find(
        &mut self,
        context: &'c Context,
        module: &Module<'c>,
        global: Global<'c>,
        width: u32,
    ) -> Option<Function<'c>> {
        if let Some((.., defined)) = self.0.iter().find(|(known, ..)| *known == global) {
            return Some(defined.unpacked);
        }
        let record = Record::of(global)?;
        let defined = Define { context, module, record: &record, number: self.0.len() }.all(width);
        let unpacked = defined.unpacked;
        self.0.push((global, record, defined));
        Some(unpacked)
    }

    /// Defines what stands in for the functions. `is_nested` says whether derivatives are differentiated.
    pub(super) fn stand_in(&self, context: &'c Context, module: &Module<'c>, is_nested: bool) {
        for (_, record, defined) in &self.0 {
            defined.stand_in(context, module, record, is_nested);
        }
    }

    /// Finds a function that captures what depends on the arguments, and must not.
    pub(super) fn check(
        &self,
        module: &Module<'c>,
        flow: &mut Flow<'c>,
        dependence: &Dependence<'c>,
    ) -> Option<Reason> {
        let captures = |record: &Record<'c>| {
            format!(
                "{} captures what depends on the arguments, and would lose its derivative: pass it as an argument",
                record.name
            )
        };
        self.0.iter().find_map(|(_, record, defined)| {
            let call = defined.check(module, record, flow, dependence)?;
            Some(Reason::at(Class::NoRule, call).about(captures(record)))
        })
    }

    /// Puts what Enzyme is to see in place of what stands in for it.
    pub(super) fn lower(&self, context: &'c Context, module: &Module<'c>, is_nested: bool) {
        for (_, record, defined) in &self.0 {
            defined.lower(context, module, record, is_nested);
        }
    }
}

/// Has what is left of the calls run the functions themselves.
pub(super) fn settle(module: &Module<'_>) {
    for rule in module.functions().filter(|it| it.is_declaration()) {
        let name = rule.name();
        let number = name.strip_prefix(RULE).and_then(|rest| rest.split('.').next());
        if let Some(primal) = number.and_then(|number| module.function(&format!("{PRIMAL}{number}"))) {
            rule.replace_uses(*primal);
        }
    }
}

/// The runtime crate's way into functions with rules.
fn entry<'c>(module: &Module<'c>) -> Option<Function<'c>> {
    module.functions().find(|function| symbol::is_rule_call(&function.name()))
}

fn calls_of(function: Function<'_>) -> Vec<Instruction<'_>> {
    let users = function.users().into_iter().filter_map(Value::as_instruction);
    users.filter(|user| user.callee() == Some(function)).collect()
}
