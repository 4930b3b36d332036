//! What a call through a pointer may lead to: the functions whose address is taken somewhere in the
//! program. Of the standard library only those that the program's own crates take the address of.

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::error::Error;
use crate::llvm::{Context, Function, Global, Image, Instruction, Module, Value};
use crate::source::Source;

/// Functions by the signature with which they are called, as LLVM writes it.
#[derive(Debug, Default)]
pub(crate) struct Targets(HashMap<String, Vec<Target>>);

/// A function whose address is taken.
#[derive(Debug, PartialEq, Eq)]
struct Target {
    name: String,
    /// Where in vtables its address is.
    slots: BTreeSet<u64>,
}

/// Where the functions of a trait begin in a vtable: after the destructor, the size and the alignment.
const FIRST_SLOT: usize = 24;

impl Targets {
    /// Finds the functions whose address is taken.
    pub(crate) fn of(sources: &[Source]) -> Result<Self, Error> {
        let mut targets = Targets::default();
        for source in sources.iter().filter(|source| !source.std) {
            // A context of its own: nothing but names is kept.
            let context = Context::new();
            let module = context.parse_bitcode(&source.bytes).map_err(Error::bitcode(&source.krate))?;
            targets.add(&module);
        }
        Ok(targets)
    }

    fn add(&mut self, module: &Module<'_>) {
        let instructions =
            module.functions().filter(|function| !function.is_declaration()).flat_map(Function::instructions);
        let addresses: HashSet<_> = instructions.flat_map(addresses).collect();
        for function in addresses {
            self.insert(function, None);
        }
        for global in module.globals().filter(|global| !global.is_declaration()) {
            for (slot, function) in functions_in(global) {
                self.insert(function, slot);
            }
        }
    }

    fn insert(&mut self, function: Function<'_>, slot: Option<u64>) {
        if function.is_intrinsic() {
            return;
        }
        let name = function.name();
        let all = self.0.entry(function.signature().text()).or_default();
        match all.iter_mut().find(|target| target.name == name) {
            Some(target) => target.slots.extend(slot),
            None => all.push(Target { name, slots: slot.into_iter().collect() }),
        }
    }

    /// Whether the address of a function is taken.
    pub(crate) fn contain(&self, name: &str) -> bool {
        self.0.values().flatten().any(|target| target.name == name)
    }

    /// The functions that a call with this signature may lead to: all of them, or those at a place in
    /// a vtable.
    pub(crate) fn of_call(&self, signature: &str, slot: Option<u64>) -> BTreeSet<&str> {
        let all = self.0.get(signature).map(Vec::as_slice).unwrap_or_default();
        let fits = |target: &&Target| slot.is_none_or(|slot| target.slots.contains(&slot));
        all.iter().filter(fits).map(|target| target.name.as_str()).collect()
    }
}

/// The functions that an instruction uses other than by calling them.
pub(crate) fn addresses(instruction: Instruction<'_>) -> Vec<Function<'_>> {
    let called = instruction.is_call().then(|| instruction.operand_count() - 1);
    let operands = (0..instruction.operand_count()).filter(|index| Some(*index) != called);
    operands.filter_map(|index| instruction.operand(index).as_function()).collect()
}

/// The functions that a global variable holds the addresses of, with their slots if it may be a vtable.
pub(crate) fn functions_in(global: Global<'_>) -> Vec<(Option<u64>, Function<'_>)> {
    if let Some(vtable) = Image::of(global).filter(is_vtable) {
        let functions = vtable.pointers().filter_map(|(slot, pointer)| Some((slot, pointer.as_function()?)));
        return functions.map(|(slot, function)| (Some(slot as u64), function)).collect();
    }
    let mut functions = Vec::new();
    global.initializer().into_iter().for_each(|value| parts(value, &mut functions));
    functions.into_iter().map(|function| (None, function)).collect()
}

/// Whether a constant is laid out like a vtable, which nothing else tells: a destructor or null, a
/// size, an alignment that fits the size, and addresses only.
fn is_vtable(image: &Image<'_>) -> bool {
    let (Some(size), Some(align)) = (image.u64(8), image.u64(16)) else { return false };
    let in_place = |offset: usize| offset == 0 || offset >= FIRST_SLOT && offset.is_multiple_of(8);
    align.is_power_of_two()
        && size.is_multiple_of(align)
        && image.pointers().all(|(offset, _)| in_place(offset))
        && image.pointer(0).map_or(image.u64(0) == Some(0), |destructor| destructor.as_function().is_some())
}

/// The functions among the parts of a constant.
fn parts<'c>(constant: Value<'c>, functions: &mut Vec<Function<'c>>) {
    for part in constant.operands() {
        match part.as_function() {
            Some(function) => functions.push(function),
            None if part.as_global().is_none() => parts(part, functions),
            None => {}
        }
    }
}
