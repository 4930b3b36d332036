//! `num-complex`.

use std::mem::{offset_of, size_of};

use num_complex::Complex;

use super::Differentiable;
use crate::describe::Describe;
use crate::layout::{Field, Layout};
use crate::scalar::Scalar;
use crate::shape::Difference;

impl<T: Describe> Describe for Complex<T> {
    const LAYOUT: &'static Layout = &Layout::structure(
        size_of::<Self>(),
        const { &[Field::of::<T>(offset_of!(Self, re)), Field::of::<T>(offset_of!(Self, im))] },
    );
    const SHAPED: bool = T::SHAPED;
    const FLOATS: bool = T::FLOATS;
    const SHARED: bool = T::SHARED;

    #[inline]
    fn difference(&self, shadow: &Self) -> Option<Difference> {
        self.re.difference(&shadow.re).or_else(|| self.im.difference(&shadow.im))
    }
}

/// The real part, then the imaginary part: the derivatives are those by two real numbers.
impl<T: Differentiable> Differentiable for Complex<T> {
    viewed_as_itself!();
    type Scalar = T::Scalar;
    type __Wider<S: Scalar> = T::__Wider<S>;
    const __FRESH: bool = T::__FRESH;

    #[inline]
    fn zero_tangent(&self) -> Self {
        Self { re: self.re.zero_tangent(), im: self.im.zero_tangent() }
    }

    #[inline]
    fn __pairs(&self, other: &Self, visit: &mut impl FnMut(f64, f64)) {
        self.re.__pairs(&other.re, visit);
        self.im.__pairs(&other.im, visit);
    }

    #[inline]
    fn __update(&mut self, new: &mut impl FnMut(f64) -> f64) {
        self.re.__update(new);
        self.im.__update(new);
    }

    #[inline]
    fn __update_with(&mut self, other: &Self, new: &mut impl FnMut(f64, f64) -> f64) {
        self.re.__update_with(&other.re, new);
        self.im.__update_with(&other.im, new);
    }
}
