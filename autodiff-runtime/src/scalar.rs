//! Floating-point numbers and plain collections of them.

use crate::describe::Describe;

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
pub trait Scalar: Element<Scalar = Self> + PartialOrd + std::fmt::Debug {
    /// One, the seed of a gradient.
    #[doc(hidden)]
    const ONE: Self;
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

    /// Adds to all floats.
    #[doc(hidden)]
    fn __add(&mut self, other: &Self);
}

macro_rules! scalars {
    ($($ty:ty),*) => {
        $(impl Scalar for $ty {
            const ONE: Self = 1.0;
        }

        impl Element for $ty {
            type Scalar = Self;
            const ZERO: Self = 0.0;

            fn __add(&mut self, other: &Self) {
                *self += other;
            }
        })*
    };
}

scalars!(f32, f64);

impl<E: Element, const N: usize> Element for [E; N] {
    type Scalar = E::Scalar;
    const ZERO: Self = [E::ZERO; N];

    fn __add(&mut self, other: &Self) {
        self.iter_mut().zip(other).for_each(|(sum, other)| sum.__add(other));
    }
}
