//! Which addresses may come from given ones: from constant memory, say. Other than in [`Flow`], an
//! address keeps its own origin where it meets others: in a function that is called with constant
//! memory and with memory of the caller's.

use std::collections::HashSet;

use crate::llvm::{Function, Instruction, Module, Opcode, Value};
use crate::{derivative, symbol};

use super::flow::{Flow, anchor};
use super::state;

/// Addresses that may come from given ones.
pub(super) struct Origins<'c> {
    /// Whether the given ones are all constants, to which inner derivatives add theirs.
    constants: bool,
    addresses: HashSet<Value<'c>>,
    /// Functions that return such addresses.
    results: HashSet<Function<'c>>,
    /// Memory that they are stored in.
    memory: HashSet<usize>,
}

impl<'c> Origins<'c> {
    /// Follows the addresses of constant memory.
    pub(super) fn of_constants(module: &Module<'c>, flow: &mut Flow<'c>) -> Self {
        let addresses = flow.constants().iter().copied().collect();
        Self::follow(addresses, true, module, flow)
    }

    /// Follows the addresses of constant memory and of constant data.
    pub(super) fn of_constants_and_data(module: &Module<'c>, flow: &mut Flow<'c>) -> Self {
        let data = module.globals().filter(|global| global.is_constant_global()).map(|global| *global);
        let addresses = flow.constants().iter().copied().chain(data).collect();
        Self::follow(addresses, true, module, flow)
    }

    /// Follows addresses.
    pub(super) fn of(addresses: HashSet<Value<'c>>, module: &Module<'c>, flow: &mut Flow<'c>) -> Self {
        Self::follow(addresses, false, module, flow)
    }

    fn follow(
        addresses: HashSet<Value<'c>>,
        constants: bool,
        module: &Module<'c>,
        flow: &mut Flow<'c>,
    ) -> Self {
        let mut origins = Origins { constants, addresses, results: HashSet::new(), memory: HashSet::new() };
        let is_followed =
            |function: Function<'c>| !symbol::is_derivative(&function.name()) && !state::is_native(function);
        let functions = module.functions().filter(|function| is_followed(*function));
        let instructions: Vec<_> = functions.flat_map(Function::instructions).collect();
        let mut known = 0;
        while known < origins.len() {
            known = origins.len();
            for instruction in &instructions {
                origins.visit(*instruction, flow);
            }
        }
        origins
    }

    /// Whether a value may come from one of the given addresses.
    pub(super) fn contain(&self, value: Value<'c>) -> bool {
        self.addresses.contains(&anchor(value))
    }

    /// Whether such an address may be stored in memory behind a pointer.
    pub(super) fn are_behind(&self, pointer: Value<'c>, flow: &mut Flow<'c>) -> bool {
        self.memory.contains(&flow.memory(pointer))
    }

    fn len(&self) -> usize {
        self.addresses.len() + self.results.len() + self.memory.len()
    }

    fn visit(&mut self, instruction: Instruction<'c>, flow: &mut Flow<'c>) {
        let value = instruction.value();
        let from = |index| instruction.operand(index);
        match instruction.opcode() {
            Opcode::GetElementPtr => self.copy(value, from(0)),
            Opcode::BitCast
            | Opcode::PtrToInt
            | Opcode::IntToPtr
            | Opcode::Copy
            | Opcode::Phi
            | Opcode::Select => {
                instruction.operands().for_each(|operand| self.copy(value, operand));
            }
            Opcode::Load => self.load(instruction, flow),
            Opcode::Store => self.store(from(0), from(1), flow),
            Opcode::AtomicRmw | Opcode::CompareExchange => {
                self.load(instruction, flow);
                instruction.operands().skip(1).for_each(|operand| self.store(operand, from(0), flow));
            }
            Opcode::Return if instruction.operand_count() == 1 && self.contain(from(0)) => {
                self.results.insert(instruction.block().function());
            }
            Opcode::Call | Opcode::Invoke => self.call(instruction, flow),
            _ => {}
        }
    }

    fn copy(&mut self, to: Value<'c>, from: Value<'c>) {
        if self.contain(from) {
            self.addresses.insert(to);
        }
    }

    fn load(&mut self, load: Instruction<'c>, flow: &mut Flow<'c>) {
        let from = load.operand(0);
        let origin = self.contain(from) || self.memory.contains(&flow.memory(from));
        if origin && may_be_address(load, flow) {
            self.addresses.insert(load.value());
        }
    }

    fn store(&mut self, value: Value<'c>, to: Value<'c>, flow: &mut Flow<'c>) {
        if self.contain(value) {
            self.memory.insert(flow.memory(to));
        }
    }

    fn call(&mut self, call: Instruction<'c>, flow: &mut Flow<'c>) {
        let arguments = call.arguments();
        match call.callee() {
            Some(callee) if callee.is_intrinsic() => {
                let name = callee.name();
                let copies = name.starts_with("llvm.memcpy.") || name.starts_with("llvm.memmove.");
                if copies && self.contain(arguments[1]) && flow.of_contents(arguments[1]).pointer {
                    self.memory.insert(flow.memory(arguments[0]));
                } else if name.starts_with("llvm.threadlocal.address.") {
                    self.copy(call.value(), arguments[0]);
                }
            }
            Some(callee) if !callee.is_declaration() => {
                for (index, argument) in (0..callee.param_count()).zip(&arguments) {
                    self.copy(callee.param(index), *argument);
                }
                if self.results.contains(&callee) {
                    self.addresses.insert(call.value());
                }
            }
            Some(callee) if derivative::is_enzyme(&callee.name()) => {
                for passed in derivative::passed(&arguments) {
                    self.copy(passed.param, passed.argument);
                    if self.constants && passed.constant && passed.param.ty().is_pointer() {
                        self.addresses.insert(passed.param);
                    }
                }
            }
            Some(callee) if symbol::manages_memory(&callee.name()) => {}
            // It may return what it was given.
            _ if call.ty().is_pointer() => {
                for argument in arguments {
                    self.copy(call.value(), argument);
                }
            }
            _ => {}
        }
    }
}

/// Whether what is loaded may be an address. LLVM loads one as an integer when it only moves it.
fn may_be_address<'c>(load: Instruction<'c>, flow: &mut Flow<'c>) -> bool {
    let (value, ty) = (load.value(), load.ty());
    match ty.int_bits() {
        Some(64) => flow.of_value(value).pointer && !is_number(value),
        Some(_) => false,
        None => ty.float_name().is_none(),
    }
}

/// Whether an integer is used as a number: a length, say.
fn is_number(value: Value<'_>) -> bool {
    let users: Vec<_> = value.users().into_iter().filter_map(Value::as_instruction).collect();
    let counts = |user: &Instruction<'_>| match user.opcode() {
        Opcode::Other | Opcode::Add | Opcode::Sub => true,
        Opcode::GetElementPtr => user.operand(0) != value,
        _ => false,
    };
    users.iter().any(counts) && !users.iter().any(|user| user.opcode() == Opcode::IntToPtr)
}
