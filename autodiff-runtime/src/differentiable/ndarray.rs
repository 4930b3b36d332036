//! `ndarray`: arrays that own their elements, in the order of memory.

use std::mem::size_of;

use ndarray::{Array, Dimension};

use super::Differentiable;
use crate::describe::Describe;
use crate::layout::Layout;
use crate::scalar::Scalar;
use crate::shape::Difference;

impl<T: Describe, D: Dimension> Describe for Array<T, D> {
    // Where its fields lie is the crate's secret.
    const LAYOUT: &'static Layout = &Layout::unknown(size_of::<Self>());
    const SHAPED: bool = true;
    const FLOATS: bool = T::FLOATS;
    const SHARED: bool = T::SHARED;

    /// An element of a shadow is found by the strides of its array.
    fn difference(&self, shadow: &Self) -> Option<Difference> {
        if self.shape() != shadow.shape() || self.strides() != shadow.strides() {
            return Some(Difference::Dimensions);
        }
        if T::SHAPED { elements(self).difference(elements(shadow)) } else { None }
    }
}

/// What an array holds. Iterators of arrays are more than is needed inside of a derivative.
///
/// # Panics
///
/// If there are gaps between the elements.
fn elements<T, D: Dimension>(array: &Array<T, D>) -> &[T] {
    array.as_slice_memory_order().expect(GAPS)
}

const GAPS: &str = "an array whose elements lie side by side: `as_standard_layout` makes one";

impl<T: Differentiable + Clone, D: Dimension> Differentiable for Array<T, D> {
    viewed_as_itself!();
    type Scalar = T::Scalar;
    type __Wider<S: Scalar> = T::__Wider<S>;
    const __FRESH: bool = T::__FRESH;

    fn zero_tangent(&self) -> Self {
        let mut zero = self.clone();
        super::clear(&mut zero);
        zero
    }

    #[inline]
    fn __pairs(&self, other: &Self, visit: &mut impl FnMut(f64, f64)) {
        for (one, other) in elements(self).iter().zip(elements(other)) {
            one.__pairs(other, visit);
        }
    }

    #[inline]
    fn __update(&mut self, new: &mut impl FnMut(f64) -> f64) {
        for element in self.as_slice_memory_order_mut().expect(GAPS) {
            element.__update(new);
        }
    }

    #[inline]
    fn __update_with(&mut self, other: &Self, new: &mut impl FnMut(f64, f64) -> f64) {
        let pairs = self.as_slice_memory_order_mut().expect(GAPS).iter_mut().zip(elements(other));
        for (element, other) in pairs {
            element.__update_with(other, new);
        }
    }
}
