//! What has tangents of its own type.

/// A plain value with a derivative: what the arguments and results of a
/// [`custom_rule`](crate::custom_rule) are made of.
///
/// It is there for floats, integers (whose tangents mean nothing), and arrays and tuples of them.
/// A plain struct can have it:
///
/// ```
/// use autodiff::rule::Tangent;
///
/// #[derive(Clone, Copy)]
/// struct Spring {
///     stiffness: f64,
///     number: u32,
/// }
///
/// impl Tangent for Spring {
///     fn zero(&self) -> Self {
///         Spring { stiffness: 0.0, ..*self }
///     }
///
///     fn add(&mut self, other: &Self) {
///         self.stiffness += other.stiffness;
///     }
/// }
///
/// let mut slope = Spring { stiffness: 2.0, number: 7 };
/// slope.add(&Spring { stiffness: 1.0, number: 7 });
/// assert_eq!((slope.stiffness, slope.zero().stiffness), (3.0, 0.0));
/// ```
#[diagnostic::on_unimplemented(
    message = "a rule cannot give derivatives by `{Self}`",
    label = "neither a float nor an array or tuple of floats, nor does it implement `Tangent`",
    note = "pass numbers that lie elsewhere as a slice of their own, or name the argument `Const`"
)]
pub trait Tangent: Copy + 'static {
    /// The same with all floats zero.
    #[must_use]
    fn zero(&self) -> Self;

    /// Adds the floats of another value to these.
    fn add(&mut self, other: &Self);

    /// What there may be: 1 for `f32`, 2 for `f64`, 4 for anything else.
    #[doc(hidden)]
    const FLOATS: u32 = 7;
}

/// Which floats there may be in a value.
pub const fn floats<T: Tangent>() -> u32 {
    T::FLOATS
}

macro_rules! floats {
    ($($ty:ty: $mask:literal),*) => {
        $(impl Tangent for $ty {
            const FLOATS: u32 = $mask;

            #[inline]
            fn zero(&self) -> Self {
                0.0
            }

            #[inline]
            fn add(&mut self, other: &Self) {
                *self += other;
            }
        })*
    };
}

floats!(f32: 1, f64: 2);

macro_rules! others {
    ($($ty:ty),*) => {
        $(impl Tangent for $ty {
            const FLOATS: u32 = 4;

            #[inline]
            fn zero(&self) -> Self {
                *self
            }

            #[inline]
            fn add(&mut self, _: &Self) {}
        })*
    };
}

others!((), i8, i16, i32, i64, i128, isize, u8, u16, u32, u64, u128, usize, bool, char);

impl<T: Tangent, const N: usize> Tangent for [T; N] {
    const FLOATS: u32 = T::FLOATS;

    #[inline]
    fn zero(&self) -> Self {
        self.map(|element| element.zero())
    }

    #[inline]
    fn add(&mut self, other: &Self) {
        self.iter_mut().zip(other).for_each(|(sum, other)| sum.add(other));
    }
}

macro_rules! tuples {
    ($($name:ident $index:tt),*) => {
        impl<$($name: Tangent),*> Tangent for ($($name,)*) {
            const FLOATS: u32 = 0 $(| $name::FLOATS)*;

            #[inline]
            fn zero(&self) -> Self {
                ($(self.$index.zero(),)*)
            }

            #[inline]
            fn add(&mut self, other: &Self) {
                $(self.$index.add(&other.$index);)*
            }
        }
    };
}

tuples!(A 0);
tuples!(A 0, B 1);
tuples!(A 0, B 1, C 2);
tuples!(A 0, B 1, C 2, D 3);
tuples!(A 0, B 1, C 2, D 3, E 4);
tuples!(A 0, B 1, C 2, D 3, E 4, F 5);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_floats_have_tangents() {
        let mut value = (1.5, [2.0_f32, 3.0], 4_u8);
        assert_eq!(value.zero(), (0.0, [0.0, 0.0], 4));
        value.add(&(1.0, [1.0, 1.0], 9));
        assert_eq!(value, (2.5, [3.0, 4.0], 4));
        assert_eq!(<(f64, [f32; 2], u8)>::FLOATS, 7);
        assert_eq!(<(f64, [f64; 2])>::FLOATS, 2);
    }
}
