//! What a byte of memory or of a value is.

use crate::llvm::{Context, Type};

/// A set of what a byte may be: a part of a number or of an address, at which position in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::prepare) struct Kinds(u32);

/// A type of floating-point numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::prepare) enum Float {
    Half,
    Single,
    Double,
}

/// The one thing that a byte is, as far as copies are concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::prepare) enum Part {
    /// A part of a floating-point number, and which.
    Of(Float, u64),
    /// No part of any.
    Plain,
    /// Nothing that anyone looks at.
    Untouched,
    /// Different things at once, or unknown.
    Unclear,
}

impl Float {
    const ALL: [Float; 3] = [Float::Half, Float::Single, Float::Double];

    pub(in crate::prepare) fn named(name: &str) -> Option<Self> {
        match name {
            "half" => Some(Float::Half),
            "float" => Some(Float::Single),
            "double" => Some(Float::Double),
            _ => None,
        }
    }

    pub(in crate::prepare) fn of_size(size: u64) -> Option<Self> {
        Self::ALL.into_iter().find(|float| float.size() == size)
    }

    pub(in crate::prepare) fn size(self) -> u64 {
        match self {
            Float::Half => 2,
            Float::Single => 4,
            Float::Double => 8,
        }
    }

    pub(in crate::prepare) fn ty(self, context: &Context) -> Type<'_> {
        match self {
            Float::Half => context.half(),
            Float::Single => context.float(),
            Float::Double => context.double(),
        }
    }

    /// Enzyme's name for it.
    pub(in crate::prepare) fn name(self) -> &'static str {
        match self {
            Float::Half => "Float@half",
            Float::Single => "Float@float",
            Float::Double => "Float@double",
        }
    }

    fn first_bit(self) -> u32 {
        match self {
            Float::Half => 0,
            Float::Single => 2,
            Float::Double => 6,
        }
    }

    fn mask(self) -> u32 {
        ((1 << self.size()) - 1) << self.first_bit()
    }
}

impl Kinds {
    pub(super) const NONE: Kinds = Kinds(0);
    const FIRST_OF_POINTER: u32 = 14;
    pub(super) const POINTERS: Kinds = Kinds(0xff << Self::FIRST_OF_POINTER);
    pub(super) const FLOATS: Kinds = Kinds((1 << Self::FIRST_OF_POINTER) - 1);
    pub(super) const INTEGER: Kinds = Kinds(1 << 22);
    /// Seen by code that is out of sight.
    pub(super) const UNKNOWN: Kinds = Kinds(1 << 23);
    /// For memory: something is stored there.
    pub(super) const WRITTEN: Kinds = Kinds(1 << 24);
    /// Computed, as an integer, from the bits of a floating-point number.
    pub(super) const DERIVED: Kinds = Kinds(1 << 25);
    /// Memory that was filled by code that is out of sight, or may have been.
    pub(super) const OPEN: Kinds = Kinds(1 << 26);

    /// What goes along when a value is copied.
    pub(super) const COPIED: Kinds =
        Kinds(Self::FLOATS.0 | Self::POINTERS.0 | Self::INTEGER.0 | Self::UNKNOWN.0 | Self::DERIVED.0);

    pub(super) fn float(float: Float, position: u64) -> Self {
        Kinds(1 << (u64::from(float.first_bit()) + position % float.size()))
    }

    pub(super) fn pointer_byte(position: u64) -> Self {
        Kinds(1 << (u64::from(Self::FIRST_OF_POINTER) + position % 8))
    }

    pub(super) fn with(self, other: Kinds) -> Kinds {
        Kinds(self.0 | other.0)
    }

    pub(super) fn and(self, other: Kinds) -> Kinds {
        Kinds(self.0 & other.0)
    }

    pub(super) fn has(self, other: Kinds) -> bool {
        self.0 & other.0 != 0
    }

    pub(super) fn covers(self, other: Kinds) -> bool {
        self.0 & other.0 == other.0
    }

    /// What a byte is once it is copied as byte `position` of `count`. Part of a floating-point
    /// number is a number computed from its bits. Where an array's bytes are not told apart, a byte
    /// is at all positions, and what is copied as a whole is one.
    pub(super) fn copied(self, position: u64, count: u64) -> Kinds {
        let mut copied = self.0 & Self::COPIED.0;
        for float in Float::ALL.into_iter().filter(|float| self.0 & float.mask() != 0) {
            let whole = (0..float.size())
                .filter(|k| position >= *k && position - k + float.size() <= count)
                .fold(0, |bits, k| bits | 1 << (u64::from(float.first_bit()) + k));
            copied &= !float.mask() | whole;
            if copied & float.mask() == 0 {
                copied |= Self::INTEGER.0 | Self::DERIVED.0;
            }
        }
        Kinds(copied)
    }

    pub(in crate::prepare) fn is_pointer(self) -> bool {
        self.has(Self::POINTERS)
    }

    pub(in crate::prepare) fn is_integer(self) -> bool {
        self.has(Self::INTEGER)
    }

    pub(in crate::prepare) fn is_written(self) -> bool {
        self.has(Self::WRITTEN)
    }

    pub(in crate::prepare) fn is_unknown(self) -> bool {
        self.has(Self::UNKNOWN)
    }

    /// Whether any of the values may be a floating-point number, or is computed from the bits of one.
    pub(in crate::prepare) fn may_be_float(self) -> bool {
        self.has(Self::FLOATS.with(Self::UNKNOWN).with(Self::DERIVED))
    }

    /// Whether any of the values is known to be used as a floating-point number.
    pub(in crate::prepare) fn is_used_as_float(self) -> bool {
        self.has(Self::FLOATS)
    }

    /// Whether any of the values of so many bits may be a floating-point number.
    pub(in crate::prepare) fn may_be_float_of(self, bits: Option<u32>) -> bool {
        let Some(bits) = bits else { return self.may_be_float() };
        let float = Float::of_size(u64::from(bits.div_ceil(8)));
        self.is_unknown() || float.is_some_and(|float| self.0 & float.mask() != 0)
    }

    /// Enzyme's name for the one kind of use there is.
    pub(in crate::prepare) fn name(self) -> Option<&'static str> {
        let float = |float: Float| (float.mask(), float.name());
        let all = [
            float(Float::Half),
            float(Float::Single),
            float(Float::Double),
            (Self::INTEGER.0, "Integer"),
            (Self::POINTERS.0, "Pointer"),
            (Self::UNKNOWN.0, "Unknown"),
        ];
        let mut used = all.iter().filter(|(mask, _)| self.0 & mask != 0);
        let (_, name) = used.next().filter(|(_, name)| *name != "Unknown")?;
        used.next().is_none().then_some(name)
    }

    /// What a byte is to who copies it.
    pub(in crate::prepare) fn part(self) -> Part {
        let floats = self.0 & Self::FLOATS.0;
        if self.is_unknown() || floats.count_ones() > 1 || floats != 0 && self.is_pointer() {
            return Part::Unclear;
        }
        if floats == 0 {
            let plain = self.is_pointer() || self.is_integer();
            return if plain { Part::Plain } else { Part::Untouched };
        }
        let float = Float::ALL.into_iter().find(|float| float.mask() & floats != 0);
        let Some(float) = float else { return Part::Unclear };
        Part::Of(float, u64::from(floats.trailing_zeros() - float.first_bit()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all_positions() -> Kinds {
        (0..8).fold(Kinds::NONE, |all, k| all.with(Kinds::float(Float::Double, k)))
    }

    #[test]
    fn half_a_number_is_computed_from_its_bits() {
        let low = Kinds::float(Float::Double, 0);
        assert_eq!(low.copied(0, 8), low);
        assert!(!low.copied(0, 4).has(Kinds::FLOATS) && low.copied(0, 4).has(Kinds::DERIVED));
    }

    #[test]
    fn number_from_bytes_that_are_not_told_apart_is_whole() {
        for position in 0..8 {
            assert_eq!(all_positions().copied(position, 8), Kinds::float(Float::Double, position));
            assert!(all_positions().copied(position % 4, 4).has(Kinds::DERIVED));
        }
        assert_eq!(all_positions().name(), Some("Float@double"));
    }
}
