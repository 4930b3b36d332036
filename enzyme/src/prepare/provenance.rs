//! Addresses that travel as integers: kept in a field of type `usize`, or chosen among by the
//! optimiser. Enzyme finds the shadow of an address only where it travels as one; so integers that
//! cannot be but addresses become pointers again, and sums with them, offsets.

use std::collections::{HashMap, HashSet};

use super::flow::Flow;
use crate::llvm::{Builder, Context, Function, Instruction, Module, Opcode, Value};

/// Turns integers back into the pointers that they are. Says whether there were any.
pub(super) fn repair<'c>(context: &'c Context, module: &Module<'c>, flow: &mut Flow<'c>) -> bool {
    let functions = module.functions().filter(|function| !function.is_declaration());
    let instructions: Vec<_> = functions.flat_map(Function::instructions).collect();
    let casts: Vec<_> = of(&instructions, Opcode::IntToPtr).collect();
    let stores: Vec<_> = of(&instructions, Opcode::Store).filter(|it| is_word(it.operand(0))).collect();
    let demanded = casts.iter().flat_map(|cast| loads_of(cast.operand(0))).collect();
    let mut addresses = Addresses { flow, demanded, memory: HashSet::new(), known: HashMap::new() };
    addresses.find_memory(&stores);
    let casts: Vec<_> = casts.into_iter().filter(|it| addresses.is_pointer(it.operand(0))).collect();
    let stores: Vec<_> = stores.into_iter().filter(|it| addresses.is_pointer(it.operand(0))).collect();
    let mut repair = Repair { context, addresses, pointers: HashMap::new() };
    for cast in &casts {
        let pointer = repair.pointer(cast.operand(0));
        cast.replace_uses(pointer);
    }
    for store in &stores {
        let pointer = repair.pointer(store.operand(0));
        Builder::before(context, *store).store(pointer, store.operand(1)).align_like(*store);
    }
    let changed = !casts.is_empty() || !stores.is_empty();
    casts.into_iter().chain(stores).for_each(Instruction::erase);
    repair.finish();
    changed
}

fn of<'a, 'c>(all: &'a [Instruction<'c>], opcode: Opcode) -> impl Iterator<Item = Instruction<'c>> + 'a {
    all.iter().copied().filter(move |instruction| instruction.opcode() == opcode)
}

/// Whether a value is an integer as wide as an address.
fn is_word(value: Value<'_>) -> bool {
    value.ty().int_bits() == Some(64)
}

/// Tells addresses among integers.
struct Addresses<'a, 'c> {
    flow: &'a mut Flow<'c>,
    /// Loads of integers that become pointers later.
    demanded: HashSet<Value<'c>>,
    /// Memory in which integers that are no plain numbers are addresses.
    memory: HashSet<usize>,
    /// What has been found out, or is assumed while it is being found out, of values: whether they
    /// can become pointers.
    known: HashMap<Value<'c>, bool>,
}

impl<'c> Addresses<'_, 'c> {
    /// Finds the memory that holds addresses as integers: they are read from there, an address is
    /// stored there, and nothing that might be one and cannot become a pointer.
    fn find_memory(&mut self, stores: &[Instruction<'c>]) {
        let mut by_memory: HashMap<usize, Vec<Value<'c>>> = HashMap::new();
        for store in stores {
            if !self.is_number(store.operand(0)) {
                by_memory.entry(self.flow.memory(store.operand(1))).or_default().push(store.operand(0));
            }
        }
        let read = self.demanded.iter().filter_map(|load| load.as_instruction());
        self.memory = read.map(|load| self.flow.memory(load.operand(0))).collect();
        self.memory.retain(|memory| {
            by_memory.get(memory).is_some_and(|values| values.iter().any(|it| holds_address(*it)))
        });
        loop {
            self.known.clear();
            let fits =
                |this: &mut Self, memory: &usize| by_memory[memory].iter().all(|it| this.is_pointer(*it));
            let memory: HashSet<_> = self.memory.clone().into_iter().filter(|it| fits(self, it)).collect();
            if memory.len() == self.memory.len() {
                return;
            }
            self.memory = memory;
        }
    }

    /// Whether a value can become a pointer, and is one.
    fn is_pointer(&mut self, value: Value<'c>) -> bool {
        !self.is_number(value) && self.may_become_pointer(value)
    }

    fn may_become_pointer(&mut self, value: Value<'c>) -> bool {
        if value.is_constant() {
            return value.as_integer().is_some();
        }
        if let Some(known) = self.known.get(&value) {
            return *known;
        }
        self.known.insert(value, true);
        let may = value.as_instruction().is_some_and(|instruction| self.may_result_become(instruction));
        self.known.insert(value, may);
        may
    }

    fn may_result_become(&mut self, instruction: Instruction<'c>) -> bool {
        match instruction.opcode() {
            Opcode::PtrToInt => is_word(instruction.value()),
            Opcode::Load => {
                let memory = self.flow.memory(instruction.operand(0));
                is_word(instruction.value())
                    && self.memory.contains(&memory)
                    && !instruction.is_special_access()
            }
            Opcode::Phi => instruction.operands().all(|operand| self.may_become_pointer(operand)),
            Opcode::Select => (1..3).all(|index| self.may_become_pointer(instruction.operand(index))),
            Opcode::Add | Opcode::Sub => {
                self.base(instruction).is_some_and(|base| self.may_become_pointer(instruction.operand(base)))
            }
            _ => false,
        }
    }

    /// The operand of a sum or difference that is an address, if the other one is a number.
    fn base(&mut self, sum: Instruction<'c>) -> Option<u32> {
        match (self.is_number(sum.operand(0)), self.is_number(sum.operand(1))) {
            (false, true) => Some(0),
            (true, false) => (sum.opcode() == Opcode::Add).then_some(1),
            _ => None,
        }
    }

    /// Whether an integer is a number: no address is copied to it.
    fn is_number(&mut self, value: Value<'c>) -> bool {
        self.counts(value, &mut HashSet::new())
    }

    fn counts(&mut self, value: Value<'c>, seen: &mut HashSet<Value<'c>>) -> bool {
        if value.is_constant() {
            return value.as_integer().is_some() || value.is_null_or_undefined();
        }
        if !seen.insert(value) {
            return true;
        }
        let Some(instruction) = value.as_instruction() else { return !self.flow.of_value(value).pointer };
        let is_counter = !self.demanded.contains(&value) && is_computed_with(value);
        let mut count = |index| self.counts(instruction.operand(index), seen);
        match instruction.opcode() {
            Opcode::PtrToInt => false,
            // The difference of two addresses is a number.
            Opcode::Sub => count(0) == count(1),
            Opcode::Select => count(1) && count(2),
            Opcode::ICmp => true,
            Opcode::Call | Opcode::Invoke if instruction.callee().is_some_and(Function::is_intrinsic) => {
                (0..instruction.arguments().len() as u32).all(count)
            }
            Opcode::Load if is_counter => true,
            Opcode::Load | Opcode::Call | Opcode::Invoke => !self.flow.of_value(value).pointer,
            _ => (0..instruction.operand_count()).all(count),
        }
    }
}

/// The loads that a value is made of.
fn loads_of(value: Value<'_>) -> Vec<Value<'_>> {
    parts_of(value).into_iter().filter(|part| part.opcode() == Opcode::Load).map(Instruction::value).collect()
}

/// Whether the address of something is a part of a value.
fn holds_address(value: Value<'_>) -> bool {
    parts_of(value).into_iter().any(|part| part.opcode() == Opcode::PtrToInt)
}

/// The instructions that a value is made of, back to loads and calls.
fn parts_of(value: Value<'_>) -> Vec<Instruction<'_>> {
    let mut seen = HashSet::new();
    let mut pending = vec![value];
    let mut parts = Vec::new();
    while let Some(value) = pending.pop() {
        let Some(instruction) = value.as_instruction().filter(|_| seen.insert(value)) else { continue };
        parts.push(instruction);
        let ends = [Opcode::Load, Opcode::PtrToInt, Opcode::Call, Opcode::Invoke];
        if !ends.contains(&instruction.opcode()) {
            pending.extend(instruction.operands().filter(|operand| !operand.is_block()));
        }
    }
    parts
}

/// Whether an integer is computed or compared with.
fn is_computed_with(value: Value<'_>) -> bool {
    let users = value.users().into_iter().filter_map(Value::as_instruction);
    users.into_iter().any(|user| match user.opcode() {
        Opcode::GetElementPtr => user.operand(0) != value,
        Opcode::Add | Opcode::Sub | Opcode::ICmp | Opcode::Switch | Opcode::Other => true,
        _ => false,
    })
}

/// Makes pointers.
struct Repair<'a, 'c> {
    context: &'c Context,
    addresses: Addresses<'a, 'c>,
    /// Pointers in the place of integers.
    pointers: HashMap<Value<'c>, Value<'c>>,
}

impl<'c> Repair<'_, 'c> {
    /// The pointer that an integer is.
    fn pointer(&mut self, integer: Value<'c>) -> Value<'c> {
        if let Some(pointer) = self.pointers.get(&integer) {
            return *pointer;
        }
        let Some(instruction) = integer.as_instruction() else {
            return integer.as_constant_address(self.context.ptr());
        };
        let builder = Builder::before(self.context, instruction);
        let pointer = match instruction.opcode() {
            Opcode::PtrToInt => instruction.operand(0),
            Opcode::Load => {
                let pointer = builder.load(self.context.ptr(), instruction.operand(0));
                pointer.as_instruction().into_iter().for_each(|load| load.align_like(instruction));
                pointer
            }
            Opcode::Phi => {
                let phi = builder.phi(self.context.ptr());
                // It may lead back to itself.
                self.pointers.insert(integer, phi.value());
                for (value, block) in instruction.incoming() {
                    phi.add_incoming(self.pointer(value), block);
                }
                phi.value()
            }
            Opcode::Select => {
                let (yes, no) = (self.pointer(instruction.operand(1)), self.pointer(instruction.operand(2)));
                builder.select(instruction.operand(0), yes, no)
            }
            _ => self.sum(&builder, instruction),
        };
        self.pointers.insert(integer, pointer);
        pointer
    }

    fn sum(&mut self, builder: &Builder<'c>, sum: Instruction<'c>) -> Value<'c> {
        let base = self.addresses.base(sum).expect("one operand is an address");
        let pointer = self.pointer(sum.operand(base));
        let number = sum.operand(1 - base);
        let number = if sum.opcode() == Opcode::Sub { builder.negated(number) } else { number };
        builder.moved(self.context.int(8), pointer, number)
    }

    /// Makes what uses the integers use the pointers.
    fn finish(self) {
        let integers: Vec<_> = self
            .pointers
            .iter()
            .filter_map(|(integer, pointer)| {
                let instruction = integer.as_instruction()?;
                (instruction.opcode() != Opcode::PtrToInt).then_some((instruction, *pointer))
            })
            .collect();
        for (integer, pointer) in &integers {
            if integer.has_users() {
                let builder = Builder::before(self.context, integer.block().after_phis(*integer));
                integer.replace_uses(builder.address_as_integer(*pointer, integer.ty()));
            }
        }
        for (integer, _) in integers {
            integer.erase();
        }
    }
}
