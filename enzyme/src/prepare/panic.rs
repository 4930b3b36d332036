//! Panics of our own.

use crate::llvm::{Attribute, Builder, Context, Function, Global, Linkage, Module, Place, Value};
use crate::program::Program;
use crate::protocol::Site;

/// The function that panics with a given text.
const PANIC: &str = "core::panicking::panic";

/// Panics at the places where derivatives are asked for.
pub(super) struct Panic<'a, 'c> {
    context: &'c Context,
    module: &'a Module<'c>,
    function: Function<'c>,
}

impl<'a, 'c> Panic<'a, 'c> {
    /// None if the program cannot panic.
    pub(super) fn new(context: &'c Context, module: &'a Module<'c>, program: &Program) -> Option<Self> {
        let (ptr, size) = (context.ptr(), context.int(64));
        let signature = context.function(context.void(), &[ptr, size, ptr], false);
        let function = module.declare(program.index.symbol_of(PANIC)?, signature);
        for attribute in ["noreturn", "cold"] {
            function.add_attribute(context, Place::Function, Attribute::Enum(attribute, 0));
        }
        Some(Panic { context, module, function })
    }

    /// Ends a block in a panic.
    pub(super) fn end(&self, builder: &Builder<'c>, text: &str, site: Option<&Site>) {
        let length = self.context.int(64).constant(text.len() as u64);
        let text = local(self.module.add_text(self.context, "__autodiff_text", text));
        builder.call(self.function, &[text, length, self.place(site)]);
        builder.unreachable();
    }

    /// A `core::panic::Location`: file, line, column.
    fn place(&self, site: Option<&Site>) -> Value<'c> {
        let known = site.and_then(|site| site.location.as_ref());
        let (file, line, column) =
            known.map_or(("a derivative", 1, 1), |it| (&it.file, it.line, it.column.max(1)));
        let number = |value: u32| self.context.int(32).constant(u64::from(value));
        let length = self.context.int(64).constant(file.len() as u64);
        let file = local(self.module.add_text(self.context, "__autodiff_file", file));
        let place = self.context.constant_struct(&[file, length, number(line), number(column)]);
        local(self.module.add_constant("__autodiff_place", place))
    }
}

fn local(global: Global<'_>) -> Value<'_> {
    global.set_linkage(Linkage::Internal);
    *global
}
