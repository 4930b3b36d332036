//! Pointers to functions that can be followed back to the functions they are taken from: chosen
//! among a few, but not read from memory that may hold any.

use std::collections::HashSet;

use crate::llvm::{Context, Function, Image, Instruction, Linkage, Opcode, Value};
use crate::program::Program;

/// Where in a vtable the functions of a trait begin: after the destructor, the size and the alignment.
const FIRST_SLOT: u64 = 24;

/// Follows pointers back.
pub(super) struct Origins<'a, 'c> {
    pub(super) context: &'c Context,
    pub(super) program: &'a Program,
}

impl<'c> Origins<'_, 'c> {
    /// The functions that a pointer may be one of, if it is known where it comes from.
    pub(super) fn functions(&self, pointer: Value<'c>) -> Option<HashSet<Function<'c>>> {
        let mut found = HashSet::new();
        for source in self.sources(pointer)? {
            match source.as_function() {
                Some(function) => {
                    found.insert(function);
                }
                None => found.extend(self.in_vtables(source)?),
            }
        }
        Some(found)
    }

    /// Where in a vtable the address of a function stands, if it is read from one.
    pub(super) fn slot(&self, pointer: Value<'c>) -> Option<u64> {
        let sources = self.sources(pointer)?;
        let mut slots = sources.into_iter().map(|source| Some(self.load(source)?.1));
        let first = slots.next()??;
        slots.all(|slot| slot == Some(first)).then_some(first)
    }

    /// The functions that may be read from vtables, if the vtables are known.
    fn in_vtables(&self, source: Value<'c>) -> Option<Vec<Function<'c>>> {
        let (vtable, slot) = self.load(source)?;
        let mut found = Vec::new();
        for source in self.sources(vtable)? {
            let image = source.as_global().and_then(Image::of)?;
            match image.pointer(usize::try_from(slot).ok()?) {
                Some(pointer) => found.push(pointer.as_function()?),
                // A destructor that is null is not called.
                None => image.u64(slot as usize).map(|_| ())?,
            }
        }
        Some(found)
    }

    /// The vtable and the place in it, of a load from one: rustc says of such loads that they always
    /// give the same.
    fn load(&self, source: Value<'c>) -> Option<(Value<'c>, u64)> {
        let load = source.as_instruction().filter(|it| it.opcode() == Opcode::Load)?;
        if !load.has_metadata(self.context.metadata_kind("invariant.load")) {
            return None;
        }
        let from = load.operand(0);
        match from.as_instruction().filter(|it| it.opcode() == Opcode::GetElementPtr) {
            Some(address) => {
                let offset = address.byte_offset().filter(|offset| *offset >= FIRST_SLOT)?;
                Some((address.operand(0), offset))
            }
            None => Some((from, 0)),
        }
    }

    /// What a value is chosen from: constants but null, and what else is no choice. None where it comes
    /// from callers that are not known.
    fn sources(&self, value: Value<'c>) -> Option<Vec<Value<'c>>> {
        let mut seen = HashSet::from([value]);
        let mut pending = vec![value];
        let mut sources = Vec::new();
        while let Some(value) = pending.pop() {
            let next = match choices(value) {
                Some(choices) => choices,
                None if value.parameter_of().is_some() => self.arguments(value)?,
                None => {
                    if !value.is_null_or_undefined() {
                        sources.push(value);
                    }
                    continue;
                }
            };
            pending.extend(next.into_iter().filter(|value| seen.insert(*value)));
        }
        Some(sources)
    }

    /// What is passed for a parameter by all callers, if they are all known.
    fn arguments(&self, parameter: Value<'c>) -> Option<Vec<Value<'c>>> {
        let (function, index) = parameter.parameter_of()?;
        let call_of = |user: Value<'c>| user.as_instruction().filter(|user| user.callee() == Some(function));
        let calls: Vec<Instruction<'_>> = function.users().into_iter().map(call_of).collect::<Option<_>>()?;
        let targets = self.program.targets().ok()?;
        let known = function.linkage() == Linkage::Internal && !targets.contain(&function.name());
        (known && !calls.is_empty()).then(|| calls.iter().map(|call| call.operand(index)).collect())
    }
}

/// The values that an instruction chooses from, if that is what it does.
fn choices(value: Value<'_>) -> Option<Vec<Value<'_>>> {
    let instruction = value.as_instruction()?;
    match instruction.opcode() {
        Opcode::Phi => Some(instruction.operands().collect()),
        Opcode::Select => Some(vec![instruction.operand(1), instruction.operand(2)]),
        _ => None,
    }
}
