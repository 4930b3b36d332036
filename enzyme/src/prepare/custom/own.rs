//! Functions that run as they are, because only functions with rules lead to them: they may catch panics,
//! print and start threads.

use std::collections::HashSet;

use super::record::Record;
use crate::llvm::{Attribute, Context, Function, Global, Instruction, Module, Place, Value};
use crate::protocol::Site;
use crate::symbol;

/// Marks them.
const OWN: &str = "autodiff-own";

/// Marks the functions that only functions with rules lead to. Rules are among them, unless derivatives are
/// differentiated in turn.
pub(super) fn mark<'c>(context: &'c Context, module: &Module<'c>, shims: &[(&Site, Function<'c>)]) {
    let constants = module.globals().filter(|global| global.is_constant_global());
    let records: Vec<_> = constants.filter_map(|global| Some((global, Record::of(global)?))).collect();
    if records.is_empty() {
        return;
    }
    let globals: HashSet<_> = records.iter().map(|(global, _)| *global).collect();
    let differentiated = reached(shims.iter().map(|(_, shim)| *shim).collect(), &globals);
    let mut called = differentiated.iter().flat_map(|it| it.instructions()).filter_map(Instruction::callee);
    let nests = called.any(|callee| symbol::is_derivative_call(&callee.name()));
    let starts = records.iter().flat_map(|(_, record)| {
        let rules = [record.begin, record.save, record.reverse, record.release, record.forward];
        let rules = rules.into_iter().flatten().filter(|_| !nests);
        rules.chain([record.primal]).collect::<Vec<_>>()
    });
    for function in reached(starts.collect(), &HashSet::new()) {
        if !differentiated.contains(&function) {
            set(context, function);
        }
    }
}

pub(super) fn set<'c>(context: &'c Context, function: Function<'c>) {
    function.add_attribute(context, Place::Function, Attribute::Text(OWN, ""));
}

/// Whether a function runs as it is.
pub(super) fn is(function: Function<'_>) -> bool {
    function.text_attribute(Place::Function, OWN).is_some()
}

/// The functions that are called from some, or whose address is taken there, but not by way of `closed`.
fn reached<'c>(starts: Vec<Function<'c>>, closed: &HashSet<Global<'c>>) -> HashSet<Function<'c>> {
    let mut seen: HashSet<Value<'c>> = HashSet::new();
    let mut pending: Vec<Value<'c>> = starts.into_iter().map(|function| *function).collect();
    while let Some(value) = pending.pop() {
        if !seen.insert(value) {
            continue;
        }
        if let Some(function) = value.as_function() {
            let mentioned = function.instructions().flat_map(|it| it.operands().collect::<Vec<_>>());
            pending.extend(mentioned.filter(|operand| operand.is_constant()));
        } else if let Some(global) = value.as_global() {
            pending.extend(global.initializer().filter(|_| !closed.contains(&global)));
        } else if value.is_constant() {
            pending.extend(value.operands().filter(|operand| operand.is_constant()));
        }
    }
    seen.into_iter().filter_map(Value::as_function).collect()
}
