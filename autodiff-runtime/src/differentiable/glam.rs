//! `glam`: vectors, matrices and quaternions, as arrays of their components.

use std::mem::size_of;

use glam::{
    DMat2, DMat3, DMat4, DQuat, DVec2, DVec3, DVec4, Mat2, Mat3, Mat4, Quat, Vec2, Vec3, Vec3A, Vec4,
};

use super::Differentiable;
use crate::describe::Describe;
use crate::layout::Layout;
use crate::scalar::Scalar;

macro_rules! arrays {
    ($($ty:ident: [$float:ty; $count:literal], $get:expr, $make:expr;)*) => {
        $(impl Describe for $ty {
            // There may be room for one more number, of which nothing is known.
            const LAYOUT: &'static Layout = if size_of::<Self>() == size_of::<[$float; $count]>() {
                <[$float; $count]>::LAYOUT
            } else {
                &Layout::unknown(size_of::<Self>())
            };
            const FLOATS: bool = true;
        }

        impl Differentiable for $ty {
            viewed_as_itself!();
            type Scalar = $float;
            type __Wider<S: Scalar> = <$float as Differentiable>::__Wider<S>;

            #[inline]
            fn zero_tangent(&self) -> Self {
                $make([0.0; $count])
            }

            #[inline]
            fn __pairs(&self, other: &Self, visit: &mut impl FnMut(f64, f64)) {
                $get(self).__pairs(&$get(other), visit);
            }

            #[inline]
            fn __update(&mut self, new: &mut impl FnMut(f64) -> f64) {
                let mut components = $get(self);
                components.__update(new);
                *self = $make(components);
            }

            #[inline]
            fn __update_with(&mut self, other: &Self, new: &mut impl FnMut(f64, f64) -> f64) {
                let mut components = $get(self);
                components.__update_with(&$get(other), new);
                *self = $make(components);
            }
        })*
    };
}

macro_rules! vectors {
    ($($ty:ident: $float:ty, $count:literal;)*) => {
        arrays! { $($ty: [$float; $count], $ty::to_array, $ty::from_array;)* }
    };
}

/// Column after column.
macro_rules! matrices {
    ($($ty:ident: $float:ty, $count:literal;)*) => {
        arrays! { $($ty: [$float; $count], $ty::to_cols_array, |columns| $ty::from_cols_array(&columns);)* }
    };
}

vectors! {
    Vec2: f32, 2; Vec3: f32, 3; Vec3A: f32, 3; Vec4: f32, 4; Quat: f32, 4;
    DVec2: f64, 2; DVec3: f64, 3; DVec4: f64, 4; DQuat: f64, 4;
}
matrices! {
    Mat2: f32, 4; Mat3: f32, 9; Mat4: f32, 16;
    DMat2: f64, 4; DMat3: f64, 9; DMat4: f64, 16;
}
