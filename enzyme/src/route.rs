//! The way through calls from one function to another.

use std::collections::{HashMap, VecDeque};

use crate::llvm::{Function, Instruction};
use crate::symbol;

/// Functions, each called by the one before.
pub(crate) struct Route<'c>(Vec<Function<'c>>);

impl<'c> Route<'c> {
    /// The shortest way to the function of a symbol, or to whoever calls it. Empty if there is none.
    pub(crate) fn to(from: Function<'c>, symbol: &str) -> Self {
        Route(search(from, |function| function.name() == symbol))
    }

    /// The nearest function that fits.
    pub(crate) fn nearest(from: Function<'c>, fits: impl Fn(&Function<'c>) -> bool) -> Option<Function<'c>> {
        search(from, fits).pop()
    }

    /// Names as the user knows them, without our own and the standard library's at the beginning.
    pub(crate) fn names(&self) -> Vec<String> {
        let own = self.0.iter().skip_while(|function| symbol::is_ours_or_std(&function.name()));
        own.map(|function| symbol::demangle(&function.name())).collect()
    }
}

/// Breadth-first search through direct calls.
fn search<'c>(from: Function<'c>, fits: impl Fn(&Function<'c>) -> bool) -> Vec<Function<'c>> {
    let mut before: HashMap<Function<'c>, Option<Function<'c>>> = HashMap::from([(from, None)]);
    let mut pending = VecDeque::from([from]);
    while let Some(function) = pending.pop_front() {
        if function != from && fits(&function) {
            let mut way: Vec<_> =
                std::iter::successors(Some(function), |at| before.get(at).copied().flatten()).collect();
            way.reverse();
            return way;
        }
        for callee in function.instructions().filter_map(Instruction::callee) {
            before.entry(callee).or_insert_with(|| {
                pending.push_back(callee);
                Some(function)
            });
        }
    }
    Vec::new()
}
