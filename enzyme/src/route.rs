//! The way through calls from one function to another.

use std::collections::{HashMap, HashSet, VecDeque};

use crate::llvm::{Function, Instruction};
use crate::protocol::Location;
use crate::reason::Reason;
use crate::symbol;

/// Functions, each called by the one before.
#[derive(Default)]
pub(crate) struct Route<'c>(Vec<Function<'c>>);

impl<'c> Route<'c> {
    /// The shortest way to what a reason is about. Empty if there is none.
    pub(crate) fn to_reason(from: Function<'c>, reason: &Reason) -> Self {
        let is_named = |function: &Function<'c>| Some(function.name()) == reason.function;
        // By the time that a reason is found, functions may have been inlined into each other.
        let users = reason.places.iter().find(|place| in_users_source(place));
        let Some(users) = users else { return Route(search(from, is_named)) };
        let mut way = search(from, |function| is_at(*function, users));
        let Some(last) = way.last().copied() else { return Route(search(from, is_named)) };
        let first = reason.places.first().filter(|first| *first != users);
        let inside = |function: &Function<'c>| match first {
            Some(first) => is_at(*function, first),
            None => is_named(function) && function.is_declaration(),
        };
        way.extend(search(last, inside).into_iter().skip(1));
        Route(way)
    }

    /// The nearest function of the user's that will do.
    pub(crate) fn to_users(
        from: Function<'c>,
        will_do: impl Fn(Function<'c>) -> bool,
    ) -> Option<Function<'c>> {
        search(from, |function| is_users(*function) && will_do(*function)).pop()
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
            let leading = next.into_iter().flat_map(|next| leading(function, next));
            leading.flat_map(Instruction::places).find(in_users_source).or_else(|| place(function))
        })
    }

    /// Names as the user knows them: the user's own functions, from the differentiated one on, and, if
    /// it was reached, what is at the end.
    pub(crate) fn names(&self, primal: Option<Function<'c>>) -> Vec<String> {
        let is_shown = |name: &str| !name.starts_with("__rust") && !symbol::is_ours(name);
        let end = self.0.last().filter(|end| is_shown(&end.name()));
        let start = self.0.iter().position(|function| Some(*function) == primal).unwrap_or(0);
        let shown = self.0[start..].iter().filter(|function| is_users(**function) || Some(*function) == end);
        let mut names: Vec<String> = shown.map(|function| symbol::spoken(&function.name())).collect();
        // A closure is written in the function before.
        names.dedup_by(|name, before| name.strip_prefix("a closure in ") == Some(before));
        names
    }
}

/// Whether a function is reached from another one through direct calls.
pub(crate) fn reaches<'c>(from: Function<'c>, symbol: &str) -> bool {
    let called = |function: Function<'c>| function.instructions().filter_map(Instruction::callee).collect();
    !search_by(from, |function| function.name() == symbol, called).is_empty()
}

/// Where a function of the user's own source is defined.
pub(crate) fn place(function: Function<'_>) -> Option<Location> {
    function.place().filter(in_users_source)
}

/// Whether something at a place was written in a function, or inlined into it there by rustc.
fn is_at(function: Function<'_>, place: &Location) -> bool {
    function.instructions().any(|instruction| instruction.places().last() == Some(place))
}

/// The instructions by which a function leads to another: calls, or else what mentions it.
fn leading<'c>(from: Function<'c>, to: Function<'c>) -> Vec<Instruction<'c>> {
    let (calls, others): (Vec<_>, Vec<_>) =
        from.instructions().partition(|instruction| instruction.callee() == Some(to));
    if !calls.is_empty() {
        return calls;
    }
    others.into_iter().filter(|instruction| mentioned(*instruction).contains(&to)).collect()
}

/// The functions whose address is an operand or in constants that are: vtables, say.
fn mentioned(instruction: Instruction<'_>) -> HashSet<Function<'_>> {
    let mut found = HashSet::new();
    let mut seen = HashSet::new();
    let mut pending: Vec<_> = instruction.operands().filter(|operand| operand.is_constant()).collect();
    while let Some(value) = pending.pop() {
        if !seen.insert(value) {
            continue;
        }
        if let Some(function) = value.as_function() {
            found.insert(function);
        } else if let Some(global) = value.as_global() {
            pending.extend(global.initializer());
        } else {
            pending.extend(value.operands().filter(|operand| operand.is_constant()));
        }
    }
    found
}

fn is_users(function: Function<'_>) -> bool {
    let name = function.name();
    !function.is_declaration() && name.starts_with("_R") && !symbol::is_ours_or_std(&name)
}

/// Whether a place is in a file that the user may change: not the standard library's, nor that of a
/// package which cargo has fetched, nor the runtime crate's.
pub(crate) fn in_users_source(place: &Location) -> bool {
    let fetched = ["/lib/rustlib/src/", "/registry/src/", "/git/checkouts/", "/autodiff-runtime/src/"];
    place.line > 0
        && !place.file.starts_with("/rustc/")
        && !fetched.iter().any(|folder| place.file.contains(folder))
}

/// The shortest way through direct calls or, if there is none, through mentions as well.
fn search<'c>(from: Function<'c>, fits: impl Fn(&Function<'c>) -> bool) -> Vec<Function<'c>> {
    let called = |function: Function<'c>| function.instructions().filter_map(Instruction::callee).collect();
    let mentioned = |function: Function<'c>| function.instructions().flat_map(mentioned).collect();
    let way = search_by(from, &fits, called);
    if way.is_empty() { search_by(from, &fits, mentioned) } else { way }
}

/// Breadth-first search.
fn search_by<'c>(
    from: Function<'c>,
    fits: impl Fn(&Function<'c>) -> bool,
    next: impl Fn(Function<'c>) -> Vec<Function<'c>>,
) -> Vec<Function<'c>> {
    let mut before: HashMap<Function<'c>, Option<Function<'c>>> = HashMap::from([(from, None)]);
    let mut pending = VecDeque::from([from]);
    while let Some(function) = pending.pop_front() {
        if function != from && fits(&function) {
            let mut way: Vec<_> =
                std::iter::successors(Some(function), |at| before.get(at).copied().flatten()).collect();
            way.reverse();
            return way;
        }
        for callee in next(function) {
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
