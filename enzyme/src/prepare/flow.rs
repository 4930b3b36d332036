//! How values flow: which values and which memory hold the same kind of thing.
//!
//! A unification in the style of Steensgaard (POPL 1996) over the whole module: one node per value,
//! and per pointer one node for what is in memory behind it, whatever the offset. Nodes are merged
//! where a value is copied, and collect the kinds of use seen anywhere. It is coarse on purpose:
//! what it says of a node is true of everything in it, and a node of mixed use says nothing.

use std::collections::{HashMap, HashSet};

use crate::llvm::{Function, Instruction, Module, Opcode, Value};
use crate::protocol::{Activity, Layout, Site};
use crate::{derivative, symbol};

use super::{cleanup, region, state};

/// Uses seen of a node's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(clippy::struct_excessive_bools, reason = "it is a set")]
pub(super) struct Kinds {
    pub(super) half: bool,
    pub(super) float: bool,
    pub(super) double: bool,
    pub(super) integer: bool,
    pub(super) pointer: bool,
    /// For memory: something is stored there.
    pub(super) written: bool,
    /// Seen by code that is out of sight.
    pub(super) unknown: bool,
}

/// Which node a value belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Node(usize);

#[derive(Debug, Default, Clone, Copy)]
struct Data {
    /// Another node that this one was merged into.
    parent: Option<usize>,
    kinds: Kinds,
    /// What is in memory behind the node's pointers.
    contents: Option<usize>,
}

/// The flow of a module.
pub(super) struct Flow<'c> {
    nodes: Vec<Data>,
    values: HashMap<Value<'c>, Node>,
    results: HashMap<Function<'c>, Node>,
    /// Pointers to what the derivative treats as constant.
    constants: Vec<Value<'c>>,
}

impl<'c> Flow<'c> {
    /// Follows all values of a module.
    pub(super) fn of(module: &Module<'c>, shims: &[(&Site, Function<'c>)]) -> Self {
        let mut flow = Flow {
            nodes: Vec::new(),
            values: HashMap::new(),
            results: HashMap::new(),
            constants: Vec::new(),
        };
        for (site, shim) in shims {
            for (index, param) in site.params.iter().enumerate() {
                let node = flow.node(shim.param(index as u32));
                if param.integer {
                    flow.kinds(node).integer = true;
                } else if param.activity == Activity::Const {
                    flow.constants.push(shim.param(index as u32));
                }
                if let Some(layout) = &param.layout {
                    flow.describe(node, layout);
                }
            }
        }
        for global in module.globals().filter(|global| !global.is_declaration()) {
            let contents = flow.behind(*global);
            flow.constant(contents, *global);
        }
        // The derivatives themselves load their arguments from blocks that would connect them all.
        let is_followed =
            |function: Function<'c>| !symbol::is_derivative(&function.name()) && !state::is_native(function);
        for function in module.functions().filter(|function| is_followed(*function)) {
            for instruction in function.instructions() {
                flow.visit(function, instruction);
            }
        }
        flow
    }

    /// How a value is used.
    pub(super) fn of_value(&mut self, value: Value<'c>) -> Kinds {
        let node = self.node(value);
        *self.kinds(node)
    }

    /// How memory behind a pointer is used.
    pub(super) fn of_contents(&mut self, pointer: Value<'c>) -> Kinds {
        let node = self.node(pointer);
        let contents = self.contents(node);
        *self.kinds(contents)
    }

    /// Says that the derivative treats what a pointer points to as constant.
    pub(super) fn treat_as_constant(&mut self, pointer: Value<'c>) {
        self.constants.push(pointer);
    }

    /// Whether a value may have been read from what the derivative treats as constant.
    pub(super) fn is_from_constants(&mut self, value: Value<'c>) -> bool {
        let root = {
            let node = self.node(value);
            self.root(node)
        };
        let starts = self.constants.clone();
        starts.into_iter().any(|start| {
            let start = self.node(start);
            self.reachable(start).contains(&root)
        })
    }

    /// Pointers to what the derivative treats as constant.
    pub(super) fn constants(&self) -> &[Value<'c>] {
        &self.constants
    }

    /// Tells memory behind pointers apart: what may be the same has the same number.
    pub(super) fn memory(&mut self, pointer: Value<'c>) -> usize {
        let contents = self.behind(pointer);
        self.root(contents)
    }

    /// All memory that can be reached from a pointer.
    pub(super) fn all_memory(&mut self, pointer: Value<'c>) -> HashSet<usize> {
        let start = self.node(pointer);
        self.reachable(start)
    }

    /// Whether floating-point values may be stored in a global variable or in what it points to.
    pub(super) fn stores_floats_behind(&mut self, global: Value<'c>) -> bool {
        let start = self.node(global);
        self.reachable(start).into_iter().any(|root| {
            let kinds = self.nodes[root].kinds;
            let known = kinds.integer || kinds.pointer;
            kinds.unknown || kinds.written && (kinds.may_be_float() || !known)
        })
    }

    /// The nodes of all memory reachable through pointers in a node.
    fn reachable(&mut self, start: Node) -> HashSet<usize> {
        let mut seen = HashSet::new();
        let mut root = self.root(start);
        while let Some(contents) = self.nodes[root].contents {
            root = self.root(Node(contents));
            if !seen.insert(root) {
                break;
            }
        }
        seen
    }

    /// Takes over what a call says of the memory behind a pointer.
    fn describe(&mut self, pointer: Node, layout: &Layout) {
        let contents = self.contents(pointer);
        match layout {
            Layout::Unknown => {}
            Layout::Integer { .. } => self.kinds(contents).integer = true,
            Layout::Float { size: 4 } => self.kinds(contents).float = true,
            Layout::Float { size: 8 } => self.kinds(contents).double = true,
            Layout::Float { size: 2 } => self.kinds(contents).half = true,
            Layout::Float { .. } => self.kinds(contents).unknown = true,
            Layout::Pointer { pointee } => {
                self.kinds(contents).pointer = true;
                if let Some(pointee) = pointee {
                    self.describe(contents, pointee);
                }
            }
            Layout::Struct { fields, .. } => {
                for (_, field) in fields {
                    self.describe(pointer, field);
                }
            }
            Layout::Array { element, .. } => self.describe(pointer, element),
        }
    }

    fn visit(&mut self, function: Function<'c>, instruction: Instruction<'c>) {
        let value = instruction.value();
        match instruction.opcode() {
            Opcode::Load => {
                let contents = self.behind(instruction.operand(0));
                self.flows(contents, value);
            }
            Opcode::Store => {
                let contents = self.behind(instruction.operand(1));
                self.kinds(contents).written = true;
                self.flows(contents, instruction.operand(0));
            }
            Opcode::GetElementPtr => {
                self.same(value, instruction.operand(0));
                instruction.operands().skip(1).for_each(|index| self.integer(index));
            }
            Opcode::Select => {
                self.same(value, instruction.operand(1));
                self.same(value, instruction.operand(2));
            }
            Opcode::Phi => instruction.operands().for_each(|incoming| self.same(value, incoming)),
            Opcode::Copy => instruction.operands().for_each(|operand| self.same(value, operand)),
            Opcode::BitCast | Opcode::PtrToInt | Opcode::IntToPtr => {
                // A value seen as two types at once has the uses of both.
                let operand = instruction.operand(0);
                let node = self.node(value);
                self.flows(node, operand);
                let node = self.node(operand);
                self.flows(node, value);
            }
            Opcode::Return if instruction.operand_count() == 1 => {
                let node = self.result(function);
                self.flows(node, instruction.operand(0));
            }
            Opcode::Call | Opcode::Invoke => self.visit_call(instruction),
            Opcode::AtomicRmw | Opcode::CompareExchange => {
                let contents = self.behind(instruction.operand(0));
                self.kinds(contents).written = true;
                instruction.operands().skip(1).for_each(|operand| self.flows(contents, operand));
                self.flows(contents, value);
            }
            Opcode::Alloca => self.integer(instruction.operand(0)),
            Opcode::Return | Opcode::Branch | Opcode::Unreachable | Opcode::Resume | Opcode::LandingPad => {}
            // Arithmetic, comparisons, switches: what they touch is a number.
            _ => {
                instruction.operands().for_each(|operand| self.arithmetic(operand));
                self.arithmetic(value);
            }
        }
    }

    fn visit_call(&mut self, call: Instruction<'c>) {
        let arguments = call.arguments();
        let callee = call.callee();
        match callee {
            Some(callee) if callee.is_intrinsic() => self.visit_intrinsic(call, &callee.name(), &arguments),
            Some(callee) if cleanup::is_one(&callee.name()) || state::keeps_state(callee) => {}
            Some(callee) if !callee.is_declaration() => {
                for (index, argument) in arguments.iter().enumerate().take(callee.param_count() as usize) {
                    self.same(callee.param(index as u32), *argument);
                }
                let node = self.result(callee);
                self.flows(node, call.value());
            }
            Some(callee) if symbol::manages_memory(&callee.name()) => {
                for argument in arguments {
                    self.arithmetic(argument);
                }
                self.arithmetic(call.value());
            }
            Some(callee) if derivative::is_enzyme(&callee.name()) => self.visit_derivative(&arguments),
            // A panic looks at its message only, and what it does to memory is never seen.
            _ if region::never_returns(call) => {}
            // Out of sight: it may do anything with what it can reach.
            _ => {
                for value in arguments.into_iter().chain([call.value()]) {
                    if value.ty().is_pointer() {
                        let contents = self.behind(value);
                        self.kinds(contents).unknown = true;
                    } else {
                        self.arithmetic(value);
                    }
                }
            }
        }
    }

    /// A call of Enzyme.
    fn visit_derivative(&mut self, arguments: &[Value<'c>]) {
        for passed in derivative::passed(arguments) {
            self.same(passed.param, passed.argument);
        }
    }

    fn visit_intrinsic(&mut self, call: Instruction<'c>, name: &str, arguments: &[Value<'c>]) {
        if name.starts_with("llvm.memcpy") || name.starts_with("llvm.memmove") {
            let (to, from) = (self.behind(arguments[0]), self.behind(arguments[1]));
            self.kinds(to).written = true;
            self.merge(to, from);
            self.integer(arguments[2]);
        } else if name.starts_with("llvm.threadlocal.address.") {
            self.same(call.value(), arguments[0]);
        } else {
            arguments.iter().chain([&call.value()]).for_each(|value| self.arithmetic(*value));
        }
    }

    /// A value that is computed with: a number of its type, or an address.
    fn arithmetic(&mut self, value: Value<'c>) {
        let is_address = value.as_instruction().is_some_and(|i| i.opcode() == Opcode::PtrToInt);
        if value.ty().int_bits().is_some() && !is_address {
            self.integer(value);
        }
    }

    fn integer(&mut self, value: Value<'c>) {
        if !value.is_constant() && value.ty().int_bits().is_some() {
            let node = self.node(value);
            self.kinds(node).integer = true;
        }
    }

    /// `value` is copied from or to `node`.
    fn flows(&mut self, node: Node, value: Value<'c>) {
        let kinds = self.kinds(node);
        match value.ty().float_name() {
            Some("float") => kinds.float = true,
            Some("double") => kinds.double = true,
            Some("half") => kinds.half = true,
            Some(_) => kinds.unknown = true,
            None => {
                if value.ty().is_pointer() {
                    kinds.pointer = true;
                }
                if !is_plain_constant(value) && !value.ty().is_void() {
                    let other = self.node(value);
                    self.merge(node, other);
                }
            }
        }
    }

    fn same(&mut self, left: Value<'c>, right: Value<'c>) {
        if left.ty().float_name().is_none() && !is_plain_constant(right) && !is_plain_constant(left) {
            let (left, right) = (self.node(left), self.node(right));
            self.merge(left, right);
        }
    }

    fn result(&mut self, function: Function<'c>) -> Node {
        if let Some(node) = self.results.get(&function) {
            return *node;
        }
        let node = self.fresh();
        self.results.insert(function, node);
        node
    }

    /// The addresses among the parts of a constant are copied to `node`.
    fn constant(&mut self, node: Node, constant: Value<'c>) {
        for part in constant.operands() {
            if part.ty().is_pointer() {
                self.flows(node, part);
            } else {
                self.constant(node, part);
            }
        }
    }

    fn node(&mut self, value: Value<'c>) -> Node {
        let value = anchor(value);
        if let Some(node) = self.values.get(&value) {
            return *node;
        }
        let node = self.fresh();
        self.values.insert(value, node);
        node
    }

    fn fresh(&mut self) -> Node {
        self.nodes.push(Data::default());
        Node(self.nodes.len() - 1)
    }

    fn root(&mut self, Node(mut index): Node) -> usize {
        while let Some(parent) = self.nodes[index].parent {
            // Halve the path for the next one.
            if let Some(grandparent) = self.nodes[parent].parent {
                self.nodes[index].parent = Some(grandparent);
            }
            index = parent;
        }
        index
    }

    fn kinds(&mut self, node: Node) -> &mut Kinds {
        let root = self.root(node);
        &mut self.nodes[root].kinds
    }

    fn contents(&mut self, node: Node) -> Node {
        let root = self.root(node);
        if let Some(contents) = self.nodes[root].contents {
            return Node(contents);
        }
        let fresh = self.fresh();
        self.nodes[root].contents = Some(fresh.0);
        fresh
    }

    /// The contents of the memory behind a pointer value.
    fn behind(&mut self, pointer: Value<'c>) -> Node {
        let node = self.node(pointer);
        self.contents(node)
    }

    fn merge(&mut self, left: Node, right: Node) {
        let mut pending = vec![(left, right)];
        while let Some((left, right)) = pending.pop() {
            let (left, right) = (self.root(left), self.root(right));
            if left == right {
                continue;
            }
            let Data { kinds, contents, .. } = self.nodes[right];
            self.nodes[right].parent = Some(left);
            self.nodes[left].kinds = self.nodes[left].kinds.with(kinds);
            match (self.nodes[left].contents, contents) {
                (Some(left), Some(right)) => pending.push((Node(left), Node(right))),
                (None, contents) => self.nodes[left].contents = contents,
                (Some(_), None) => {}
            }
        }
    }
}

impl Kinds {
    fn with(self, other: Kinds) -> Kinds {
        Kinds {
            half: self.half | other.half,
            float: self.float | other.float,
            double: self.double | other.double,
            integer: self.integer | other.integer,
            pointer: self.pointer | other.pointer,
            written: self.written | other.written,
            unknown: self.unknown | other.unknown,
        }
    }

    /// Whether any of the values may be a floating-point number.
    pub(super) fn may_be_float(self) -> bool {
        self.half || self.float || self.double || self.unknown
    }

    /// Whether any of the values is known to be used as a floating-point number.
    pub(super) fn is_used_as_float(self) -> bool {
        self.half || self.float || self.double
    }

    /// Whether any of the values of so many bits may be a floating-point number.
    pub(super) fn may_be_float_of(self, bits: Option<u32>) -> bool {
        self.unknown
            || match bits {
                Some(16) => self.half,
                Some(32) => self.float,
                Some(64) => self.double,
                Some(_) => false,
                None => self.may_be_float(),
            }
    }

    /// Enzyme's name for the one kind of use there is.
    pub(super) fn name(self) -> Option<&'static str> {
        let Kinds { half, float, double, integer, pointer, unknown, written: _ } = self;
        match (half, float, double, integer, pointer, unknown) {
            (true, false, false, false, false, false) => Some("Float@half"),
            (false, true, false, false, false, false) => Some("Float@float"),
            (false, false, true, false, false, false) => Some("Float@double"),
            (false, false, false, true, false, false) => Some("Integer"),
            (false, false, false, false, true, false) => Some("Pointer"),
            _ => None,
        }
    }
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
