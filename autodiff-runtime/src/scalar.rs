//! Floating-point numbers and plain collections of them.

use crate::describe::Describe;
use crate::differentiable::Differentiable;

mod sealed {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
    impl<E: super::Element, const N: usize> Sealed for [E; N] {}
}

/// The floating-point types that can be differentiated: `f32` and `f64`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a floating-point number that can be differentiated",
    label = "expected `f32` or `f64`"
)]
pub trait Scalar:
    Element<Scalar = Self> + Differentiable<View = Self, Scalar = Self> + PartialOrd + std::fmt::Debug
{
    /// One, the seed of a gradient.
    #[doc(hidden)]
    const ONE: Self;
    /// The distance from one to the next number.
    #[doc(hidden)]
    const EPSILON: f64;

    /// The same number, without loss.
    #[doc(hidden)]
    fn __wide(self) -> f64;

    /// The nearest number.
    #[doc(hidden)]
    fn __nearest(number: f64) -> Self;
}

/// What a differentiable slice or array is made of: floats, and arrays of them.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not made of floating-point numbers only",
    label = "expected `f32`, `f64` or an array of them",
    note = "the gradient of an `Active` argument is returned, so it must be of such a type; pass others by reference and write `Duplicated`"
)]
pub trait Element: sealed::Sealed + Copy + Send + Sync + Describe + 'static {
    /// The float it is made of.
    type Scalar: Scalar;
    /// All floats zero, where a gradient starts.
    #[doc(hidden)]
    const ZERO: Self;
}

macro_rules! scalars {
    ($($ty:ident),*) => {
        $(impl Scalar for $ty {
            const ONE: Self = 1.0;
            const EPSILON: f64 = $ty::EPSILON as f64;

            #[inline]
            fn __wide(self) -> f64 {
                self.into()
            }

            #[inline]
            fn __nearest(number: f64) -> Self {
                number as $ty
            }
        }

        impl Element for $ty {
            type Scalar = Self;
            const ZERO: Self = 0.0;
        })*
    };
}

scalars!(f32, f64);

impl<E: Element, const N: usize> Element for [E; N] {
    type Scalar = E::Scalar;
    const ZERO: Self = [E::ZERO; N];
}
