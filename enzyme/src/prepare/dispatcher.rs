//! Dispatchers: functions that call one of several others by name, which one a pointer says.

use std::collections::{BTreeMap, HashSet};

use super::panic::Panic;
use super::{address, allocator};
use crate::candidates::THUNK;
use crate::llvm::{Attribute, Builder, Context, Function, Instruction, Linkage, Module, Place, Value};
use crate::program::Program;
use crate::protocol::Site;
use crate::route;
use crate::symbol;

/// Makes dispatchers.
pub(super) struct Dispatchers<'a, 'c> {
    context: &'c Context,
    module: &'a Module<'c>,
    program: &'a Program,
    panic: Panic<'a, 'c>,
    shims: &'a [(&'a Site, Function<'c>)],
    /// By signature, functions and the one they are called in.
    known: BTreeMap<(String, Vec<String>, String), Function<'c>>,
}

impl<'a, 'c> Dispatchers<'a, 'c> {
    pub(super) fn new(
        context: &'c Context,
        module: &'a Module<'c>,
        program: &'a Program,
        panic: Panic<'a, 'c>,
        shims: &'a [(&'a Site, Function<'c>)],
    ) -> Self {
        Dispatchers { context, module, program, panic, shims, known: BTreeMap::new() }
    }

    /// Puts a call of a dispatcher in the place of one through a pointer.
    pub(super) fn replace(&mut self, call: Instruction<'c>, targets: &[Function<'c>]) {
        let site = self.site_of(call.block().function());
        let caller = users_name(call.block().function(), site);
        let names = targets.iter().map(|target| target.name()).collect();
        let key = (call.called_type().text(), names, caller);
        let dispatcher = match self.known.get(&key) {
            Some(known) => *known,
            None => self.define(call, targets, &key.2, site),
        };
        self.known.insert(key, dispatcher);
        let mut arguments = call.arguments();
        arguments.push(call.called());
        let new = Builder::before(self.context, call).call(dispatcher, &arguments);
        if call.has_users() {
            call.replace_uses(new.value());
        }
        call.erase();
    }

    /// A site whose derivative a function is needed for.
    fn site_of(&self, function: Function<'c>) -> Option<&'a Site> {
        let reaches = |shim: Function<'c>| shim == function || route::reaches(shim, &function.name());
        self.shims.iter().find(|(_, shim)| reaches(*shim)).map(|(site, _)| *site)
    }

    /// A function of the arguments of a call and of the pointer that is called.
    fn define(
        &self,
        call: Instruction<'c>,
        targets: &[Function<'c>],
        caller: &str,
        site: Option<&Site>,
    ) -> Function<'c> {
        let signature = call.called_type();
        let mut params = signature.params();
        params.push(self.context.ptr());
        let number = self.known.len();
        let dispatcher = self.module.add_function(
            &format!("__autodiff_dispatch_{number}"),
            self.context.function(signature.result(), &params, false),
        );
        dispatcher.set_linkage(Linkage::Internal);
        dispatcher.add_attribute(self.context, Place::Function, Attribute::Enum("uwtable", 2));
        let pointer = dispatcher.param(params.len() as u32 - 1);
        let shares = targets.len() > 1 && call.called_type().params().iter().any(|ty| ty.is_pointer());
        let mut block = dispatcher.append_block(self.context, c"entry");
        for target in targets {
            let builder = Builder::at_end(self.context, block);
            let is = self.is(&builder, pointer, *target);
            let chosen = dispatcher.append_block(self.context, c"chosen");
            block = dispatcher.append_block(self.context, c"other");
            builder.branch_if(is, chosen, block);
            let through = if shares { self.thunk(call, *target) } else { *target };
            call_by_name(&Builder::at_end(self.context, chosen), call, through, dispatcher);
        }
        let text = format!(
            "{caller} calls a function through a pointer or trait object, and the code of that function is out of reach of the derivative"
        );
        self.panic.end(&Builder::at_end(self.context, block), &text, site);
        dispatcher
    }

    /// Whether a pointer is one to a function: to the copy that is differentiated or to one of the
    /// program's own.
    fn is(&self, builder: &Builder<'c>, pointer: Value<'c>, target: Function<'c>) -> Value<'c> {
        let here = address::here(self.context, self.module, target);
        let symbol = allocator::original_name(target);
        let copies = self.program.index.copies(&symbol);
        let natives = (0..copies).map(|copy| address::native(self.context, self.module, &symbol, copy));
        let first = builder.equal(pointer, here);
        natives.fold(first, |any, native| builder.or(any, builder.equal(pointer, native)))
    }

    /// A function that only calls another one, and keeps from the caller what that takes to be behind
    /// its arguments: the same bytes are floats to one method and addresses to the next.
    fn thunk(&self, call: Instruction<'c>, target: Function<'c>) -> Function<'c> {
        let name = format!("{THUNK}{}", target.name());
        if let Some(thunk) = self.module.function(&name) {
            return thunk;
        }
        let thunk = self.module.add_function(&name, call.called_type());
        thunk.set_linkage(Linkage::Internal);
        for attribute in [
            Attribute::Enum("uwtable", 2),
            Attribute::Enum("noinline", 0),
            Attribute::Text("enzyme_ta_norecur", ""),
        ] {
            thunk.add_attribute(self.context, Place::Function, attribute);
        }
        let builder = Builder::at_end(self.context, thunk.append_block(self.context, c"entry"));
        call_by_name(&builder, call, target, thunk);
        thunk
    }

    /// Says of everything that calls dispatchers that panics may pass through.
    pub(super) fn let_unwind(&self) {
        self.known.values().for_each(|dispatcher| let_unwind(*dispatcher));
    }
}

/// What to call a function that calls through a pointer.
fn users_name(function: Function<'_>, site: Option<&Site>) -> String {
    let symbol = function.name();
    let users = !symbol::is_ours(&symbol) && !symbol::is_ours_or_std(&symbol);
    match site.map(|site| site.name.as_str()).filter(|_| !users) {
        Some(closure) if closure.starts_with("a closure ") => closure.to_owned(),
        Some(primal) => format!("`{primal}`"),
        None => symbol::spoken(&symbol),
    }
}

/// Ends a block in a call like another one, of a function by its name and with the parameters of the
/// function that the block is in.
fn call_by_name<'c>(
    builder: &Builder<'c>,
    call: Instruction<'c>,
    target: Function<'c>,
    within: Function<'c>,
) {
    let direct = builder.copy_of(call);
    direct.set_callee(target);
    for index in 0..call.arguments().len() as u32 {
        direct.set_operand(index, within.param(index));
    }
    if call.ty().is_void() {
        builder.return_void();
    } else {
        builder.return_value(direct.value());
    }
}

/// Says of what calls a function that panics may pass through. That was not so if it only called
/// functions of C.
fn let_unwind(function: Function<'_>) {
    let mut seen = HashSet::from([function]);
    let mut pending = vec![function];
    while let Some(function) = pending.pop() {
        function.remove_attribute(Place::Function, "nounwind");
        let users = function.users().into_iter().filter_map(Value::as_instruction);
        for call in users.filter(|user| user.callee() == Some(function)) {
            call.remove_call_attribute(Place::Function, "nounwind");
            let caller = call.block().function();
            if seen.insert(caller) {
                pending.push(caller);
            }
        }
    }
}
