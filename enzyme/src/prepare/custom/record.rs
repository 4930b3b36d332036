//! The record of a function with rules, as it stands in the bitcode. The runtime crate defines it.

use crate::llvm::{Function, Global, Image, Precision, Value};

/// The first bytes of the record, and where its fields are.
const MAGIC: &[u8] = b"\x7fautodiff rule\x01";
const PRIMAL: usize = 16;
const BEGIN: usize = 24;
const SAVE: usize = 32;
const REVERSE: usize = 40;
const RELEASE: usize = 48;
const FORWARD: usize = 56;
const WORDS: usize = 64;
const WORDS_LEN: usize = 72;
const NAME: usize = 80;
const NAME_LEN: usize = 88;
const WORD_SIZE: usize = 8;

/// A slot of the argument block.
#[derive(Debug, Clone)]
pub(super) struct Word {
    pub(super) kind: Kind,
    /// Which floats are behind the pointer.
    pub(super) floats: Vec<Precision>,
    /// Whether there may be anything else.
    pub(super) is_mixed: bool,
}

impl Word {
    /// What there is behind the pointer, if it is all the same.
    pub(super) fn only(&self) -> Option<Precision> {
        match self.floats[..] {
            [precision] if !self.is_mixed => Some(precision),
            _ => None,
        }
    }
}

/// What a slot is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Integer,
    /// A pointer to what has no derivative.
    Constant,
    /// The same, where it must not depend on what is differentiated.
    Fixed,
    /// A pointer to what is read.
    Read,
    /// A pointer to what may be read and is written.
    Written,
    /// A pointer to what is written and does not depend on the arguments.
    ConstantResult,
}

/// A function with rules.
#[derive(Debug)]
pub(super) struct Record<'c> {
    pub(super) words: Vec<Word>,
    /// What the user calls the function.
    pub(super) name: String,
    pub(super) primal: Function<'c>,
    pub(super) begin: Option<Function<'c>>,
    pub(super) save: Option<Function<'c>>,
    pub(super) reverse: Option<Function<'c>>,
    pub(super) release: Option<Function<'c>>,
    pub(super) forward: Option<Function<'c>>,
}

impl<'c> Record<'c> {
    /// Reads it, if it is one.
    pub(super) fn of(global: Global<'c>) -> Option<Self> {
        let image = Image::of(global).filter(|image| image.starts_with(MAGIC))?;
        let function = |offset| image.pointer(offset).and_then(Value::as_function);
        let length = |offset| usize::try_from(image.u64(offset)?).ok();
        let words = Image::of(image.pointer(WORDS)?.as_global()?)?;
        let text = Image::of(image.pointer(NAME)?.as_global()?)?;
        let text = text.bytes(0..length(NAME_LEN)?)?;
        Some(Self {
            words: (0..length(WORDS_LEN)?).map(|it| word(&words, it * WORD_SIZE)).collect::<Option<_>>()?,
            name: String::from_utf8_lossy(text).into_owned(),
            primal: function(PRIMAL)?,
            begin: function(BEGIN),
            save: function(SAVE),
            reverse: function(REVERSE),
            release: function(RELEASE),
            forward: function(FORWARD),
        })
    }
}

fn word(words: &Image<'_>, offset: usize) -> Option<Word> {
    let kind = match words.u32(offset)? {
        0 => Kind::Integer,
        1 => Kind::Constant,
        2 => Kind::Read,
        3 => Kind::Written,
        4 => Kind::ConstantResult,
        5 => Kind::Fixed,
        _ => return None,
    };
    let mask = words.u32(offset + 4)?;
    let floats = [(1, Precision::Single), (2, Precision::Double)];
    let floats = floats.into_iter().filter(|(bit, _)| mask & bit != 0).map(|(_, precision)| precision);
    Some(Word { kind, floats: floats.collect(), is_mixed: mask & 4 != 0 })
}
