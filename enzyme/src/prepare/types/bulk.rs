//! Copies and fills of memory. Enzyme must know which bytes are floating-point numbers, and its own
//! way of taking mixed memory apart is not right everywhere, so each piece becomes a call of its own.

use super::elements;
use crate::llvm::{Attribute, Builder, Context, Function, Instruction, Module, Place, Value};
use crate::prepare::flow::{Float, Flow, Segment};

/// Says what each memcpy, memmove and memset moves.
pub(super) fn annotate<'c>(context: &'c Context, module: &Module<'c>, flow: &mut Flow<'c>) {
    let functions = module.functions().filter(|function| !function.is_declaration());
    let calls: Vec<_> = functions.flat_map(Function::instructions).filter_map(Bulk::of).collect();
    let mut elements = elements::Copies::new(context, module);
    for bulk in calls {
        bulk.annotate(context, flow, &mut elements);
    }
}

/// A call that copies or fills memory.
#[derive(Clone, Copy)]
struct Bulk<'c> {
    call: Instruction<'c>,
    fills: bool,
    moves: bool,
}

impl<'c> Bulk<'c> {
    fn of(call: Instruction<'c>) -> Option<Self> {
        let name = call.callee()?.name();
        let moves = name.starts_with("llvm.memmove.");
        let fills = name.starts_with("llvm.memset.");
        (moves || fills || name.starts_with("llvm.memcpy.")).then_some(Bulk { call, fills, moves })
    }

    fn to(self) -> Value<'c> {
        self.call.operand(0)
    }

    fn size(self) -> Value<'c> {
        self.call.operand(2)
    }

    fn annotate(self, context: &'c Context, flow: &mut Flow<'c>, elements: &mut elements::Copies<'_, 'c>) {
        if let Some(kind) = flow.of_contents(self.to()).name() {
            let tree = format!("{{[-1]:Pointer, [-1,-1]:{kind}}}");
            return self.mark(context, kind, Some(&tree));
        }
        if self.fills {
            return self.annotate_fill(context, flow);
        }
        if let Some(size) = self.size().as_int() {
            if let Some(segments) = flow.segments(self.to(), size.cast_unsigned()) {
                let numbers = flow.numbers(self.to(), size.cast_unsigned());
                self.split(context, &segments, &numbers);
            }
            return;
        }
        let Some(period) = flow.period(self.to()) else { return };
        let Some(segments) = flow.segments(self.to(), period) else { return };
        match &segments[..] {
            [one] => self.mark(context, name(one), None),
            _ if !self.moves => elements.replace(self.call, period, &segments),
            _ => {}
        }
    }

    /// Bytes that are all alike have no derivative: where there may be floating-point numbers, they
    /// are filled as such, so that Enzyme forgets the derivatives of what was there.
    fn annotate_fill(self, context: &'c Context, flow: &mut Flow<'c>) {
        let length = self.size().as_int().map(i64::cast_unsigned);
        let kinds = flow.of_range(self.to(), length);
        if !kinds.is_unknown() {
            self.mark(context, if kinds.may_be_float() { "Float@double" } else { "Integer" }, None);
        }
    }

    /// Says of what kind all bytes are, and what is behind the pointers.
    fn mark(self, context: &'c Context, kind: &str, tree: Option<&str>) {
        mark(context, self.call, kind);
        let Some(tree) = tree else { return };
        for index in 0..=u32::from(!self.fills) {
            self.call.add_call_attribute(context, Place::Param(index), Attribute::Text("enzyme_type", tree));
        }
    }

    /// Makes a call for each segment.
    fn split(self, context: &'c Context, segments: &[Segment], numbers: &[(u64, Float)]) {
        if let [one] = segments {
            return self.mark(context, name(one), tree(one, numbers).as_deref());
        }
        if self.moves {
            return;
        }
        let builder = Builder::before(context, self.call);
        for segment in segments {
            let start = context.int(64).constant(segment.start);
            let size = self.size().ty().constant(segment.size);
            let at = |pointer| builder.offset(context.int(8), pointer, start);
            let call = builder.copy(at(self.to()), at(self.call.operand(1)), size);
            let call = Bulk { call, ..self };
            call.mark(context, name(segment), tree(segment, numbers).as_deref());
        }
        self.call.erase();
    }
}

/// The type of all bytes from the first one on.
pub(super) fn mark<'c>(context: &'c Context, call: Instruction<'c>, kind: &str) {
    let start = context.metadata_value(context.int(64).constant(0));
    let node = context.metadata_node(&[context.metadata_string(kind), start]);
    call.set_metadata(context.metadata_kind("enzyme_truetype"), Some(node));
}

/// Enzyme's name for what a segment holds. Addresses are copied as integers are.
pub(super) fn name(segment: &Segment) -> &'static str {
    segment.float.map_or("Integer", |float| float.name())
}

/// Offsets from which on Enzyme knows nothing.
pub(super) const FAR: u64 = 500;

/// The floating-point numbers behind a pointer to a segment.
fn tree(segment: &Segment, numbers: &[(u64, Float)]) -> Option<String> {
    let near = segment.start..segment.start + segment.size.min(FAR);
    let inside = numbers.iter().filter(|(at, _)| near.contains(at));
    let numbers: Vec<_> =
        inside.map(|(at, float)| format!("[-1,{}]:{}", at - segment.start, float.name())).collect();
    (!numbers.is_empty()).then(|| format!("{{[-1]:Pointer, {}}}", numbers.join(", ")))
}
