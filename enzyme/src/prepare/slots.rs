//! Stores to one of several stack slots. Where two branches end in a store each, the optimiser makes
//! one store of them, to the slot that the branch says; that is so in std as it is shipped. Slots that
//! are chosen between stay in memory for ever, and Enzyme fails on some of them. So each slot gets a
//! store of its own, of what is in it already if it is not meant.

use std::collections::HashSet;

use crate::llvm::{Block, Builder, Context, Function, Instruction, Module, Opcode, Value};

/// Gives slots that are chosen between stores of their own.
pub(super) fn separate<'c>(context: &'c Context, module: &Module<'c>) {
    let functions = module.functions().filter(|function| !function.is_declaration());
    let instructions: Vec<_> = functions.flat_map(Function::instructions).collect();
    for store in instructions.into_iter().filter(|it| it.opcode() == Opcode::Store) {
        if let Some(choice) = choice(store) {
            for slot in slots(choice) {
                store_if_meant(context, store, choice, slot);
            }
            store.erase();
            if !choice.has_users() {
                choice.erase();
            }
        }
    }
}

/// The choice between slots that a plain store is to.
fn choice(store: Instruction<'_>) -> Option<Instruction<'_>> {
    let choice = store.operand(1).as_instruction().filter(|it| it.opcode() == Opcode::Phi)?;
    let fits = |slot: Value<'_>| {
        slot.as_instruction().is_some_and(|it| it.allocated() == Some(store.operand(0).ty()))
    };
    let lives = lives(choice.operand(0));
    let together = |slot: Value<'_>| self::lives(slot) == lives;
    (!store.is_special_access() && choice.operands().all(|slot| fits(slot) && together(slot)))
        .then_some(choice)
}

/// Where the life of a slot begins: all slots must be alive. Those made of one are.
fn lives(slot: Value<'_>) -> HashSet<Block<'_>> {
    let users = slot.users().into_iter().filter_map(Value::as_instruction);
    let begins = |user: &Instruction<'_>| {
        user.callee().is_some_and(|callee| callee.name().starts_with("llvm.lifetime.start."))
    };
    users.filter(begins).map(Instruction::block).collect()
}

fn slots(choice: Instruction<'_>) -> Vec<Value<'_>> {
    let mut slots = Vec::new();
    for slot in choice.operands() {
        if !slots.contains(&slot) {
            slots.push(slot);
        }
    }
    slots
}

fn store_if_meant<'c>(
    context: &'c Context,
    store: Instruction<'c>,
    choice: Instruction<'c>,
    slot: Value<'c>,
) {
    let flag = context.int(1);
    let meant = Builder::before(context, choice).phi(flag);
    for (chosen, from) in choice.incoming() {
        meant.add_incoming(flag.constant(u64::from(chosen == slot)), from);
    }
    let builder = Builder::before(context, store);
    let value = store.operand(0);
    let kept = builder.load(value.ty(), slot);
    builder.store(builder.select(meant.value(), value, kept), slot);
}
