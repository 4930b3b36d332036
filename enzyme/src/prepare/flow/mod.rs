//! How values flow: which values and which memory hold the same kind of thing.
//!
//! Addresses are followed by unification over the whole module, byte by byte ([`graph`]). Integers
//! are followed in the direction in which they are copied ([`solve`]): one may be the bits of a
//! floating-point number or an address on its way, and a counter is not one because it is stored
//! where others are. What is said of a byte is true of whatever may be in it.

mod address;
mod call;
mod describe;
mod give_up;
mod graph;
mod index;
mod kinds;
mod layout;
mod reach;
mod solve;
mod visit;

use std::collections::{HashMap, HashSet};

use crate::llvm::{Function, Module, Sizes, Type, Value};
use crate::protocol::{Activity, Site};
use crate::{derivative, symbol};

use super::state;

use graph::{Byte, Graph, Place};
pub(super) use kinds::{Float, Kinds, Part};
pub(super) use layout::{Cell, Segment};
use solve::{Computed, Copied};

/// The flow of a module.
pub(super) struct Flow<'c> {
    sizes: Sizes<'c>,
    graph: Graph,
    values: HashMap<Value<'c>, Strip>,
    results: HashMap<Function<'c>, Strip>,
    /// Pointers to what the derivative treats as constant.
    constants: Vec<Value<'c>>,
    copied: Vec<Copied>,
    computed: Vec<Computed>,
    /// What addresses point to that became integers.
    exposed: Vec<Place>,
    /// Where integers begin that code out of sight gets.
    escaped: Vec<Byte>,
    /// Integers that became addresses.
    guessed: Vec<(Byte, Byte)>,
    /// What pointers point to that are computed from others.
    moved: HashMap<Value<'c>, Vec<Place>>,
    /// Pointers that are one of several, and that were merged into one all the same.
    merged: HashSet<Value<'c>>,
}

/// The bytes of a value.
#[derive(Debug, Clone, Copy)]
struct Strip {
    first: Byte,
    count: u64,
}

impl Strip {
    fn byte(self, position: u64) -> Byte {
        debug_assert!(position < self.count);
        Byte(self.first.0 + position as u32)
    }

    fn bytes(self) -> impl Iterator<Item = Byte> {
        (0..self.count).map(move |position| self.byte(position))
    }
}

impl<'c> Flow<'c> {
    /// Follows all values of a module.
    pub(super) fn of(module: &Module<'c>, shims: &[(&Site, Function<'c>)]) -> Self {
        let mut flow = Flow {
            sizes: module.sizes(),
            graph: Graph::default(),
            values: HashMap::new(),
            results: HashMap::new(),
            constants: Vec::new(),
            copied: Vec::new(),
            computed: Vec::new(),
            exposed: Vec::new(),
            escaped: Vec::new(),
            guessed: Vec::new(),
            moved: HashMap::new(),
            merged: HashSet::new(),
        };
        for (site, shim) in shims {
            for (index, param) in site.params.iter().enumerate() {
                let value = shim.param(index as u32);
                if param.integer {
                    flow.integer(value);
                    continue;
                }
                if param.activity == Activity::Const {
                    flow.constants.push(value);
                }
                if let Some(place) = flow.place(value) {
                    flow.graph.hold_all(place, Kinds::OPEN);
                    param.layout.iter().for_each(|layout| flow.describe(place, layout));
                }
            }
        }
        for global in module.globals() {
            let Some(place) = flow.place(*global) else { continue };
            flow.graph.hold_all(place, Kinds::OPEN);
            if let Some(initializer) = global.initializer() {
                flow.constant(place, initializer);
            }
        }
        let shims: HashSet<_> = shims.iter().map(|(_, shim)| *shim).collect();
        for function in module.functions().filter(|function| !shims.contains(function)) {
            if !function.is_declaration() && is_called_indirectly(function) {
                (0..function.param_count()).for_each(|index| flow.open(function.param(index)));
            }
        }
        // The derivatives themselves load their arguments from blocks that would connect them all.
        let is_followed =
            |function: Function<'c>| !symbol::is_derivative(&function.name()) && !state::is_native(function);
        for function in module.functions().filter(|function| is_followed(*function)) {
            for instruction in function.instructions() {
                flow.visit(function, instruction);
            }
        }
        flow.solve();
        flow
    }

    /// What a value may be.
    pub(super) fn of_value(&mut self, value: Value<'c>) -> Kinds {
        let Some(strip) = self.strip(value) else { return Kinds::NONE };
        strip.bytes().fold(Kinds::NONE, |kinds, byte| kinds.with(self.kinds(byte)))
    }

    /// How memory behind a pointer is used, whatever the offset.
    pub(super) fn of_contents(&mut self, pointer: Value<'c>) -> Kinds {
        self.of_range(pointer, None)
    }

    /// How memory behind a pointer is used, up to a length if that is known.
    pub(super) fn of_range(&mut self, pointer: Value<'c>, length: Option<u64>) -> Kinds {
        let mut kinds = Kinds::NONE;
        for place in self.places(pointer) {
            kinds = kinds.with(match length.filter(|length| *length <= LONGEST) {
                None => self.of_object(place),
                Some(length) => {
                    let bytes = self.known_bytes(place, length);
                    let all = self.graph.all(place);
                    bytes.into_iter().fold(all, |kinds, byte| kinds.with(self.kinds(byte)))
                }
            });
        }
        kinds
    }

    fn known_bytes(&mut self, place: Place, length: u64) -> Vec<Byte> {
        (0..length.cast_signed()).filter_map(|position| self.graph.known_byte(place.at(position))).collect()
    }

    fn of_object(&mut self, place: Place) -> Kinds {
        let all = self.graph.all(place);
        self.graph.bytes_of(place).into_iter().fold(all, |kinds, byte| kinds.with(self.kinds(byte)))
    }

    /// Says that the derivative treats what a pointer points to as constant.
    pub(super) fn treat_as_constant(&mut self, pointer: Value<'c>) {
        self.constants.push(pointer);
    }

    /// Whether a pointer may have been read from what the derivative treats as constant.
    pub(super) fn is_from_constants(&mut self, value: Value<'c>) -> bool {
        let mut objects = Vec::new();
        for place in self.places(value) {
            objects.push(self.graph.resolve(place).object);
        }
        let starts = self.constants.clone();
        starts.into_iter().any(|start| {
            self.place(start)
                .is_some_and(|start| self.reachable(start).iter().any(|it| objects.contains(&it.object)))
        })
    }

    /// Pointers to what the derivative treats as constant.
    pub(super) fn constants(&self) -> &[Value<'c>] {
        &self.constants
    }

    /// The bytes that a value takes.
    pub(super) fn size_of(&self, value: Value<'c>) -> u64 {
        self.sizes.of(value.ty())
    }

    /// Tells memory behind pointers apart: what may be the same has the same number. Each address
    /// in memory, up to a length if that is known, has one.
    pub(super) fn memory(&mut self, pointer: Value<'c>, length: Option<u64>) -> Vec<u32> {
        let mut bytes = Vec::new();
        for place in self.places(pointer) {
            bytes.extend(match length.filter(|length| *length <= LONGEST) {
                Some(length) => self.known_bytes(place, length),
                None => self.graph.bytes_of(place),
            });
        }
        let mut numbers: Vec<_> = bytes.into_iter().map(|Byte(number)| number).collect();
        numbers.dedup();
        numbers
    }

    /// All memory that can be reached from a pointer, numbered likewise.
    pub(super) fn all_memory(&mut self, pointer: Value<'c>) -> HashSet<u32> {
        let mut numbers = HashSet::new();
        for start in self.places(pointer) {
            let mut places = self.reachable(start);
            places.push(start);
            for place in places {
                numbers.extend(self.graph.bytes_of(place).into_iter().map(|Byte(number)| number));
            }
        }
        numbers
    }

    /// Whether floating-point values may be stored in a global variable or in what it points to.
    pub(super) fn stores_floats_behind(&mut self, global: Value<'c>) -> bool {
        let Some(start) = self.place(global) else { return false };
        let mut places = self.reachable(start);
        places.push(start);
        places.into_iter().any(|place| {
            let kinds = self.of_object(place);
            let known = kinds.is_integer() || kinds.is_pointer();
            kinds.is_unknown() || kinds.is_written() && (kinds.may_be_float() || !known)
        })
    }

    /// All memory that addresses at a place or behind it point to.
    fn reachable(&mut self, start: Place) -> Vec<Place> {
        let mut seen = HashSet::new();
        let mut found = Vec::new();
        let mut next = vec![self.graph.resolve(start)];
        while let Some(place) = next.pop() {
            for byte in self.graph.bytes_of(place) {
                let Some(target) = self.graph.target(byte) else { continue };
                let target = self.graph.resolve(target);
                if seen.insert(target.object) {
                    found.push(target);
                    next.push(target);
                }
            }
        }
        found
    }

    /// What a byte may be, as far as is known in the end.
    fn kinds(&mut self, byte: Byte) -> Kinds {
        let (holds, used) = (self.graph.holds(byte), self.graph.used(byte));
        let shared = if holds.has(Kinds::OPEN) { Kinds::FLOATS.with(Kinds::INTEGER) } else { Kinds::INTEGER };
        holds.with(used.and(shared))
    }

    /// The bytes of a value that is no plain constant.
    fn strip(&mut self, value: Value<'c>) -> Option<Strip> {
        let value = anchor(value);
        if let Some(strip) = self.values.get(&value) {
            return Some(*strip);
        }
        if is_plain_constant(value) {
            return None;
        }
        let strip = self.new_strip(value.ty());
        self.values.insert(value, strip);
        Some(strip)
    }

    fn new_strip(&mut self, ty: Type<'c>) -> Strip {
        let count = self.sizes.of(ty);
        Strip { first: self.graph.new_bytes(count), count }
    }

    fn result(&mut self, function: Function<'c>) -> Strip {
        if let Some(strip) = self.results.get(&function) {
            return *strip;
        }
        let strip = self.new_strip(function.signature().result());
        self.results.insert(function, strip);
        strip
    }
}

/// More bytes than this are not looked at one by one.
const LONGEST: u64 = 4096;

/// Whether a function may be called other than by its name.
pub(super) fn is_called_indirectly(function: Function<'_>) -> bool {
    function.users().into_iter().any(|user| match user.as_instruction() {
        Some(call) if call.is_call() => {
            let passed = call.arguments().contains(&function);
            let enzyme = call.callee().is_some_and(|callee| derivative::is_enzyme(&callee.name()));
            passed && !enzyme
        }
        _ => true,
    })
}

/// The global variable that a constant address is in; any other value itself.
pub(super) fn anchor(value: Value<'_>) -> Value<'_> {
    if value.is_constant_expression() { anchor(value.operand(0)) } else { value }
}

/// Numbers, null and undefined values: they are what they are copied to.
fn is_plain_constant(value: Value<'_>) -> bool {
    let value = anchor(value);
    value.is_constant() && value.as_function().is_none() && value.as_global().is_none()
}
