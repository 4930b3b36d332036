//! Copies of elements that hold floating-point numbers and others, one element after the other.

use std::collections::HashMap;

use super::bulk;
use crate::llvm::{
    Attribute, Binary, Block, Builder, Context, Function, Instruction, Linkage, Module, Place, Value,
};
use crate::prepare::flow::Segment;

/// Floating-point numbers that are copied one by one; more at once are a call again.
const FEW: u64 = 8;

/// Functions that copy elements, made where they are needed.
pub(super) struct Copies<'m, 'c> {
    context: &'c Context,
    module: &'m Module<'c>,
    made: HashMap<(u64, String), Function<'c>>,
}

impl<'m, 'c> Copies<'m, 'c> {
    pub(super) fn new(context: &'c Context, module: &'m Module<'c>) -> Self {
        Copies { context, module, made: HashMap::new() }
    }

    /// Replaces a memcpy of elements of `period` bytes.
    pub(super) fn replace(&mut self, call: Instruction<'c>, period: u64, segments: &[Segment]) {
        let key = (period, format!("{segments:?}"));
        let function = self.made.get(&key).copied().unwrap_or_else(|| self.define(period, segments));
        self.made.insert(key, function);
        let size = call.operand(2);
        Builder::before(self.context, call).call(function, &[call.operand(0), call.operand(1), size]);
        call.erase();
    }

    fn define(&self, period: u64, segments: &[Segment]) -> Function<'c> {
        let context = self.context;
        let (ptr, i64) = (context.ptr(), context.int(64));
        let signature = context.function(context.void(), &[ptr, ptr, i64], false);
        let name = format!("__autodiff_copy_{}", self.made.len());
        let function = self.module.add_function(&name, signature);
        function.set_linkage(Linkage::Internal);
        for name in ["nofree", "nosync", "nounwind", "willreturn"] {
            function.add_attribute(context, Place::Function, Attribute::Enum(name, 0));
        }
        for index in [0, 1] {
            function.add_attribute(context, Place::Param(index), Attribute::Enum("noalias", 0));
        }
        let [entry, body, check, rest, done] = [c"entry", c"element", c"check", c"rest", c"done"]
            .map(|name| function.append_block(context, name));
        let size = function.param(2);
        let period = i64.constant(period);

        let builder = Builder::at_end(context, entry);
        let count = builder.binary(Binary::Divide, size, period);
        let whole = builder.binary(Binary::Multiply, count, period);
        builder.branch_if(builder.equal(count, i64.constant(0)), check, body);

        let builder = Builder::at_end(context, body);
        let index = builder.phi(i64);
        let start = builder.binary(Binary::Multiply, index.value(), period);
        let element = Element { context, builder: &builder, function, start };
        for segment in segments {
            element.copy(segment);
        }
        let next = builder.binary(Binary::Add, index.value(), i64.constant(1));
        index.add_incoming(i64.constant(0), entry);
        index.add_incoming(next, body);
        builder.branch_if(builder.equal(next, count), check, body);

        let builder = Builder::at_end(context, check);
        let left = builder.binary(Binary::Subtract, size, whole);
        builder.branch_if(builder.equal(left, i64.constant(0)), done, rest);
        self.copy_rest(rest, done, function, whole, left, segments);
        Builder::at_end(context, done).return_void();
        function
    }

    /// What is left is less than an element.
    fn copy_rest(
        &self,
        rest: Block<'c>,
        done: Block<'c>,
        function: Function<'c>,
        start: Value<'c>,
        left: Value<'c>,
        segments: &[Segment],
    ) {
        let builder = Builder::at_end(self.context, rest);
        let element = Element { context: self.context, builder: &builder, function, start };
        let i64 = self.context.int(64);
        for segment in segments {
            let from = i64.constant(segment.start);
            let more = builder.binary(Binary::Subtract, left, from);
            let more = builder.select(builder.less_unsigned(left, from), i64.constant(0), more);
            let all = i64.constant(segment.size);
            let size = builder.select(builder.less_unsigned(more, all), more, all);
            element.copy_bytes(segment, size);
        }
        builder.branch(done);
    }
}

/// An element being copied.
struct Element<'a, 'c> {
    context: &'c Context,
    builder: &'a Builder<'c>,
    function: Function<'c>,
    /// Where it begins.
    start: Value<'c>,
}

impl<'c> Element<'_, 'c> {
    fn copy(&self, segment: &Segment) {
        let Some(float) = segment.float.filter(|float| segment.size <= FEW * float.size()) else {
            return self.copy_bytes(segment, self.context.int(64).constant(segment.size));
        };
        for offset in (segment.start..segment.start + segment.size).step_by(float.size() as usize) {
            let (to, from) = self.at(offset);
            let number = self.builder.load(float.ty(self.context), from);
            number.as_instruction().iter().for_each(|load| load.set_alignment(1));
            self.builder.store(number, to).set_alignment(1);
        }
    }

    fn copy_bytes(&self, segment: &Segment, size: Value<'c>) {
        let (to, from) = self.at(segment.start);
        bulk::mark(self.context, self.builder.copy(to, from, size), bulk::name(segment));
    }

    /// Where a byte of the element goes, and where it is.
    fn at(&self, offset: u64) -> (Value<'c>, Value<'c>) {
        let (i8, i64) = (self.context.int(8), self.context.int(64));
        let offset = self.builder.binary(Binary::Add, self.start, i64.constant(offset));
        let at = |index| self.builder.offset(i8, self.function.param(index), offset);
        (at(0), at(1))
    }
}
