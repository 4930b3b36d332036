//! Types of the language and the standard library.

use std::array;
use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::mem::size_of;

use super::Differentiable;
use crate::describe::Describe;
use crate::layout::Layout;
use crate::scalar::Scalar;
use crate::shape::Difference;

macro_rules! floats {
    ($($ty:ident: $wider:ty),*) => {
        $(impl Differentiable for $ty {
            viewed_as_itself!();
            type Scalar = Self;
            type __Wider<S: Scalar> = $wider;

            #[inline]
            fn zero_tangent(&self) -> Self {
                0.0
            }

            #[inline]
            fn __pairs(&self, other: &Self, visit: &mut impl FnMut(f64, f64)) {
                visit(self.__wide(), other.__wide());
            }

            #[inline]
            fn __update(&mut self, new: &mut impl FnMut(f64) -> f64) {
                *self = Self::__nearest(new(self.__wide()));
            }

            #[inline]
            fn __update_with(&mut self, other: &Self, new: &mut impl FnMut(f64, f64) -> f64) {
                *self = Self::__nearest(new(self.__wide(), other.__wide()));
            }

            #[inline]
            fn __zeros(values: &[Self]) -> Vec<Self> {
                vec![0.0; values.len()]
            }
        })*
    };
}

floats!(f32: S, f64: Self);

macro_rules! inactive {
    ($([$($generics:tt)*] $ty:ty),*) => {
        $(impl<$($generics)*> Differentiable for $ty {
            viewed_as_itself!();
            type Scalar = f32;
            type __Wider<S: Scalar> = S;

            #[inline]
            fn zero_tangent(&self) -> Self {
                self.clone()
            }

            #[inline]
            fn __pairs(&self, _: &Self, _: &mut impl FnMut(f64, f64)) {}

            #[inline]
            fn __update(&mut self, _: &mut impl FnMut(f64) -> f64) {}

            #[inline]
            fn __update_with(&mut self, _: &Self, _: &mut impl FnMut(f64, f64) -> f64) {}
        })*
    };
}

inactive!([] i8, [] i16, [] i32, [] i64, [] i128, [] isize);
inactive!([] u8, [] u16, [] u32, [] u64, [] u128, [] usize);
inactive!([] bool, [] char, [] (), [] String, [] &str, [T: ?Sized] PhantomData<T>);

impl<T: Differentiable, const N: usize> Differentiable for [T; N] {
    viewed_as_itself!();
    of_elements!();
    type Scalar = T::Scalar;
    type __Wider<S: Scalar> = T::__Wider<S>;
    const __FRESH: bool = T::__FRESH;

    #[inline]
    fn zero_tangent(&self) -> Self {
        array::from_fn(|index| self[index].zero_tangent())
    }
}

impl<T: Differentiable> Differentiable for Vec<T> {
    of_elements!();
    type View = [T];
    type Scalar = T::Scalar;
    type __Wider<S: Scalar> = T::__Wider<S>;
    const __FRESH: bool = T::__FRESH;

    #[inline]
    fn zero_tangent(&self) -> Self {
        T::__zeros(self)
    }

    #[inline]
    fn __view(&self) -> &[T] {
        self
    }

    #[inline]
    fn __view_mut(&mut self) -> &mut [T] {
        self
    }
}

impl<T: Differentiable> Differentiable for Box<[T]> {
    of_elements!();
    viewed_as_itself!();
    type Scalar = T::Scalar;
    type __Wider<S: Scalar> = T::__Wider<S>;
    const __FRESH: bool = T::__FRESH;

    fn zero_tangent(&self) -> Self {
        T::__zeros(self).into()
    }
}

impl<T: Differentiable> Differentiable for Option<T> {
    of_elements!();
    viewed_as_itself!();
    type Scalar = T::Scalar;
    type __Wider<S: Scalar> = T::__Wider<S>;
    const __FRESH: bool = T::__FRESH;

    fn zero_tangent(&self) -> Self {
        self.as_ref().map(T::zero_tangent)
    }
}

impl<T: Differentiable> Differentiable for Box<T> {
    viewed_as_itself!();
    type Scalar = T::Scalar;
    type __Wider<S: Scalar> = T::__Wider<S>;
    const __FRESH: bool = T::__FRESH;

    fn zero_tangent(&self) -> Self {
        Self::new((**self).zero_tangent())
    }

    #[inline]
    fn __pairs(&self, other: &Self, visit: &mut impl FnMut(f64, f64)) {
        (**self).__pairs(other, visit);
    }

    #[inline]
    fn __update(&mut self, new: &mut impl FnMut(f64) -> f64) {
        (**self).__update(new);
    }

    #[inline]
    fn __update_with(&mut self, other: &Self, new: &mut impl FnMut(f64, f64) -> f64) {
        (**self).__update_with(other, new);
    }
}

impl<K: Ord, V: Describe> Describe for BTreeMap<K, V> {
    const LAYOUT: &'static Layout = &Layout::unknown(size_of::<Self>());
    const SHAPED: bool = true;
    const FLOATS: bool = V::FLOATS;
    const SHARED: bool = V::SHARED;

    fn difference(&self, shadow: &Self) -> Option<Difference> {
        if !self.keys().eq(shadow.keys()) {
            return Some(Difference::Keys);
        }
        self.values().zip(shadow.values()).find_map(|(one, other)| one.difference(other))
    }
}

/// The nodes of a map depend on how it came about; only a clone has the same ones.
impl<K: Ord + Clone, V: Differentiable + Clone> Differentiable for BTreeMap<K, V> {
    viewed_as_itself!();
    type Scalar = V::Scalar;
    type __Wider<S: Scalar> = V::__Wider<S>;
    const __FRESH: bool = true;

    fn zero_tangent(&self) -> Self {
        let mut zero = self.clone();
        super::clear(&mut zero);
        zero
    }

    fn __pairs(&self, other: &Self, visit: &mut impl FnMut(f64, f64)) {
        for (one, other) in self.values().zip(other.values()) {
            one.__pairs(other, visit);
        }
    }

    fn __update(&mut self, new: &mut impl FnMut(f64) -> f64) {
        for value in self.values_mut() {
            value.__update(new);
        }
    }

    fn __update_with(&mut self, other: &Self, new: &mut impl FnMut(f64, f64) -> f64) {
        for (value, other) in self.values_mut().zip(other.values()) {
            value.__update_with(other, new);
        }
    }
}

macro_rules! tuples {
    ($(($($name:ident $index:tt),+) $wider:ty;)*) => {
        $(impl<$($name: Differentiable),+> Differentiable for ($($name,)+) {
            viewed_as_itself!();
            type Scalar = Self::__Wider<f32>;
            type __Wider<S: Scalar> = $wider;
            const __FRESH: bool = $($name::__FRESH)||+;

            #[inline]
            fn zero_tangent(&self) -> Self {
                ($(self.$index.zero_tangent(),)+)
            }

            #[inline]
            fn __pairs(&self, other: &Self, visit: &mut impl FnMut(f64, f64)) {
                $(self.$index.__pairs(&other.$index, visit);)+
            }

            #[inline]
            fn __update(&mut self, new: &mut impl FnMut(f64) -> f64) {
                $(self.$index.__update(new);)+
            }

            #[inline]
            fn __update_with(&mut self, other: &Self, new: &mut impl FnMut(f64, f64) -> f64) {
                $(self.$index.__update_with(&other.$index, new);)+
            }
        })*
    };
}

tuples! {
    (A 0) A::__Wider<S>;
    (A 0, B 1) A::__Wider<B::__Wider<S>>;
    (A 0, B 1, C 2) A::__Wider<B::__Wider<C::__Wider<S>>>;
    (A 0, B 1, C 2, D 3) A::__Wider<B::__Wider<C::__Wider<D::__Wider<S>>>>;
    (A 0, B 1, C 2, D 3, E 4) A::__Wider<B::__Wider<C::__Wider<D::__Wider<E::__Wider<S>>>>>;
    (A 0, B 1, C 2, D 3, E 4, F 5) A::__Wider<B::__Wider<C::__Wider<D::__Wider<E::__Wider<F::__Wider<S>>>>>>;
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6)
        A::__Wider<B::__Wider<C::__Wider<D::__Wider<E::__Wider<F::__Wider<G::__Wider<S>>>>>>>;
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7)
        A::__Wider<B::__Wider<C::__Wider<D::__Wider<E::__Wider<F::__Wider<G::__Wider<H::__Wider<S>>>>>>>>;
}
