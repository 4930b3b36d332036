//! Panics. Enzyme deletes blocks that end in `unreachable`, so a check inside a derivative would
//! silently become an assumption. Before Enzyme each branch to a panic becomes a plain call of a
//! *guard*: a function of the condition and of what the panic needs, which panics or returns. To
//! Enzyme it is inactive; afterwards it is inlined. Loops keep their trip counts, and the panic
//! happens in the forward sweep, where the primal's would.

use std::collections::HashMap;

use super::cleanup;
use super::custom;
use super::outlined;
use super::region::{self, Region};
use crate::llvm::{Attribute, Block, Builder, Context, Function, Instruction, Module, Place, Value};
use crate::protocol::Site;

/// Turns branches to panics into calls of guards.
pub(super) fn raise<'c>(context: &'c Context, module: &Module<'c>, shims: &[(&Site, Function<'c>)]) {
    let functions = module.functions().filter(|function| !function.is_declaration());
    let functions: Vec<_> = functions.filter(|function| !custom::is_own(*function)).collect();
    for (number, (_, shim)) in shims.iter().enumerate() {
        if shim.entry().is_some_and(|entry| region::doomed(*shim).contains(&entry)) {
            Raise { context, module, name: format!("guard_of_{number}") }.whole(*shim);
        }
    }
    let mut count = 0;
    for function in functions {
        let doomed = region::doomed(function);
        if doomed.is_empty() || function.entry().is_none_or(|entry| doomed.contains(&entry)) {
            continue;
        }
        let dead_end = dead_end(context, function);
        for (from, index, to) in region::edges_into(function, &doomed) {
            count += 1;
            let guard = Raise { context, module, name: format!("guard_{count}") };
            guard.edge(from, index, to, dead_end);
        }
        Block::erase_all(context, &doomed.into_iter().collect::<Vec<_>>());
    }
}

/// A condition that never holds, which nobody knows before Enzyme is done.
const NEVER: &str = "__autodiff_never";

/// Says that the condition never holds.
pub(super) fn settle<'c>(context: &'c Context, module: &Module<'c>) {
    if let Some(never) = module.global(NEVER) {
        never.define(context.int(1).null());
    }
}

/// A block that is never reached: where edges to panics lead once their guard has been called.
fn dead_end<'c>(context: &'c Context, function: Function<'c>) -> Block<'c> {
    let block = function.append_block(context, c"panicked");
    Builder::at_end(context, block).unreachable();
    block
}

/// One guard in the making.
struct Raise<'a, 'c> {
    context: &'c Context,
    module: &'a Module<'c>,
    name: String,
}

impl<'c> Raise<'_, 'c> {
    /// Replaces the edge number `index` of the terminator `from` into the panicking block `to`.
    fn edge(&self, from: Instruction<'c>, index: u32, to: Block<'c>, dead_end: Block<'c>) {
        let region = Region::new(from.block(), to);
        let guard = self.define(&region);
        let builder = Builder::before(self.context, from);
        let mut arguments = vec![self.spared(&builder, from, index)];
        arguments.extend(&region.inputs);
        let call = builder.call(guard, &arguments);
        call.add_call_attribute(self.context, Place::Function, Attribute::Text("enzyme_inactive", ""));
        from.set_successor(index, dead_end);
    }

    /// Has a function that cannot but panic do so in a guard, and then return, as far as Enzyme knows.
    fn whole(&self, function: Function<'c>) {
        let blocks: Vec<_> = function.blocks().collect();
        let start = function.prepend_block(self.context, c"start");
        let region = Region::new(start, blocks[0]);
        let guard = self.define(&region);
        let builder = Builder::at_end(self.context, start);
        let flag = self.context.int(1);
        let never = self.module.global(NEVER).unwrap_or_else(|| self.module.add_global(NEVER, flag));
        let mut arguments = vec![builder.load(flag, *never)];
        arguments.extend(&region.inputs);
        let call = builder.call(guard, &arguments);
        call.add_call_attribute(self.context, Place::Function, Attribute::Text("enzyme_inactive", ""));
        builder.return_void();
        function.remove_attribute(Place::Function, "noreturn");
        Block::erase_all(self.context, &blocks);
    }

    /// The condition under which the edge is not taken.
    fn spared(&self, builder: &Builder<'c>, from: Instruction<'c>, index: u32) -> Value<'c> {
        if let Some(condition) = from.condition() {
            return if index == 0 { builder.not(condition) } else { condition };
        }
        // A switch, whose first successor is the default.
        let value = from.operand(0);
        let is = |case: u32| builder.equal(value, from.switch_case(case));
        if index > 0 {
            return builder.not(is(index));
        }
        let never = self.context.int(1).constant(0);
        (1..from.successors().len() as u32).fold(never, |any, case| builder.or(any, is(case)))
    }

    /// Defines the guard that panics as the region does.
    fn define(&self, region: &Region<'c>) -> Function<'c> {
        let flag = self.context.int(1);
        let params: Vec<_> =
            std::iter::once(flag).chain(region.inputs.iter().map(|input| input.ty())).collect();
        let run = cleanup::run(self.module);
        let reads = run.is_some()
            || region.inputs.iter().any(|input| input.ty().is_pointer() && !input.is_constant());
        let memory = if reads { outlined::READS } else { outlined::WRITES_NOTHING_SEEN };
        let signature = self.context.function(self.context.void(), &params, false);
        let guard = outlined::add(self.context, self.module, &self.name, signature, memory);

        let entry = guard.append_block(self.context, c"entry");
        let mut map: HashMap<Value<'c>, Value<'c>> = HashMap::new();
        for (number, input) in region.inputs.iter().enumerate() {
            map.insert(*input, guard.param(number as u32 + 1));
        }
        let panicking = match run {
            Some(run) => self.panic_with_cleanups(guard, region, run),
            None => region.copy_into(self.context, guard, entry, map),
        };
        let spared = guard.append_block(self.context, c"spared");
        Builder::at_end(self.context, spared).return_void();
        Builder::at_end(self.context, entry).branch_if(guard.param(0), spared, panicking);
        guard
    }

    /// A block that panics as the region does, and runs the cleanups that are due when it unwinds.
    fn panic_with_cleanups(&self, guard: Function<'c>, region: &Region<'c>, run: Function<'c>) -> Block<'c> {
        // The cleanups may be among its stack slots, which must still be there when it unwinds.
        let slots = Builder::at_end(self.context, guard.entry().expect("it has one"));
        let slots: Vec<_> = region.slots.iter().map(|slot| slots.copy_of(*slot).value()).collect();
        let arguments: Vec<_> =
            (1..guard.param_count()).map(|index| guard.param(index)).chain(slots).collect();
        let params: Vec<_> = arguments.iter().map(|argument| argument.ty()).collect();
        let signature = self.context.function(self.context.void(), &params, false);
        let name = format!("{}_panic", self.name);
        let panic = outlined::add(self.context, self.module, &name, signature, outlined::ANYTHING);
        let entry = panic.append_block(self.context, c"entry");
        let params = (0..panic.param_count()).map(|index| panic.param(index));
        let slots = region.slots.iter().map(|slot| slot.value());
        let map = region.inputs.iter().copied().chain(slots).zip(params).collect();
        let first = region.copy_into(self.context, panic, entry, map);
        Builder::at_end(self.context, entry).branch(first);

        let panicking = guard.append_block(self.context, c"panicking");
        let returned = guard.append_block(self.context, c"returned");
        let unwinding = guard.append_block(self.context, c"unwinding");
        Builder::at_end(self.context, panicking).invoke(panic, &arguments, returned, unwinding);
        Builder::at_end(self.context, returned).unreachable();
        let builder = Builder::at_end(self.context, unwinding);
        let pad = builder.landing_pad(self.context.landing());
        builder.call(run, &[]);
        builder.resume(pad);
        if let Some(personality) = self.module.function("rust_eh_personality") {
            guard.set_personality(personality);
        }
        panicking
    }
}
