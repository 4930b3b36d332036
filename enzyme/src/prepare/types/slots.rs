//! Stack slots. Where a slot is used in some cases only, Enzyme does not trust the uses to say what
//! is in it.

use super::bulk;
use crate::llvm::{Builder, Context, Function, Instruction, Module, Opcode};
use crate::prepare::flow::{Cell, Float, Flow};

/// Says what is in stack slots.
pub(super) fn annotate<'c>(context: &'c Context, module: &Module<'c>, flow: &mut Flow<'c>) {
    let functions = module.functions().filter(|function| !function.is_declaration());
    let slots = functions.flat_map(Function::instructions).filter(|it| it.opcode() == Opcode::Alloca);
    for slot in slots.collect::<Vec<_>>() {
        let ty = slot.allocated_type();
        let size = module.sizes().of(ty);
        if slot.operand(0).as_int() != Some(1) || size == 0 {
            continue;
        }
        match flow.cell_behind(slot.value(), size) {
            Cell::Whole(float) if ty.int_bits().is_some() => {
                let new = Builder::before(context, slot).slot(float.ty(context));
                new.as_instruction().iter().for_each(|new| new.set_alignment(slot.alignment()));
                slot.replace_uses(new);
                slot.erase();
            }
            _ => {
                let near = size.min(bulk::FAR);
                let (numbers, integers) =
                    (flow.numbers(slot.value(), near), flow.integers(slot.value(), near));
                mark(context, slot, &numbers, &integers);
            }
        }
    }
}

fn mark<'c>(context: &'c Context, slot: Instruction<'c>, numbers: &[(u64, Float)], integers: &[u64]) {
    let leaf = |kind: &str| context.metadata_node(&[context.metadata_string(kind)]);
    let offset = |offset: u64| context.metadata_value(context.int(32).constant(offset));
    let mut behind = vec![context.metadata_string("Pointer")];
    for (at, float) in numbers {
        behind.extend([offset(*at), leaf(float.name())]);
    }
    // Integers only to tell them from the others: of slots without floats Enzyme finds out itself.
    if behind.len() > 1 {
        for at in integers {
            behind.extend([offset(*at), leaf("Integer")]);
        }
        let everywhere = offset(u64::from(u32::MAX));
        let pointer = context.metadata_node(&behind);
        let tree = context.metadata_node(&[context.metadata_string("Unknown"), everywhere, pointer]);
        slot.set_metadata(context.metadata_kind("enzyme_type"), Some(tree));
    }
}
