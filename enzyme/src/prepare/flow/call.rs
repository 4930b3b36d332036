//! What calls do to values and memory.

use super::graph::Place;
use super::visit::Spot;
use super::{Flow, Kinds, LONGEST};
use crate::llvm::{Function, Instruction, Value};
use crate::prepare::{cleanup, crossing, inactive, region, state, text};
use crate::{derivative, library, symbol};

impl<'c> Flow<'c> {
    pub(super) fn visit_call(&mut self, call: Instruction<'c>) {
        let arguments = call.arguments();
        match call.callee() {
            Some(callee) if callee.is_intrinsic() => self.visit_intrinsic(call, &callee.name(), &arguments),
            Some(callee) if cleanup::is_one(&callee.name()) || state::keeps_state(callee) => {}
            Some(callee) if crossing::is_one(callee) => {}
            Some(callee) if text::is_hidden(callee) => self.visit_hidden(call, &arguments),
            Some(callee) if !callee.is_declaration() => self.visit_known(call, callee, &arguments),
            Some(callee) if symbol::manages_memory(&callee.name()) => {
                self.computed_from(&arguments, call.value(), false);
            }
            Some(callee) if derivative::is_enzyme(&callee.name()) => self.visit_derivative(&arguments),
            Some(callee) if inactive::is_marked(callee) => self.visit_inactive(call, callee, &arguments),
            // A panic looks at its message only, and what it does to memory is never seen.
            _ if region::never_returns(call) => {}
            _ if call.is_empty_asm() && call.ty().is_void() => {}
            _ => self.visit_unknown(call, &arguments),
        }
    }

    fn visit_known(&mut self, call: Instruction<'c>, callee: Function<'c>, arguments: &[Value<'c>]) {
        for (index, argument) in arguments.iter().enumerate().take(callee.param_count() as usize) {
            self.copy_value(*argument, callee.param(index as u32));
        }
        let result = self.result(callee);
        if let Some(strip) = self.strip(call.value()) {
            self.copy(call.ty(), Spot::Value(result, 0), Spot::Value(strip, 0));
        }
    }

    /// Memory of which it is known what it is for.
    fn visit_hidden(&mut self, call: Instruction<'c>, arguments: &[Value<'c>]) {
        self.computed_from(arguments, call.value(), false);
        if call.ty().is_pointer()
            && text::is_of_text(call)
            && let Some(place) = self.place(call.value())
        {
            self.graph.hold_all(place, Kinds::INTEGER);
        }
    }

    /// What it puts in memory are integers and addresses, unless it reads numbers from text.
    fn visit_inactive(&mut self, call: Instruction<'c>, callee: Function<'c>, arguments: &[Value<'c>]) {
        self.computed_from(arguments, call.value(), false);
        if library::reads_numbers(&callee.name()) {
            for pointer in arguments.iter().filter(|argument| argument.ty().is_pointer()) {
                for place in self.places(*pointer) {
                    self.graph.hold_all(place, Kinds::OPEN);
                }
            }
        }
    }

    /// Out of sight: it may do anything with what it can reach.
    fn visit_unknown(&mut self, call: Instruction<'c>, arguments: &[Value<'c>]) {
        for value in arguments.iter().copied().chain([call.value()]) {
            if value.ty().is_pointer() {
                if let Some(place) = self.place(value) {
                    self.graph.hold_all(place, Kinds::UNKNOWN.with(Kinds::OPEN));
                }
            } else if let Some(strip) = self.strip(value).filter(|strip| strip.count > 0) {
                self.integer(value);
                self.escaped.push(strip.byte(0));
            }
        }
        if !call.ty().is_pointer() && !call.ty().is_void() {
            self.computed_from(&[], call.value(), false);
            self.open(call.value());
        }
    }

    /// A value that may be anything: it comes from code that is out of sight.
    pub(super) fn open(&mut self, value: Value<'c>) {
        if value.ty().is_pointer() {
            if let Some(place) = self.place(value) {
                self.graph.hold_all(place, Kinds::OPEN);
            }
        } else if value.ty().float_name().is_none()
            && let Some(strip) = self.strip(value)
        {
            for byte in strip.bytes() {
                self.graph.hold(byte, Kinds::OPEN);
            }
        }
    }

    /// A call of Enzyme.
    fn visit_derivative(&mut self, arguments: &[Value<'c>]) {
        for passed in derivative::passed(arguments) {
            self.copy_value(passed.argument, passed.param);
            self.copy_value(passed.param, passed.argument);
        }
    }

    fn visit_intrinsic(&mut self, call: Instruction<'c>, name: &str, arguments: &[Value<'c>]) {
        if name.starts_with("llvm.memcpy") || name.starts_with("llvm.memmove") {
            self.integer(arguments[2]);
            self.visit_copy(arguments);
        } else if name.starts_with("llvm.memset") {
            self.integer(arguments[2]);
            for place in self.places(arguments[0]) {
                match length(arguments[2]) {
                    Some(length) => self.write(place, length),
                    None => self.graph.hold_all(place, Kinds::WRITTEN),
                }
            }
        } else if call.ty().is_pointer() && arguments.first().is_some_and(|first| first.ty().is_pointer()) {
            // The same address, or one nearby.
            let (Some(place), Some(strip)) = (self.place(arguments[0]), self.strip(call.value())) else {
                return;
            };
            if name.starts_with("llvm.ptrmask") {
                self.graph.join(place, place.at(1));
            }
            self.graph.point(strip.byte(0), place);
        } else {
            self.computed_from(arguments, call.value(), true);
        }
    }

    fn visit_copy(&mut self, arguments: &[Value<'c>]) {
        for to in self.places(arguments[0]) {
            for from in self.places(arguments[1]) {
                self.copy_memory(to, from, length(arguments[2]));
            }
        }
    }

    fn copy_memory(&mut self, to: Place, from: Place, length: Option<u64>) {
        let Some(length) = length else {
            self.graph.hold_all(to, Kinds::WRITTEN);
            return self.graph.join(to, from);
        };
        self.write(to, length);
        for position in 0..length.cast_signed() {
            let (to, from) = (self.graph.byte(to.at(position)), self.graph.byte(from.at(position)));
            self.graph.join_bytes(to, from);
        }
    }
}

/// A length that is known and not too long.
fn length(value: Value<'_>) -> Option<u64> {
    value.as_int().map(i64::cast_unsigned).filter(|length| *length <= LONGEST)
}
