//! What other crates make of the same problems. Their functions must be written for any kind of number.

#![allow(clippy::needless_range_loop, clippy::many_single_char_names, clippy::similar_names)]

pub mod ba;
pub mod gmm;

use std::ops::{Add, Div, Mul, Neg, Sub};

use ad_trait::AD;
use ad_trait::reverse_ad::adr::adr;
use num_dual::{DualNum, DualSVec64};

/// The arithmetic that the problems need.
pub(crate) trait Number:
    Copy
    + PartialOrd
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    /// Without derivatives.
    fn constant(value: f64) -> Self;
    fn exp(self) -> Self;
    fn ln(self) -> Self;
    fn sqrt(self) -> Self;
    fn sin(self) -> Self;
    fn cos(self) -> Self;
}

/// The functions of another crate's trait.
macro_rules! functions_of {
    ($trait:ident: $($name:ident)*) => {
        $(
            fn $name(self) -> Self {
                fn of<N: $trait>(x: N) -> N {
                    x.$name()
                }
                of(self)
            }
        )*
    };
}

impl<const N: usize> Number for DualSVec64<N> {
    fn constant(value: f64) -> Self {
        Self::from_re(value)
    }

    functions_of! { DualNum: exp ln sqrt sin cos }
}

impl Number for adr {
    fn constant(value: f64) -> Self {
        AD::constant(value)
    }

    functions_of! { AD: exp ln sqrt sin cos }
}
