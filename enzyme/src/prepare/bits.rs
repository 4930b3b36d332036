//! Floating-point numbers as integers and back, out of Enzyme's sight: no derivative goes through.

use super::flow::Float;
use super::outlined;
use crate::llvm::{Attribute, Builder, Cast, Context, Function, Instruction, Module, Place, Type, Value};

/// Makes conversions.
pub(super) struct Bits<'m, 'c> {
    pub(super) context: &'c Context,
    pub(super) module: &'m Module<'c>,
}

impl<'c> Bits<'_, 'c> {
    pub(super) fn integer(&self, float: Float) -> Type<'c> {
        self.context.int(float.size() as u32 * 8)
    }

    /// The bits of a number.
    pub(super) fn of_float(&self, builder: &Builder<'c>, float: Float, value: Value<'c>) -> Value<'c> {
        let function = self.conversion("to_bits", float, float.ty(self.context), self.integer(float));
        let call = builder.call(function, &[value]);
        let tree = Attribute::Text("enzyme_type", "{[-1]:Integer}");
        call.add_call_attribute(self.context, Place::Result, tree);
        call.value()
    }

    /// The number that has these bits; of constants it is known.
    pub(super) fn to_float(&self, builder: &Builder<'c>, float: Float, bits: Value<'c>) -> Value<'c> {
        if bits.is_constant() {
            return builder.cast(Cast::Bits, bits, float.ty(self.context));
        }
        self.hidden(builder, float, bits)
    }

    /// Integer bits as the bits of a number, on which Enzyme cannot look through to the integer.
    pub(super) fn as_copied(&self, before: Instruction<'c>, float: Float, bits: Value<'c>) -> Value<'c> {
        let builder = Builder::before(self.context, before);
        let number = self.hidden(&builder, float, bits);
        builder.cast(Cast::Bits, number, self.integer(float))
    }

    fn hidden(&self, builder: &Builder<'c>, float: Float, bits: Value<'c>) -> Value<'c> {
        let function = self.conversion("from_bits", float, self.integer(float), float.ty(self.context));
        builder.call(function, &[bits]).value()
    }

    fn conversion(&self, name: &str, float: Float, from: Type<'c>, to: Type<'c>) -> Function<'c> {
        let name = format!("{name}_{}", float.size() * 8);
        if let Some(function) = outlined::find(self.module, &name) {
            return function;
        }
        let signature = self.context.function(to, &[from], false);
        let function = outlined::add(self.context, self.module, &name, signature, outlined::NOTHING);
        for name in ["nofree", "nosync", "nounwind", "willreturn"] {
            function.add_attribute(self.context, Place::Function, Attribute::Enum(name, 0));
        }
        let inside = Builder::at_end(self.context, function.append_block(self.context, c"entry"));
        inside.return_value(inside.cast(Cast::Bits, function.param(0), to));
        function
    }
}
