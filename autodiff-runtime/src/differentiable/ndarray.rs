//! `ndarray`: arrays that own their elements, in logical order.

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
        self.iter().zip(shadow.iter()).find_map(|(one, other)| one.difference(other))
    }
}

impl<T: Differentiable + Clone, D: Dimension> Differentiable for Array<T, D> {
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
}
