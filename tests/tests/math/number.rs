//! A float of either precision, by its bits.

use std::fmt;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Number {
    bits: u64,
    double: bool,
}

impl Number {
    /// From bits in hexadecimal.
    pub(crate) fn of_bits(bits: &str, precision: &str) -> Self {
        let bits = u64::from_str_radix(bits, 16).expect("bits of a number");
        Self { bits, double: precision == "f64" }
    }

    /// From a word of `edges.txt`.
    pub(crate) fn of_word(word: &str, precision: &str) -> Self {
        let double = precision == "f64";
        let (sign, size) = word.strip_prefix('-').map_or((1.0, word), |size| (-1.0, size));
        let number = match size {
            "tiny" if double => f64::from_bits(1),
            "tiny" => f32::from_bits(1).into(),
            "huge" if double => f64::MAX,
            "huge" => f32::MAX.into(),
            _ => size.parse().expect("a number"),
        };
        let number = sign * number;
        Self { bits: if double { number.to_bits() } else { (number as f32).to_bits().into() }, double }
    }

    pub(crate) fn bits(self) -> String {
        format!("{:x}", self.bits)
    }

    fn value(self) -> f64 {
        if self.double { f64::from_bits(self.bits) } else { f32::from_bits(self.bits as u32).into() }
    }

    /// How many floats lie between the two, plus one; zeros count as one.
    pub(crate) fn distance(self, other: Self) -> u64 {
        if self.value().is_nan() || other.value().is_nan() {
            return if self.is_same(other) { 0 } else { u64::MAX };
        }
        self.place().abs_diff(other.place())
    }

    fn place(self) -> i64 {
        let sign = if self.double { 1 << 63 } else { 1 << 31 };
        let size = (self.bits & (sign - 1)).cast_signed();
        if self.bits & sign == 0 { size } else { -size }
    }

    /// Whether both have the same bits, or are no numbers.
    pub(crate) fn is_same(self, other: Self) -> bool {
        self.bits == other.bits || self.value().is_nan() && other.value().is_nan()
    }

    /// Whether both are equal, or no numbers.
    pub(crate) fn equals(self, other: Self) -> bool {
        self.distance(other) == 0
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.value())
    }
}
