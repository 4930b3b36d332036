//! The functions that a program calls: `void derivative(ptr args)`, which load the argument block
//! and ask Enzyme for the derivative of the shim, in Enzyme's own calling conventions.

use std::collections::{BTreeSet, HashSet};

use crate::llvm::{
    Attribute, Builder, Context, Function, Instruction, Linkage, Module, Opcode, Place, Type, Value,
};
use crate::protocol::{Activity, Mode, Site};
use crate::symbol;

/// Adds the derivative of `site` to a module that holds its shim, and returns it.
pub(crate) fn define<'c>(
    context: &'c Context,
    module: &Module<'c>,
    site: &Site,
    shim: Function<'c>,
) -> Function<'c> {
    for (index, _) in site.params.iter().enumerate().filter(|(_, param)| param.exclusive) {
        // Without it, a result that is stored could be any of the arguments.
        shim.add_attribute(context, Place::Param(index as u32), Attribute::Enum("noalias", 0));
    }
    let function =
        module.add_function(&site.symbol, context.function(context.void(), &[context.ptr()], false));
    function.set_linkage(Linkage::External);
    // A panic in a primal unwinds through here.
    function.add_attribute(context, Place::Function, Attribute::Enum("uwtable", 2));

    let builder = Builder::at_end(context, function.append_block(context, c"entry"));
    let arguments = Arguments { context, module, builder: &builder, block: function.param(0), slot: 0 };
    let arguments = arguments.of(site, *shim);
    builder.call(enzyme(context, module, site), &arguments);
    builder.return_void();
    function
}

/// Catalyst skips Enzyme unless some function is named as for reverse mode. To be called last: an
/// unused declaration does not survive the optimiser.
pub(crate) fn declare_reverse_mode<'c>(context: &'c Context, module: &Module<'c>) {
    module.declare("__enzyme_autodiff", context.function(context.void(), &[context.ptr()], true));
}

/// Has the derivatives of such functions look, wherever they add to a shadow, whether there is one: an address that is
/// its own shadow is of constant memory.
pub(crate) fn look_at_activity<'c>(
    context: &'c Context,
    module: &Module<'c>,
    is_concerned: impl Fn(Function<'c>) -> bool,
) {
    for call in calls(module) {
        let mut arguments = call.arguments();
        let looks = arguments.iter().any(|it| marker(*it).as_deref() == Some(RUNTIME_ACTIVITY));
        let function = arguments.first().and_then(|first| first.as_function());
        if looks || !function.is_some_and(&is_concerned) {
            continue;
        }
        let Some(enzyme) = call.callee() else { continue };
        let builder = Builder::before(context, call);
        let index = if has_width(&arguments) { 3 } else { 1 };
        arguments.insert(index, load_marker(context, module, &builder, RUNTIME_ACTIVITY));
        call.replace_uses(builder.call(enzyme, &arguments).value());
        call.erase();
    }
}

/// The calls of Enzyme.
fn calls<'c>(module: &Module<'c>) -> Vec<Instruction<'c>> {
    let functions = module.functions().filter(|function| is_enzyme(&function.name()));
    let users = functions.flat_map(|function| function.users()).filter_map(Value::as_instruction);
    users.filter(|user| user.is_call()).collect()
}

/// To Enzyme: compare each address with its shadow.
const RUNTIME_ACTIVITY: &str = "enzyme_runtime_activity";

/// Enzyme recognises a load of an external global by the global's name.
fn load_marker<'c>(
    context: &'c Context,
    module: &Module<'c>,
    builder: &Builder<'c>,
    name: &str,
) -> Value<'c> {
    let i32 = context.int(32);
    let global = module.global(name).unwrap_or_else(|| module.add_global(name, i32));
    builder.load(i32, *global)
}

/// Enzyme's entry point for a site: found by the beginning of its name.
fn enzyme<'c>(context: &'c Context, module: &Module<'c>, site: &Site) -> Function<'c> {
    let prefix = match site.mode {
        Mode::Reverse => "__enzyme_autodiff",
        Mode::Forward => "__enzyme_fwddiff",
    };
    let signature = context.function(context.void(), &[context.ptr()], true);
    module.declare(&format!("{prefix}_{}", site.symbol), signature)
}

/// Whether a function may take derivatives itself.
fn takes_derivatives(function: Value<'_>) -> bool {
    let mut left: Vec<_> = function.as_function().into_iter().collect();
    let mut seen: HashSet<_> = left.iter().copied().collect();
    while let Some(function) = left.pop() {
        if symbol::is_derivative_call(&function.name()) {
            return true;
        }
        let operands =
            function.instructions().flat_map(|instruction| instruction.operands().collect::<Vec<_>>());
        left.extend(operands.filter_map(Value::as_function).filter(|callee| seen.insert(*callee)));
    }
    false
}

/// The arguments of one call of Enzyme, in the making.
struct Arguments<'a, 'c> {
    context: &'c Context,
    module: &'a Module<'c>,
    builder: &'a Builder<'c>,
    block: Value<'c>,
    slot: u64,
}

impl<'c> Arguments<'_, 'c> {
    fn of(mut self, site: &Site, shim: Value<'c>) -> Vec<Value<'c>> {
        let mut arguments = vec![shim];
        if site.width > 1 {
            arguments.push(self.marker("enzyme_width"));
            arguments.push(self.context.int(32).constant(u64::from(site.width)));
        }
        if site.mode == Mode::Forward && takes_derivatives(shim) {
            // Reverse mode keeps addresses in memory, those of constant data among them. They are their own
            // shadows, and what is read through them would be taken for a tangent.
            arguments.push(self.marker(RUNTIME_ACTIVITY));
        }
        for param in &site.params {
            let (marker, shadows) = match param.activity {
                Activity::Const | Activity::Ignored => ("enzyme_const", 0),
                Activity::Duplicated => ("enzyme_dup", site.width),
                Activity::DuplicatedOnly => ("enzyme_dupnoneed", site.width),
            };
            arguments.push(self.marker(marker));
            let ty = if param.integer { self.context.int(64) } else { self.context.ptr() };
            for _ in 0..=shadows {
                arguments.push(self.next(ty));
            }
        }
        arguments
    }

    /// Loads the next slot of the argument block.
    fn next(&mut self, ty: Type<'c>) -> Value<'c> {
        let index = self.context.int(64).constant(self.slot);
        self.slot += 1;
        self.builder.load(ty, self.builder.offset(self.context.int(64), self.block, index))
    }

    fn marker(&self, name: &str) -> Value<'c> {
        load_marker(self.context, self.module, self.builder, name)
    }
}

/// Whether a function is one of Enzyme's entry points.
pub(crate) fn is_enzyme(name: &str) -> bool {
    name.starts_with("__enzyme_autodiff") || name.starts_with("__enzyme_fwddiff")
}

/// How many directions the calls of Enzyme take, each number once.
pub(crate) fn widths(module: &Module<'_>) -> BTreeSet<u64> {
    calls(module).into_iter().map(|call| width(&call.arguments())).collect()
}

fn width(arguments: &[Value<'_>]) -> u64 {
    arguments.get(2).filter(|_| has_width(arguments)).and_then(|width| width.as_integer()).unwrap_or(1)
}

fn has_width(arguments: &[Value<'_>]) -> bool {
    arguments.get(1).is_some_and(|it| marker(*it).as_deref() == Some("enzyme_width"))
}

/// An argument of the function in a call of Enzyme: the primal or a shadow.
pub(crate) struct Passed<'c> {
    pub(crate) param: Value<'c>,
    pub(crate) argument: Value<'c>,
    pub(crate) constant: bool,
}

/// What a call of Enzyme passes to the function: for each parameter a marker, then its arguments.
pub(crate) fn passed<'c>(arguments: &[Value<'c>]) -> Vec<Passed<'c>> {
    let Some(shim) = arguments.first().and_then(|first| first.as_function()) else { return Vec::new() };
    let mut params = (0..shim.param_count()).map(|index| shim.param(index));
    let mut current = None;
    let mut passed = Vec::new();
    for argument in arguments[1..].iter().copied() {
        if let Some(activity) = activity(argument) {
            current = params.next().map(|param| (param, activity == "enzyme_const"));
        } else if let Some((param, constant)) = current {
            passed.push(Passed { param, argument, constant });
        }
    }
    passed
}

/// The name of a marker.
fn marker(argument: Value<'_>) -> Option<String> {
    let load = argument.as_instruction().filter(|it| it.opcode() == Opcode::Load)?;
    Some(load.operand(0).as_global()?.name())
}

/// The marker that an argument of Enzyme is, if it says what the next ones are, by parameter.
fn activity(argument: Value<'_>) -> Option<String> {
    let name = marker(argument)?;
    ["enzyme_const", "enzyme_dup", "enzyme_dupnoneed"].contains(&&*name).then_some(name)
}

/// Looks a site's shim up in the closure.
pub(crate) fn shim<'c>(module: &Module<'c>, site: &Site) -> Option<Function<'c>> {
    module.function(symbol::without_suffix(&site.shim)).filter(|function| !function.is_declaration())
}
