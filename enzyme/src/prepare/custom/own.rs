//! Functions that run as they are, because only functions with rules lead to them: they may catch panics,
//! print and start threads.

use std::collections::HashSet;

use super::super::nested;
use super::record::Record;
use crate::llvm::{Attribute, Context, Function, Global, Instruction, Module, Place, Value};
use crate::protocol::Site;
use crate::symbol;

/// Marks them, and what is differentiated there.
const OWN: &str = "autodiff-own";
const INNER: &str = "autodiff-inner";

/// Marks the functions that only functions with rules lead to, but not what is differentiated there: that is
/// marked as such. Rules are among them, unless derivatives are differentiated in turn.
pub(super) fn mark<'c>(context: &'c Context, module: &Module<'c>, shims: &[(&Site, Function<'c>)]) {
    let constants = module.globals().filter(|global| global.is_constant_global());
    let records: Vec<_> = constants.filter_map(|global| Some((global, Record::of(global)?))).collect();
    let closed: HashSet<_> = records.iter().map(|(global, _)| *global).collect();
    let outer = functions(&reached(shims.iter().map(|(_, shim)| *shim).collect(), &closed));
    let starts = |rules: bool| {
        let of_record = |(_, record): &(_, Record<'c>)| {
            let all = [record.begin, record.save, record.reverse, record.release, record.forward];
            all.into_iter().flatten().filter(|_| rules).chain([record.primal]).collect::<Vec<_>>()
        };
        records.iter().flat_map(of_record).collect::<Vec<_>>()
    };
    let all = reached(starts(true), &HashSet::new());
    let sites = all.iter().filter_map(|value| value.as_global()).filter_map(nested::shim);
    let inner = functions(&reached(sites.collect(), &closed));
    let mut called =
        outer.union(&inner).flat_map(|function| function.instructions()).filter_map(Instruction::callee);
    let nests = called.any(|callee| symbol::is_derivative_call(&callee.name()));
    let own = if nests { reached(starts(false), &HashSet::new()) } else { all };
    for function in functions(&own) {
        if !outer.contains(&function) && !inner.contains(&function) {
            set(context, function);
        }
    }
    for function in inner {
        function.add_attribute(context, Place::Function, Attribute::Text(INNER, ""));
    }
}

/// Whether a function is differentiated where functions run as they are: no analysis sees with what.
pub(super) fn is_inner(function: Function<'_>) -> bool {
    function.text_attribute(Place::Function, INNER).is_some()
}

pub(super) fn set<'c>(context: &'c Context, function: Function<'c>) {
    function.add_attribute(context, Place::Function, Attribute::Text(OWN, ""));
}

/// Whether a function runs as it is.
pub(super) fn is(function: Function<'_>) -> bool {
    function.text_attribute(Place::Function, OWN).is_some()
}

/// What is called from functions, or mentioned there, but not by way of `closed`.
fn reached<'c>(starts: Vec<Function<'c>>, closed: &HashSet<Global<'c>>) -> HashSet<Value<'c>> {
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
    seen
}

fn functions<'c>(values: &HashSet<Value<'c>>) -> HashSet<Function<'c>> {
    values.iter().filter_map(|value| value.as_function()).collect()
}
