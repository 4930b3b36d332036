//! The record of a rule, and the way from the function to its body. The tool finds the calls and
//! reads the records in the compiled code; so their layout is a format, pinned by the tests below.

use std::hint::black_box;

/// The signature of all functions of a record: the block of argument slots, that of their shadows,
/// and a place for what is kept from the forward sweep to the reverse sweep.
type Function = unsafe extern "C-unwind" fn(*mut *mut (), *mut *mut (), *mut *mut ());

/// A function with a derivative of its own.
#[repr(C)]
#[derive(Debug)]
pub struct Rule {
    magic: [u8; 16],
    primal: *const (),
    /// Keeps what the reverse rule needs, before the function runs. Null if that is nothing.
    begin: *const (),
    /// The same afterwards.
    save: *const (),
    /// Null if there is no reverse rule.
    reverse: *const (),
    /// Gives up what was kept.
    release: *const (),
    /// Null if there is no forward rule.
    forward: *const (),
    words: *const Word,
    words_len: usize,
    name: *const u8,
    name_len: usize,
}

/// A slot of the argument block.
#[repr(C)]
#[derive(Debug)]
pub struct Word {
    kind: u32,
    /// Which floats are behind the pointer: 1 for `f32`, 2 for `f64`.
    floats: u32,
}

impl Word {
    /// An integer.
    pub const INTEGER: Self = Self { kind: 0, floats: 0 };
    /// A pointer to what has no derivative.
    pub const CONSTANT: Self = Self { kind: 1, floats: 0 };

    /// A pointer to what has no derivative, and must not depend on what is differentiated.
    pub const FIXED: Self = Self { kind: 5, floats: 0 };

    /// A pointer to what is read.
    pub const fn read(floats: u32) -> Self {
        Self { kind: 2, floats }
    }

    /// A pointer to what may be read and is written.
    pub const fn written(floats: u32) -> Self {
        Self { kind: 3, floats }
    }

    /// A pointer to what is written and does not depend on the arguments.
    pub const fn constant_result(floats: u32) -> Self {
        Self { kind: 4, floats }
    }
}

impl Rule {
    const MAGIC: [u8; 16] = *b"\x7fautodiff rule\x01\x00";

    /// A function without rules. `name` is for messages.
    pub const fn new(name: &'static str, words: &'static [Word], primal: *const ()) -> Self {
        let none = std::ptr::null();
        Self {
            magic: Self::MAGIC,
            primal,
            begin: none,
            save: none,
            reverse: none,
            release: none,
            forward: none,
            words: words.as_ptr(),
            words_len: words.len(),
            name: name.as_ptr(),
            name_len: name.len(),
        }
    }

    /// The same with a rule for reverse mode that needs nothing to be kept.
    #[must_use]
    pub const fn reverse(mut self, reverse: *const ()) -> Self {
        self.reverse = reverse;
        self
    }

    /// The same, keeping what the rule for reverse mode needs.
    #[must_use]
    pub const fn keeping(mut self, save: *const (), release: *const ()) -> Self {
        self.save = save;
        self.release = release;
        self
    }

    /// The same, keeping what there is before the function runs.
    #[must_use]
    pub const fn beginning(mut self, begin: *const (), release: *const ()) -> Self {
        self.begin = begin;
        self.release = release;
        self
    }

    /// The same with a rule for forward mode.
    #[must_use]
    pub const fn forward(mut self, forward: *const ()) -> Self {
        self.forward = forward;
        self
    }
}

/// Calls the function itself. The tool puts calls that know the rules in place of this one where a
/// derivative reaches it.
///
/// # Safety
///
/// `args` must hold the slots that the record describes, valid for what the function does with them.
// Never inlined: the tool would not find the call.
#[inline(never)]
pub unsafe extern "C-unwind" fn __autodiff_rule(rule: *const Rule, args: *mut *mut ()) {
    let rule = black_box(rule);
    let nowhere = std::ptr::null_mut();
    // SAFETY: callers pass the address of a record, whose first function is never null, and its slots.
    unsafe {
        let primal: Function = std::mem::transmute((*rule).primal);
        primal(args, nowhere, nowhere);
    }
}

/// Calls a function with its argument slots.
///
/// # Safety
///
/// As for [`__autodiff_rule`].
#[inline]
pub unsafe fn call_rule<const N: usize>(rule: &'static Rule, mut args: [*mut (); N]) {
    // SAFETY: the caller's promise.
    unsafe { __autodiff_rule(rule, args.as_mut_ptr()) }
}

#[cfg(test)]
mod tests {
    use std::mem::{align_of, offset_of, size_of};

    use super::*;

    #[test]
    fn rule_has_the_layout_the_tool_reads() {
        assert_eq!((size_of::<Rule>(), align_of::<Rule>()), (96, 8));
        let offsets = [
            offset_of!(Rule, magic),
            offset_of!(Rule, primal),
            offset_of!(Rule, begin),
            offset_of!(Rule, save),
            offset_of!(Rule, reverse),
            offset_of!(Rule, release),
            offset_of!(Rule, forward),
            offset_of!(Rule, words),
            offset_of!(Rule, words_len),
            offset_of!(Rule, name),
            offset_of!(Rule, name_len),
        ];
        assert_eq!(offsets, [0, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88]);
        assert_eq!((size_of::<Word>(), offset_of!(Word, kind), offset_of!(Word, floats)), (8, 0, 4));
    }
}
