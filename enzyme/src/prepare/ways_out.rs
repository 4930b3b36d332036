//! Loops that are left from an inner loop only, as those are that go on in two ways (`continue`). Enzyme takes the edge
//! from the inner to the outer one for one that leads nowhere, since it finds no way from there that does not lead into
//! the inner loop again; then it knows neither how often the inner one has turned nor what is to be done there.

use std::collections::HashSet;

use super::edges::between;
use super::loops::{self, Loop};
use super::{outlined, state};
use crate::llvm::{Block, Builder, Context, Function, Instruction, Module, Opcode, Value};

/// The name of the function that says whether to take such a way: never.
const NAME: &str = "never";

/// Adds a way out of such loops.
pub(super) fn add<'c>(context: &'c Context, module: &Module<'c>) {
    let functions = module.functions().filter(|it| !it.is_declaration() && !state::is_native(*it));
    let edges: HashSet<(Block<'c>, Block<'c>)> =
        functions.flat_map(loops::of).flat_map(|inner| lost(&inner)).collect();
    if edges.is_empty() {
        return;
    }
    let signature = context.function(context.int(1), &[], false);
    let never = outlined::opaque(context, module, NAME, signature);
    for (from, to) in edges {
        let block = between(context, from, to);
        let Some(end) = block.terminator() else { continue };
        let out = returning(context, block.function());
        let builder = Builder::before(context, end);
        builder.branch_if(builder.call(never, &[]).value(), out, to);
        end.erase();
    }
}

/// Takes the ways away.
pub(super) fn remove<'c>(context: &'c Context, module: &Module<'c>) {
    let Some(never) = outlined::find(module, NAME) else { return };
    for call in never.users().into_iter().filter_map(Value::as_instruction) {
        call.replace_uses(context.int(1).constant(0));
        call.erase();
    }
}

/// A new block that ends a function.
fn returning<'c>(context: &'c Context, function: Function<'c>) -> Block<'c> {
    let block = function.append_block(context, c"out");
    let (builder, result) = (Builder::at_end(context, block), function.signature().result());
    if result.is_void() {
        builder.return_void();
    } else {
        builder.return_value(result.null());
    }
    block
}

/// The edges out of a loop that only lead into it again, or to where nothing goes on.
fn lost<'c>(inner: &Loop<'c>) -> Vec<(Block<'c>, Block<'c>)> {
    inner.leaving().into_iter().filter(|(_, to)| only_leads_into(*to, &inner.blocks)).collect()
}

/// Whether a way leads from a block into a loop, and no way ends the function.
fn only_leads_into<'c>(start: Block<'c>, inner: &HashSet<Block<'c>>) -> bool {
    let (mut seen, mut left, mut leads_into) = (HashSet::from([start]), vec![start], false);
    while let Some(last) = left.pop().and_then(Block::terminator) {
        if !matches!(last.opcode(), Opcode::Branch | Opcode::Unreachable) {
            return false;
        }
        for to in Instruction::successors(last) {
            if inner.contains(&to) {
                leads_into = true;
            } else if seen.insert(to) {
                left.push(to);
            }
        }
    }
    leads_into
}

#[cfg(test)]
mod tests {
    use super::{add, remove};
    use crate::llvm::Context;

    /// Whether a way out is added to a loop in which `%goes_on` leads from the inner to the outer loop, which has this
    /// block.
    fn is_added(outer: &str) -> bool {
        let text = format!(
            "define double @f(i64 %n, i1 %goes_on, i1 %ends) {{
            entry:
              br label %outer
            outer:
              {outer}
            more:
              br label %inner
            inner:
              br i1 %ends, label %done, label %middle
            middle:
              br i1 %goes_on, label %outer, label %inner
            done:
              ret double 0.0
            }}"
        );
        let context = Context::new();
        let text = std::ffi::CString::new(text).expect("a text");
        let module = context.parse_text(&text).expect("this is a module");
        add(&context, &module);
        module.verify().expect("it is still a module");
        let added = module.text().contains("call i1 @__autodiff_outlined_never()");
        remove(&context, &module);
        assert!(!module.text().contains("call i1"));
        added
    }

    #[test]
    fn loops_that_are_left_from_an_inner_one_get_a_way_out() {
        assert!(is_added("br label %more"));
        assert!(!is_added("br i1 %ends, label %done, label %more"));
    }
}
