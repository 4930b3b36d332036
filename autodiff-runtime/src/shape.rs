//! How a value may fail to have the shape of another.

use std::error::Error;
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
    /// A map has other keys.
    Keys,
    /// A matrix has other dimensions, or its elements lie in another order.
    Dimensions,
}

/// Follows the word "must".
impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length { expected, found } => write!(f, "have length {expected}, but has length {found}"),
            Self::Variant => f.write_str("be of the same variant"),
            Self::Keys => f.write_str("have the same keys"),
            Self::Dimensions => f.write_str("have the same dimensions and memory order"),
        }
    }
}

/// Two values that belong together differ in shape: in the length of a slice or vector, the variant
/// of an enum, the keys of a map, the dimensions of a matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShapeError {
    what: &'static str,
    difference: Difference,
}

impl ShapeError {
    /// An error about the value that messages call `what`.
    pub(crate) const fn new(what: &'static str, difference: Difference) -> Self {
        Self { what, difference }
    }

    /// Fails if there is a difference.
    pub(crate) fn check(what: &'static str, difference: Option<Difference>) -> Result<(), Self> {
        difference.map_or(Ok(()), |difference| Err(Self::new(what, difference)))
    }

    /// Fails if a slice has another length.
    pub(crate) fn check_length(what: &'static str, expected: usize, found: usize) -> Result<(), Self> {
        Self::check(what, (expected != found).then_some(Difference::Length { expected, found }))
    }
}

impl fmt::Display for ShapeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the {} must {}", self.what, self.difference)
    }
}

impl Error for ShapeError {}

/// What a fallible function returned, or a panic that names the infallible one.
#[inline]
#[track_caller]
pub(crate) fn expect_shape<T>(function: &str, result: Result<T, ShapeError>) -> T {
    match result {
        Ok(value) => value,
        Err(error) => wrong_shape(function, error),
    }
}

#[cold]
#[inline(never)]
#[track_caller]
pub(crate) fn wrong_shape(function: &str, error: ShapeError) -> ! {
    panic!("`{function}`: {error}")
}

/// Panics because of a shadow.
#[cold]
#[inline(never)]
#[track_caller]
pub(crate) fn misfit(function: &str, argument: &str, shadow: &str, difference: Difference) -> ! {
    panic!("`{function}`: the shadow `{shadow}` of `{argument}` must {difference}")
}
