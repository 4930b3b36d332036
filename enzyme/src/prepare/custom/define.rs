//! What Enzyme calls in place of a function with rules and of its derivatives.

use super::super::{dependence::Dependence, flow::Flow};
use super::record::{Kind, Record};
use super::{PRIMAL, RULE, own};
use crate::llvm::{
    Attribute, Builder, Context, Function, Instruction, Linkage, Module, Opcode, Place, Precision, Type,
    Value,
};

/// The functions of one rule in the making.
pub(super) struct Define<'a, 'c> {
    pub(super) context: &'c Context,
    pub(super) module: &'a Module<'c>,
    pub(super) record: &'a Record<'c>,
    pub(super) number: usize,
}

/// What was made of a record. Declarations are known by name: the optimiser drops them if nothing calls them.
pub(super) struct Defined<'c> {
    /// The function that Enzyme sees: it takes a structure of the slots.
    rule: String,
    structure: Type<'c>,
    /// What is called up to then, with the slots and an index of which nothing is known.
    stand_in: String,
    /// Takes the slots out of a block, and calls that.
    pub(super) unpacked: Function<'c>,
    /// What is called in sweeps: these take structures, and the last one the tape.
    augmented: Option<Function<'c>>,
    reverse: Option<Function<'c>>,
    forward: Option<Function<'c>>,
    /// How many directions reverse mode takes at once.
    width: u32,
}

impl<'c> Define<'_, 'c> {
    /// Defines all but the body of what stands in.
    pub(super) fn all(&self, width: u32) -> Defined<'c> {
        let ty = self.context.structure(&self.types());
        let signature = self.context.function(self.context.void(), &[ty], false);
        // Enzyme's complaints name it.
        let path = self.record.name.replace("::", ".");
        let name = format!("{RULE}{}.{path}", self.number);
        let rule = self.module.declare(&name, signature);
        let (primal, builder) = self.begin(PRIMAL, self.context.void(), &[ty]);
        self.run(&builder, self.record.primal, &[primal.param(0)], self.context.ptr().null());
        builder.return_void();
        let augmented = self.record.reverse.map(|_| self.augmented(rule, ty, width));
        let reverse = self.record.reverse.map(|reverse| self.reverse(reverse, ty, width));
        let forward = self.record.forward.map(|forward| self.forward(forward, ty));
        let params: Vec<_> = self.types().into_iter().chain([self.context.int(64)]).collect();
        let signature = self.context.function(self.context.void(), &params, false);
        let stand_in = format!("__autodiff_stand_in_{}", self.number);
        let unpacked = self.unpacked(self.module.declare(&stand_in, signature));
        Defined { rule: name, structure: ty, stand_in, unpacked, augmented, reverse, forward, width }
    }

    /// The types of the slots.
    fn types(&self) -> Vec<Type<'c>> {
        let words = self.record.words.iter();
        let is_integer = words.map(|word| word.kind == Kind::Integer);
        is_integer.map(|is| if is { self.context.int(64) } else { self.context.ptr() }).collect()
    }

    /// A new function, in which instructions are put. It is seen from outside, so as to stay.
    fn begin(&self, prefix: &str, result: Type<'c>, params: &[Type<'c>]) -> (Function<'c>, Builder<'c>) {
        let name = format!("{prefix}{}", self.number);
        let function = self.module.add_function(&name, self.context.function(result, params, false));
        function.set_linkage(Linkage::External);
        function.add_attribute(self.context, Place::Function, Attribute::Enum("uwtable", 2));
        let builder = Builder::at_end(self.context, function.append_block(self.context, c"entry"));
        (function, builder)
    }

    /// Calls a function of the record: with a block made of each structure, and a tape.
    fn run(&self, builder: &Builder<'c>, function: Function<'c>, wholes: &[Value<'c>], tape: Value<'c>) {
        let blocks = wholes.iter().map(|whole| self.block(builder, *whole));
        let mut arguments: Vec<_> = blocks.collect();
        arguments.resize(2, self.context.ptr().null());
        arguments.push(tape);
        let call = builder.call(function, &arguments);
        if own::is(function) {
            own::set(self.context, call.block().function());
        }
    }

    /// A block of slots with the fields of a structure.
    fn block(&self, builder: &Builder<'c>, whole: Value<'c>) -> Value<'c> {
        let block = builder.slot(whole.ty());
        for index in 0..self.record.words.len() as u32 {
            builder.store(builder.part(whole, index), builder.field(whole.ty(), block, index));
        }
        block
    }

    /// Runs the function and keeps what the reverse rule needs.
    fn augmented(&self, rule: Function<'c>, ty: Type<'c>, width: u32) -> Function<'c> {
        let pointer = self.context.ptr();
        let params = [ty, shadows(ty, width)];
        let (function, builder) = self.begin("__autodiff_augmented_", pointer, &params);
        let tape = builder.slot(pointer);
        builder.store(pointer.null(), tape);
        if let Some(begin) = self.record.begin {
            self.run(&builder, begin, &[function.param(0)], tape);
        }
        builder.call(rule, &[function.param(0)]);
        if let Some(save) = self.record.save {
            self.run(&builder, save, &[function.param(0)], tape);
        }
        builder.return_value(builder.load(pointer, tape));
        function
    }

    /// Calls the reverse rule, for each direction, and gives up what was kept.
    fn reverse(&self, rule: Function<'c>, ty: Type<'c>, width: u32) -> Function<'c> {
        let pointer = self.context.ptr();
        let params = [ty, shadows(ty, width), pointer];
        let (function, builder) = self.begin("__autodiff_reverse_", self.context.void(), &params);
        let tape = builder.slot(pointer);
        builder.store(function.param(2), tape);
        for direction in 0..width {
            let shadow = function.param(1);
            let shadow = if width > 1 { builder.part(shadow, direction) } else { shadow };
            self.run(&builder, rule, &[function.param(0), shadow], tape);
        }
        if let Some(release) = self.record.release {
            self.run(&builder, release, &[], tape);
        }
        builder.return_void();
        function
    }

    /// Calls the forward rule.
    fn forward(&self, rule: Function<'c>, ty: Type<'c>) -> Function<'c> {
        let (function, builder) = self.begin("__autodiff_forward_", self.context.void(), &[ty, ty]);
        let wholes = [function.param(0), function.param(1)];
        self.run(&builder, rule, &wholes, self.context.ptr().null());
        builder.return_void();
        function
    }

    /// Takes the slots out of a block.
    fn unpacked(&self, stand_in: Function<'c>) -> Function<'c> {
        let params = [self.context.ptr()];
        let (function, builder) = self.begin("__autodiff_unpacked_", self.context.void(), &params);
        function.set_linkage(Linkage::Internal);
        function.add_attribute(self.context, Place::Function, Attribute::Enum("alwaysinline", 0));
        let word = self.context.int(64);
        let slots = self.types().into_iter().zip(0..).map(|(ty, index)| {
            builder.load(ty, builder.offset(word, function.param(0), word.constant(index)))
        });
        let arguments: Vec<_> = slots.chain([word.constant(0)]).collect();
        builder.call(stand_in, &arguments);
        builder.return_void();
        function
    }
}

impl<'c> Defined<'c> {
    /// Gives what stands in for the function a body with the same effects on floating-point numbers. If
    /// derivatives are differentiated in turn, it does what they do as well.
    pub(super) fn stand_in(
        &self,
        context: &'c Context,
        module: &Module<'c>,
        record: &Record<'c>,
        is_nested: bool,
    ) {
        let Some(function) = module.function(&self.stand_in) else { return };
        let builder = Builder::at_end(context, function.append_block(context, c"entry"));
        let index = function.param(function.param_count() - 1);
        let places = || {
            record.words.iter().zip(0..).flat_map(|(word, number)| {
                word.floats.iter().map(move |precision| (word.kind, number, *precision))
            })
        };
        let sum_type = context.real(Precision::Double);
        let mut sum = sum_type.null();
        for (kind, number, precision) in places() {
            if matches!(kind, Kind::Read | Kind::Written) {
                let ty = context.real(precision);
                let value = builder.load(ty, builder.offset(ty, function.param(number), index));
                sum = builder.add(sum, builder.convert(value, sum_type));
            }
        }
        for (kind, number, precision) in places() {
            let ty = context.real(precision);
            let value = match kind {
                Kind::Written => builder.convert(sum, ty),
                Kind::ConstantResult => ty.null(),
                _ => continue,
            };
            builder.store(value, builder.offset(ty, function.param(number), index));
        }
        if is_nested {
            self.call_all(&builder, function);
        }
        builder.return_void();
    }

    /// Calls all that is called in sweeps.
    fn call_all(&self, builder: &Builder<'c>, stand_in: Function<'c>) {
        let params = (0..stand_in.param_count() - 1).map(|index| stand_in.param(index));
        let ty = self.structure;
        let whole = builder.aggregate(ty, &params.collect::<Vec<_>>());
        let shadows = |function: Function<'c>| {
            let shadows = function.signature().params()[1];
            if shadows == ty { whole } else { builder.repeat(whole, self.width as usize) }
        };
        if let (Some(augmented), Some(reverse)) = (self.augmented, self.reverse) {
            let shadows = shadows(augmented);
            let tape = builder.call(augmented, &[whole, shadows]).value();
            builder.call(reverse, &[whole, shadows, tape]);
        }
        if let Some(forward) = self.forward {
            builder.call(forward, &[whole, whole]);
        }
    }
}

impl<'c> Defined<'c> {
    /// Finds a call that passes what depends on the arguments where it must not.
    pub(super) fn check(
        &self,
        module: &Module<'c>,
        record: &Record<'c>,
        flow: &mut Flow<'c>,
        dependence: &Dependence<'c>,
    ) -> Option<Instruction<'c>> {
        super::calls_of(module.function(&self.stand_in)?).into_iter().find(|call| {
            let mut passed = record.words.iter().zip(call.arguments());
            passed.any(|(word, it)| word.kind == Kind::Fixed && dependence.of_all_behind(it, flow))
        })
    }

    /// Puts what Enzyme is to see in place of what stands in for it.
    pub(super) fn lower(
        &self,
        context: &'c Context,
        module: &Module<'c>,
        record: &Record<'c>,
        is_nested: bool,
    ) {
        let Some(stand_in) = module.function(&self.stand_in) else { return };
        let rule = module.declare(&self.rule, context.function(context.void(), &[self.structure], false));
        let register = |kind, function: Option<Function<'c>>| {
            if let Some(function) = function {
                let node = context.metadata_node(&[context.metadata_value(*function)]);
                rule.set_metadata(context.metadata_kind(kind), node);
            }
        };
        register("enzyme_augment", self.augmented);
        register("enzyme_gradient", self.reverse);
        register("enzyme_derivative", self.forward);
        for call in super::calls_of(stand_in) {
            let mut arguments = call.arguments();
            // The index, which is for the analyses only.
            arguments.pop();
            if is_nested {
                for (word, argument) in record.words.iter().zip(&mut arguments) {
                    let precision = word.only().or_else(|| stored(*argument));
                    *argument = precision.map_or(*argument, |it| numbers(context, module, *argument, it));
                }
            }
            let builder = Builder::before(context, call);
            builder.call(rule, &[builder.aggregate(self.structure, &arguments)]);
            call.erase();
        }
        stand_in.drop_body(context);
    }
}

/// The precision of a number that is stored in a stack slot.
fn stored(slot: Value<'_>) -> Option<Precision> {
    let stores = slot.users().into_iter().filter_map(Value::as_instruction);
    let mut stores = stores.filter(|it| it.opcode() == Opcode::Store && it.operand(1) == slot);
    stores.find_map(|store| store.operand(0).ty().precision())
}

/// A stack slot of bytes as one of numbers. What Enzyme clears in the shadow are bytes otherwise, which are no
/// numbers when that is differentiated in turn.
fn numbers<'c>(
    context: &'c Context,
    module: &Module<'c>,
    pointer: Value<'c>,
    precision: Precision,
) -> Value<'c> {
    let slot = pointer.as_instruction().filter(|it| it.opcode() == Opcode::Alloca);
    let Some(slot) = slot.filter(|it| it.allocated_type().is_bytes()) else { return pointer };
    let (size, number) = (module.sizes().of(slot.allocated_type()), context.real(precision));
    let length = size / module.sizes().of(number);
    let ty = if length == 1 { number } else { number.times(length) };
    let new = Builder::before(context, slot).slot(ty);
    if let Some(new) = new.as_instruction() {
        new.set_alignment(slot.alignment());
    }
    slot.replace_uses(new);
    slot.erase();
    new
}

/// Enzyme's type for the shadows of all directions.
fn shadows(ty: Type<'_>, width: u32) -> Type<'_> {
    if width > 1 { ty.times(u64::from(width)) } else { ty }
}
