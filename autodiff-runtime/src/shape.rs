//! How a shadow may fail to have the shape of its argument.

use std::fmt;

/// What is wrong with a shadow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Difference {
    /// A slice or vector has another length.
    Length {
        /// That of the argument.
        expected: usize,
        /// That of the shadow.
        found: usize,
    },
    /// An enum has another variant.
    Variant,
}

/// Follows the word "must".
impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length { expected, found } => write!(f, "have length {expected}, but has length {found}"),
            Self::Variant => f.write_str("be of the same variant"),
        }
    }
}

/// Panics because of a shadow.
#[cold]
#[inline(never)]
#[track_caller]
pub(crate) fn misfit(function: &str, argument: &str, shadow: &str, difference: Difference) -> ! {
    panic!("`{function}`: the shadow `{shadow}` of `{argument}` must {difference}")
}
