//! `nalgebra`: matrices and vectors that own their elements, column after column; points and
//! quaternions by their coordinates.

use std::marker::PhantomData;
use std::mem::{offset_of, size_of};

use nalgebra::{ArrayStorage, Const, Dim, Dyn, Matrix, OPoint, Quaternion, Scalar as Entry, VecStorage};

use super::Differentiable;
use crate::describe::Describe;
use crate::layout::{Field, Layout};
use crate::scalar::Scalar;
use crate::shape::Difference;

macro_rules! matrices {
    ($([$($parameters:tt)*] $ty:ty: $layout:expr, $is_shaped:expr;)*) => {
        $(impl<T: Describe, $($parameters)*> Describe for $ty {
            const LAYOUT: &'static Layout = $layout;
            const SHAPED: bool = $is_shaped;
            const FLOATS: bool = T::FLOATS;
            const SHARED: bool = T::SHARED;

            #[inline]
            fn difference(&self, shadow: &Self) -> Option<Difference> {
                if self.shape() != shadow.shape() {
                    return Some(Difference::Dimensions);
                }
                self.iter().zip(shadow.iter()).find_map(|(one, other)| one.difference(other))
            }
        }

        impl<T: Entry + Differentiable, $($parameters)*> Differentiable for $ty {
            viewed_as_itself!();
            of_elements!();
            type Scalar = T::Scalar;
            type __Wider<S: Scalar> = T::__Wider<S>;
            const __FRESH: bool = T::__FRESH;

            fn zero_tangent(&self) -> Self {
                let mut zero = self.clone();
                super::clear(&mut zero);
                zero
            }
        })*
    };
}

/// The layout of a matrix in a vector: storage and matrix are laid out as written, the vector first.
struct WithVector<T, M>(PhantomData<(T, M)>);

impl<T: Describe, M> WithVector<T, M> {
    const DIMENSIONS: &'static Layout = &Layout::integer(size_of::<M>() - size_of::<Vec<T>>());
    const LAYOUT: &'static Layout = &Layout::structure(
        size_of::<M>(),
        const { &[Field::of::<Vec<T>>(0), Field::new(size_of::<Vec<T>>(), Self::DIMENSIONS)] },
    );
}

matrices! {
    [const R: usize, const C: usize] Matrix<T, Const<R>, Const<C>, ArrayStorage<T, R, C>>:
        <[[T; R]; C]>::LAYOUT, T::SHAPED;
    [C: Dim] Matrix<T, Dyn, C, VecStorage<T, Dyn, C>>: WithVector::<T, Self>::LAYOUT, true;
    [const R: usize] Matrix<T, Const<R>, Dyn, VecStorage<T, Const<R>, Dyn>>: WithVector::<T, Self>::LAYOUT, true;
}

macro_rules! coordinates {
    ($([$($parameters:tt)*] $ty:ty;)*) => {
        $(impl<T: Entry + Describe, $($parameters)*> Describe for $ty {
            const LAYOUT: &'static Layout = &Layout::structure(
                size_of::<Self>(),
                const { &[Field::new(offset_of!(Self, coords), coordinates(|it: &Self| &it.coords))] },
            );
            const SHAPED: bool = T::SHAPED;
            const FLOATS: bool = T::FLOATS;
            const SHARED: bool = T::SHARED;

            #[inline]
            fn difference(&self, shadow: &Self) -> Option<Difference> {
                self.coords.difference(&shadow.coords)
            }
        }

        impl<T: Entry + Differentiable, $($parameters)*> Differentiable for $ty {
            viewed_as_itself!();
            type Scalar = T::Scalar;
            type __Wider<S: Scalar> = T::__Wider<S>;
            const __FRESH: bool = T::__FRESH;

            #[inline]
            fn zero_tangent(&self) -> Self {
                Self { coords: self.coords.zero_tangent() }
            }

            #[inline]
            fn __pairs(&self, other: &Self, visit: &mut impl FnMut(f64, f64)) {
                self.coords.__pairs(&other.coords, visit);
            }

            #[inline]
            fn __update(&mut self, new: &mut impl FnMut(f64) -> f64) {
                self.coords.__update(new);
            }

            #[inline]
            fn __update_with(&mut self, other: &Self, new: &mut impl FnMut(f64, f64) -> f64) {
                self.coords.__update_with(&other.coords, new);
            }
        })*
    };
}

/// The layout of what a function leads to.
const fn coordinates<T, P: Describe>(_: fn(&T) -> &P) -> &'static Layout {
    P::LAYOUT
}

coordinates! {
    [const D: usize] OPoint<T, Const<D>>;
    [] Quaternion<T>;
}
