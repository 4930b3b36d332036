//! What may depend on the arguments that are differentiated. Followed through arithmetic and memory,
//! without regard to offsets or order: what is left out surely has derivative zero.

use std::collections::HashSet;

use super::flow::Flow;
use super::{cleanup, region, state};
use crate::llvm::{Function, Instruction, Module, Opcode, Value};
use crate::protocol::{Activity, Site};
use crate::{derivative, symbol};

/// Values and memory that may depend on the arguments.
pub(super) struct Dependence<'c> {
    values: HashSet<Value<'c>>,
    /// Functions whose results do.
    results: HashSet<Function<'c>>,
    /// Memory, as [`Flow`] tells it apart.
    memory: HashSet<u32>,
}

impl<'c> Dependence<'c> {
    /// Follows what the arguments of `shims` are used for.
    pub(super) fn of(module: &Module<'c>, flow: &mut Flow<'c>, shims: &[(&Site, Function<'c>)]) -> Self {
        let mut dependence =
            Dependence { values: HashSet::new(), results: HashSet::new(), memory: HashSet::new() };
        for (site, shim) in shims {
            for (param, index) in site.params.iter().zip(0..) {
                if !param.integer && param.activity != Activity::Const {
                    dependence.memory.extend(flow.all_memory(shim.param(index)));
                }
            }
        }
        let is_followed =
            |function: Function<'c>| !symbol::is_derivative(&function.name()) && !state::is_native(function);
        let functions = module.functions().filter(|function| is_followed(*function));
        let functions: Vec<_> = functions.filter(|function| !function.is_declaration()).collect();
        for function in functions.iter().filter(|function| has_address(**function)) {
            dependence.add_params(*function, flow);
        }
        let instructions: Vec<_> = functions.into_iter().flat_map(Function::instructions).collect();
        let mut known = 0;
        while known < dependence.len() {
            known = dependence.len();
            for instruction in &instructions {
                dependence.visit(*instruction, flow);
            }
        }
        dependence
    }

    /// Whether a value may depend on the arguments.
    pub(super) fn of_value(&self, value: Value<'c>) -> bool {
        self.values.contains(&value)
    }

    /// Whether what a pointer points to may, up to a length if that is known.
    pub(super) fn of_contents(&self, pointer: Value<'c>, length: Option<u64>, flow: &mut Flow<'c>) -> bool {
        flow.memory(pointer, length).iter().any(|memory| self.memory.contains(memory))
    }

    /// Whether what can be reached from a pointer may.
    pub(super) fn of_all_behind(&self, pointer: Value<'c>, flow: &mut Flow<'c>) -> bool {
        flow.all_memory(pointer).iter().any(|memory| self.memory.contains(memory))
    }

    fn len(&self) -> usize {
        self.values.len() + self.results.len() + self.memory.len()
    }

    /// Adds what a function is given that may be called from anywhere.
    fn add_params(&mut self, function: Function<'c>, flow: &mut Flow<'c>) {
        for param in (0..function.param_count()).map(|index| function.param(index)) {
            if param.ty().is_pointer() {
                self.memory.extend(flow.all_memory(param));
            } else {
                self.values.insert(param);
            }
        }
    }

    fn visit(&mut self, instruction: Instruction<'c>, flow: &mut Flow<'c>) {
        let value = instruction.value();
        let from = |index| instruction.operand(index);
        match instruction.opcode() {
            Opcode::Load => {
                let length = flow.size_of(value);
                if self.of_contents(from(0), Some(length), flow) {
                    self.add(value, flow);
                }
            }
            Opcode::Store => self.store(from(0), from(1), flow),
            Opcode::AtomicRmw | Opcode::CompareExchange => {
                instruction.operands().skip(1).for_each(|operand| self.store(operand, from(0), flow));
                if self.of_contents(from(0), Some(8), flow) {
                    self.add(value, flow);
                }
            }
            Opcode::Return if instruction.operand_count() == 1 && self.of_value(from(0)) => {
                self.results.insert(instruction.block().function());
            }
            Opcode::Call | Opcode::Invoke => self.call(instruction, flow),
            Opcode::GetElementPtr | Opcode::ICmp | Opcode::Branch | Opcode::Switch | Opcode::Return => {}
            Opcode::BitCast => self.copy(value, from(0), flow),
            // Arithmetic and conversions; those to integers end the chain.
            _ => {
                let ends = |operand: Value<'c>| {
                    value.ty().int_bits().is_some() && operand.ty().float_name().is_some()
                };
                if instruction.operands().any(|operand| self.of_value(operand) && !ends(operand)) {
                    self.add(value, flow);
                }
            }
        }
    }

    /// Adds a value, if it can be a float or hold one.
    fn add(&mut self, value: Value<'c>, flow: &mut Flow<'c>) {
        let (ty, kinds) = (value.ty(), flow.of_value(value));
        let is_number =
            ty.int_bits().is_some() && (kinds.is_integer() || kinds.is_pointer()) && !kinds.may_be_float();
        if !ty.is_void() && !ty.is_pointer() && ty.int_bits() != Some(1) && !is_number {
            self.values.insert(value);
        }
    }

    fn copy(&mut self, to: Value<'c>, from: Value<'c>, flow: &mut Flow<'c>) {
        if self.of_value(from) {
            self.add(to, flow);
        }
    }

    fn store(&mut self, value: Value<'c>, to: Value<'c>, flow: &mut Flow<'c>) {
        if self.of_value(value) {
            let length = flow.size_of(value);
            self.memory.extend(flow.memory(to, Some(length)));
        }
    }

    fn call(&mut self, call: Instruction<'c>, flow: &mut Flow<'c>) {
        let arguments = call.arguments();
        let callee = call.callee();
        let name = callee.map(|callee| callee.name()).unwrap_or_default();
        match callee {
            Some(callee) if callee.is_intrinsic() => {
                // What is copied has the same number where it goes.
                let copies = name.starts_with("llvm.memcpy.") || name.starts_with("llvm.memmove.");
                if !copies && arguments.iter().any(|argument| self.of_value(*argument)) {
                    self.add(call.value(), flow);
                }
            }
            // What initialises state is checked by itself.
            Some(callee) if cleanup::is_one(&name) || state::keeps_state(callee) => {}
            Some(callee) if !callee.is_declaration() => {
                for (index, argument) in (0..callee.param_count()).zip(&arguments) {
                    self.copy(callee.param(index), *argument, flow);
                }
                if self.results.contains(&callee) {
                    self.add(call.value(), flow);
                }
            }
            Some(_) if derivative::is_enzyme(&name) => {
                for passed in derivative::passed(&arguments) {
                    self.memory.extend(flow.all_memory(passed.argument));
                }
            }
            Some(_) if symbol::manages_memory(&name) => {}
            _ if region::never_returns(call) => {}
            _ => self.unseen(call, &arguments, flow),
        }
    }

    /// A call out of sight, which may do anything with what it is given.
    fn unseen(&mut self, call: Instruction<'c>, arguments: &[Value<'c>], flow: &mut Flow<'c>) {
        let (pointers, values): (Vec<_>, Vec<_>) =
            arguments.iter().copied().partition(|argument| argument.ty().is_pointer());
        // What calls a function by its address may call any that has one.
        let given = call.callee().is_none()
            || values.into_iter().any(|value| self.of_value(value))
            || pointers.iter().any(|pointer| self.of_all_behind(*pointer, flow));
        if given {
            for pointer in pointers.into_iter().chain(call.ty().is_pointer().then(|| call.value())) {
                self.memory.extend(flow.all_memory(pointer));
            }
            self.add(call.value(), flow);
        }
    }
}

/// Whether a function is more than called by its name or differentiated.
fn has_address(function: Function<'_>) -> bool {
    function.users().into_iter().any(|user| {
        let callee = user.as_instruction().and_then(Instruction::callee);
        callee.is_none_or(|callee| callee != function && !derivative::is_enzyme(&callee.name()))
    })
}
