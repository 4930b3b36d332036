//! The way through calls from one function to another.

use std::collections::{HashMap, VecDeque};

use crate::llvm::{Function, Instruction};
use crate::protocol::Location;
use crate::symbol;

/// Functions, each called by the one before.
#[derive(Default)]
pub(crate) struct Route<'c>(Vec<Function<'c>>);

impl<'c> Route<'c> {
    /// The shortest way to the function of a symbol. Empty if there is none.
    pub(crate) fn to(from: Function<'c>, symbol: &str) -> Self {
        Route(search(from, |function| function.name() == symbol))
    }

    /// The nearest function that is neither ours nor the standard library's.
    pub(crate) fn to_users(from: Function<'c>) -> Option<Function<'c>> {
        search(from, |function| is_users(*function)).pop()
    }

    /// The function nearest to the end that is neither ours nor the standard library's.
    pub(crate) fn last_of_users(&self) -> Option<Function<'c>> {
        self.0.iter().copied().rfind(|function| is_users(*function))
    }

    /// The place nearest to the end that is in the user's own source: where the next function is
    /// called, if that is known.
    pub(crate) fn last_place(&self) -> Option<Location> {
        (0..self.0.len()).rev().find_map(|index| {
            let function = self.0[index];
            let next = self.0.get(index + 1).copied();
            let calls = next.into_iter().flat_map(|next| calls(function, next));
            calls.flat_map(Instruction::places).find(in_users_source).or_else(|| place(function))
        })
    }

    /// Names as the user knows them: the user's own functions and, if it was reached, what is at the end.
    pub(crate) fn names(&self) -> Vec<String> {
        let end = self.0.last().filter(|end| end.is_declaration() || end.name().starts_with("_R"));
        let shown = self.0.iter().filter(|function| is_users(**function) || Some(*function) == end);
        shown.map(|function| symbol::demangle(&function.name())).collect()
    }
}

/// Where a function of the user's own source is defined.
pub(crate) fn place(function: Function<'_>) -> Option<Location> {
    function.place().filter(in_users_source)
}

fn calls<'c>(from: Function<'c>, to: Function<'c>) -> impl Iterator<Item = Instruction<'c>> {
    from.instructions().filter(move |instruction| instruction.callee() == Some(to))
}

fn is_users(function: Function<'_>) -> bool {
    let name = function.name();
    !function.is_declaration() && name.starts_with("_R") && !symbol::is_ours_or_std(&name)
}

/// Whether a place is in a file that the user may change: not the standard library's, nor that of a
/// package which cargo has fetched.
pub(crate) fn in_users_source(place: &Location) -> bool {
    let fetched = ["/lib/rustlib/src/", "/registry/src/", "/git/checkouts/"];
    place.line > 0
        && !place.file.starts_with("/rustc/")
        && !fetched.iter().any(|folder| place.file.contains(folder))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fetched_packages_are_not_the_users() {
        let is_users = |file: &str| in_users_source(&Location { file: file.to_owned(), line: 1, column: 0 });
        assert!(is_users("/home/me/project/src/main.rs"));
        assert!(is_users("src/main.rs"));
        assert!(!is_users("/rustc/59807616e1fa/library/core/src/ops/function.rs"));
        assert!(!is_users("/home/me/.rustup/toolchains/stable/lib/rustlib/src/rust/library/core/src/num.rs"));
        assert!(!is_users("/home/me/.cargo/registry/src/index-1949cf8c6b5b557f/ndarray-0.16.1/src/lib.rs"));
        assert!(!is_users("/home/me/.cargo/git/checkouts/thing-0a1b2c/1234567/src/lib.rs"));
    }
}
