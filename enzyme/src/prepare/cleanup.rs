//! Destructors that a panic must run: they give a lock or a borrow back, say. Enzyme knows no
//! landing pads, so what is in them becomes functions, *cleanups*, which are kept in a list of the
//! thread while they are due. A panic starts in a guard (see [`guard`](super::guard)). There, while
//! all stack frames are still in place, it runs the list, the latest first, and goes on.

use std::collections::{HashMap, HashSet};

use super::landing;
use super::outlined;
use super::region::{self, Region};
use crate::class::Class;
use crate::error::Error;
use crate::llvm::{
    Attribute, Block, Builder, Context, Function, Global, Instruction, Linkage, Module, Opcode, Place, Type,
    Value, link,
};
use crate::reason::Reason;
use crate::symbol;

/// The beginning of the names of all functions here.
const CLEANUP: &str = "cleanup_";
/// The first element of the thread's list.
const LIST: &str = "__autodiff_cleanups";
/// Runs and empties the list.
const RUN: &str = "__autodiff_outlined_cleanup_run";
/// Puts an element into the list.
const PUSH: &str = "cleanup_push_";
/// Takes the first element off the list.
const DONE: &str = "cleanup_done";

/// An element of the list begins with the next one and the function to be called with it.
const RUNTIME: &std::ffi::CStr = c"
@__autodiff_cleanups = thread_local global ptr null

define void @__autodiff_outlined_cleanup_run() nounwind uwtable {
start:
  br label %next
next:
  %first = load ptr, ptr @__autodiff_cleanups
  %empty = icmp eq ptr %first, null
  br i1 %empty, label %end, label %run
run:
  %rest = load ptr, ptr %first
  store ptr %rest, ptr @__autodiff_cleanups
  %place = getelementptr ptr, ptr %first, i64 1
  %cleanup = load ptr, ptr %place
  call void %cleanup(ptr %first)
  br label %next
end:
  ret void
}
";

/// Turns what is left of landing pads into cleanups. A reason says that this cannot be done.
pub(super) fn outline<'c>(context: &'c Context, module: &Module<'c>) -> Result<Option<Reason>, Error> {
    let runtime = context.parse_text(RUNTIME).map_err(Error::stage("reading code of its own"))?;
    runtime.set_machine(&module.triple(), &module.data_layout());
    link(context, module, runtime).map_err(Error::stage("adding code of its own"))?;
    for invoke in landing::invokes(module) {
        if region::doomed(invoke.block().function()).contains(&invoke.unwind_destination()) {
            landing::to_call(context, invoke);
        }
    }
    let mut count = 0;
    // Pads within pads first.
    while let Some(invoke) = landing::invokes(module).into_iter().find(|invoke| is_innermost(*invoke)) {
        count += 1;
        Cleanup { context, module, number: count }.replace(invoke);
    }
    for function in module.functions().filter(|function| !function.is_declaration()) {
        erase_unreachable(context, function);
    }
    Ok(landing::invokes(module).first().map(|invoke| Reason::at(Class::Cleanup, *invoke)))
}

/// Where what runs the cleanups is, in a module that has any.
pub(super) fn run<'c>(module: &Module<'c>) -> Option<Function<'c>> {
    module.function(RUN)
}

/// Whether a function is about cleanups: none of what it does is seen unless there is a panic.
pub(super) fn is_one(name: &str) -> bool {
    outlined::plain_name(name).is_some_and(|name| name.starts_with(CLEANUP))
}

/// Whether a global variable is the list.
pub(super) fn is_list(global: Global<'_>) -> bool {
    global.name() == LIST
}

/// Begins each derivative with an empty list, whatever has become of a panic in an earlier one.
pub(super) fn forget_old<'c>(context: &'c Context, module: &Module<'c>) {
    let Some(list) = module.global(LIST) else { return };
    let derivatives = module.functions().filter(|function| symbol::is_derivative(&function.name()));
    for first in derivatives.filter_map(|function| function.instructions().next()) {
        Builder::before(context, first).store(context.ptr().null(), *list);
    }
}

/// Whether there is no call with a landing pad behind the landing pad of this one.
fn is_innermost(invoke: Instruction<'_>) -> bool {
    let mut blocks = landing::reachable(invoke.unwind_destination()).into_iter();
    blocks.all(|block| block.terminator().is_none_or(|last| last.opcode() != Opcode::Invoke))
}

/// One cleanup in the making.
struct Cleanup<'a, 'c> {
    context: &'c Context,
    module: &'a Module<'c>,
    number: usize,
}

impl<'c> Cleanup<'_, 'c> {
    /// Replaces a call with a landing pad by one during which what the pad does is in the list.
    fn replace(&self, invoke: Instruction<'c>) {
        let region = Region::new(invoke.block(), invoke.unwind_destination());
        let element = element(self.context, region.inputs.iter().map(|input| input.ty()));
        self.define(&region, element);
        let push = self.declare_push(&region);
        let entry = invoke.block().function().entry().and_then(|block| block.instructions().next());
        let slot = Builder::before(self.context, entry.expect("a function with a call")).slot(element);
        let mut arguments = vec![slot];
        arguments.extend(&region.inputs);
        Builder::before(self.context, invoke).call(push, &arguments);
        let (call, branch) = landing::to_call(self.context, invoke);
        if region::never_returns(call) {
            landing::end_after_call(self.context, branch);
        } else {
            let done = self.module.function(&outlined::full_name(DONE));
            let done =
                done.unwrap_or_else(|| declare(self.context, self.module, DONE, &[self.context.ptr()]));
            Builder::before(self.context, branch).call(done, &[slot]);
        }
    }

    /// The function that does what the landing pad does.
    fn define(&self, region: &Region<'c>, element: Type<'c>) {
        let signature = self.context.function(self.context.void(), &[self.context.ptr()], false);
        let name = format!("{CLEANUP}{}", self.number);
        let function = outlined::add(self.context, self.module, &name, signature, outlined::ANYTHING);
        let entry = function.append_block(self.context, c"entry");
        let loads = Builder::at_end(self.context, entry);
        let mut map: HashMap<Value<'c>, Value<'c>> = HashMap::new();
        for (input, field) in region.inputs.iter().zip(2..) {
            let value = loads.load(input.ty(), loads.field(element, function.param(0), field));
            map.insert(*input, value);
        }
        let first = region.copy_into(self.context, function, entry, map);
        Builder::at_end(self.context, entry).branch(first);
        // Nothing refers to it yet.
        function.set_linkage(Linkage::External);
    }

    /// The function that puts it into the list.
    fn declare_push(&self, region: &Region<'c>) -> Function<'c> {
        let mut params = vec![self.context.ptr()];
        params.extend(region.inputs.iter().map(|input| input.ty()));
        declare(self.context, self.module, &format!("{PUSH}{}", self.number), &params)
    }
}

/// Declares a function that changes the list. It has no body as long as the list is to be memory
/// that nobody else can reach: LLVM would see that it is not.
fn declare<'c>(context: &'c Context, module: &Module<'c>, name: &str, params: &[Type<'c>]) -> Function<'c> {
    let signature = context.function(context.void(), params, false);
    let function = outlined::add(context, module, name, signature, outlined::KEEPS_ARGUMENTS);
    function.set_linkage(Linkage::External);
    for attribute in ["nofree", "nounwind", "willreturn"] {
        function.add_attribute(context, Place::Function, Attribute::Enum(attribute, 0));
    }
    function
}

/// Gives the functions that change the list their bodies, once Enzyme is done.
pub(super) fn define_list<'c>(context: &'c Context, module: &Module<'c>) {
    let Some(list) = module.global(LIST) else { return };
    for function in module.functions().filter(|function| function.is_declaration()) {
        let name = function.name();
        let Some(name) = outlined::plain_name(&name) else { continue };
        if let Some(number) = name.strip_prefix(PUSH) {
            if let Some(cleanup) = module.function(&outlined::full_name(&format!("{CLEANUP}{number}"))) {
                define_push(context, function, cleanup, list);
            }
        } else if name == DONE {
            let builder = Builder::at_end(context, function.append_block(context, c"entry"));
            builder.store(builder.load(context.ptr(), function.param(0)), *list);
            builder.return_void();
        }
    }
}

/// An element of the list: the next one, the function to be called with it, and what that needs.
fn element<'c>(context: &'c Context, needed: impl Iterator<Item = Type<'c>>) -> Type<'c> {
    let fields: Vec<_> = [context.ptr(), context.ptr()].into_iter().chain(needed).collect();
    context.structure(&fields)
}

fn define_push<'c>(context: &'c Context, push: Function<'c>, cleanup: Function<'c>, list: Global<'c>) {
    let builder = Builder::at_end(context, push.append_block(context, c"entry"));
    let (slot, needed) = (push.param(0), (1..push.param_count()).map(|index| push.param(index)));
    let element = element(context, needed.clone().map(Value::ty));
    builder.store(builder.load(context.ptr(), *list), slot);
    builder.store(*cleanup, builder.field(element, slot, 1));
    for (value, field) in needed.zip(2..) {
        builder.store(value, builder.field(element, slot, field));
    }
    builder.store(slot, *list);
    builder.return_void();
}

/// Takes out the landing pads that no call leads to any more.
fn erase_unreachable<'c>(context: &'c Context, function: Function<'c>) {
    let Some(entry) = function.entry() else { return };
    let alive = landing::reachable(entry);
    let dead: HashSet<Block<'c>> = function.blocks().filter(|block| !alive.contains(block)).collect();
    if dead.is_empty() {
        return;
    }
    let phis: Vec<_> =
        alive.into_iter().flat_map(Block::instructions).filter(|it| it.opcode() == Opcode::Phi).collect();
    for phi in phis {
        landing::forget_incoming(context, phi, |block| dead.contains(&block));
    }
    Block::erase_all(context, &dead.into_iter().collect::<Vec<_>>());
}
