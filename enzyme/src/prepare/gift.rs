//! Memory that a function allocates and leaves in an argument.

use std::collections::HashSet;

use super::flow::Flow;
use super::origin::Origins;
use crate::class::Class;
use crate::llvm::{Function, Instruction, Module, Opcode, Value};
use crate::protocol::{Activity, Layout, Mode, Site};
use crate::reason::Reason;

/// Finds such memory where the derivative is taken in reverse. Enzyme frees what it sees allocated
/// once the reverse sweep is done with it, and the argument's owner would free it again.
pub(super) fn check<'c>(
    module: &Module<'c>,
    flow: &mut Flow<'c>,
    shims: &[(&Site, Function<'c>)],
) -> Option<Reason> {
    let arguments: HashSet<_> = shims.iter().flat_map(|(site, shim)| shadowed(site, *shim)).collect();
    let allocated = allocated(module);
    if arguments.is_empty() || allocated.is_empty() {
        return None;
    }
    let arguments = Origins::of(arguments, module, flow);
    let allocated = Origins::of(allocated, module, flow);
    let functions = module.functions().filter(|function| !function.is_declaration());
    functions.flat_map(Function::instructions).find_map(|instruction| {
        leaves(instruction, &arguments, &allocated, flow)
            .then(|| Reason::at(Class::LeavesMemory, instruction))
    })
}

/// The parameters that have shadows in reverse mode. Where the type is described the runtime crate
/// looks after the call whether memory was left there; that catches less that is harmless.
fn shadowed<'c>(site: &Site, shim: Function<'c>) -> Vec<Value<'c>> {
    let reverse = site.mode == Mode::Reverse;
    let params = site.params.iter().zip(0..).filter(|(param, _)| {
        reverse
            && !param.integer
            && !param.layout.as_ref().is_some_and(is_described)
            && matches!(param.activity, Activity::Duplicated | Activity::DuplicatedOnly)
    });
    params.map(|(_, index)| shim.param(index)).collect()
}

/// Whether all of a type is described.
fn is_described(layout: &Layout) -> bool {
    match layout {
        Layout::Unknown => false,
        Layout::Integer { .. } | Layout::Float { .. } => true,
        Layout::Pointer { pointee } => pointee.as_deref().is_some_and(is_described),
        Layout::Struct { fields, .. } => fields.iter().all(|(_, field)| is_described(field)),
        Layout::Array { element, .. } => is_described(element),
    }
}

/// What the allocator returns.
pub(super) fn allocated<'c>(module: &Module<'c>) -> HashSet<Value<'c>> {
    let allocators =
        ["__rust_alloc", "__rust_alloc_zeroed"].into_iter().filter_map(|name| module.function(name));
    let users = allocators.flat_map(|allocator| allocator.users());
    users.filter_map(Value::as_instruction).filter(|user| user.is_call()).map(Instruction::value).collect()
}

fn leaves<'c>(
    instruction: Instruction<'c>,
    arguments: &Origins<'c>,
    allocated: &Origins<'c>,
    flow: &mut Flow<'c>,
) -> bool {
    match instruction.opcode() {
        Opcode::Store => {
            allocated.contain(instruction.operand(0)) && arguments.contain(instruction.operand(1))
        }
        Opcode::Call => instruction.callee().is_some_and(|callee| {
            let name = callee.name();
            let copies = name.starts_with("llvm.memcpy.") || name.starts_with("llvm.memmove.");
            copies
                && arguments.contain(instruction.operand(0))
                && allocated.are_behind(instruction.operand(1), flow)
        }),
        _ => false,
    }
}
