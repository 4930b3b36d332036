//! What functions can be differentiated with respect to.

use std::ptr;

use crate::call::call;
use crate::describe::Describe;
use crate::scalar::{Element, Scalar};
use crate::shim;
use crate::site::{Activity, Mode, Param, Site};
use crate::transform::Transform;

mod sealed {
    pub trait Sealed {}
    impl<E: super::Element> Sealed for [E] {}
    impl<E: super::Element> Sealed for Vec<E> {}
    impl<E: super::Element, const N: usize> Sealed for [E; N] {}
}

/// A point at which a function can be differentiated.
///
/// | type | functions take | gradient |
/// | --- | --- | --- |
/// | `[T]` | `&[T]` | `Vec<T>` |
/// | `Vec<T>` | `&[T]` | `Vec<T>` |
/// | `[T; N]` | `&[T; N]` | `[T; N]` |
///
/// where `T` is `f32`, `f64` or an array of them. The trait is sealed.
#[diagnostic::on_unimplemented(
    message = "cannot differentiate with respect to `{Self}`",
    label = "not a slice, array or `Vec` of floating-point numbers",
    note = "`gradient(f, &x)` takes a reference to the point itself: a `&[T]` is passed as `x`, not `&x`"
)]
pub trait Differentiable: sealed::Sealed {
    /// What the function takes by reference: `[T]` for `Vec<T>`, otherwise the type itself.
    type View: ?Sized;
    /// The function's value.
    type Scalar: Scalar;
    /// The function's gradient.
    type Gradient: Send;

    /// The gradient of a function that is constant.
    #[doc(hidden)]
    fn __zero(&self) -> Self::Gradient;

    /// Adds one gradient to another.
    #[doc(hidden)]
    fn __add(sum: &mut Self::Gradient, other: &Self::Gradient);

    /// Adds the gradient of `f` at this point to `gradient` and returns the value.
    #[doc(hidden)]
    #[track_caller]
    fn __add_gradient<F, N>(&self, f: &F, gradient: &mut Self::Gradient) -> Self::Scalar
    where
        F: Fn(&Self::View) -> Self::Scalar,
        N: Transform;

    /// Value and gradient of `f` at this point.
    #[doc(hidden)]
    #[track_caller]
    fn __value_and_gradient<F, N>(&self, f: &F) -> (Self::Scalar, Self::Gradient)
    where
        F: Fn(&Self::View) -> Self::Scalar,
        N: Transform,
    {
        let mut gradient = self.__zero();
        let value = self.__add_gradient::<F, N>(f, &mut gradient);
        (value, gradient)
    }
}

impl<E: Element> Differentiable for [E] {
    type View = [E];
    type Scalar = E::Scalar;
    type Gradient = Vec<E>;

    fn __zero(&self) -> Vec<E> {
        vec![E::ZERO; self.len()]
    }

    fn __add(sum: &mut Vec<E>, other: &Vec<E>) {
        sum.iter_mut().zip(other).for_each(|(sum, other)| sum.__add(other));
    }

    fn __add_gradient<F, N>(&self, f: &F, gradient: &mut Vec<E>) -> E::Scalar
    where
        F: Fn(&[E]) -> E::Scalar,
        N: Transform,
    {
        let site = const {
            &Site::new(
                Mode::Reverse,
                1,
                shim::slice::<F, E, E::Scalar> as *const (),
                const {
                    &[
                        Param::pointer(Activity::Const, ptr::null()),
                        Param::pointer(Activity::Duplicated, <[E]>::LAYOUT),
                        Param::INTEGER,
                        Param::pointer(Activity::Duplicated, E::Scalar::LAYOUT),
                    ]
                },
                N::NAME,
            )
        };
        let (mut value, mut seed) = (E::Scalar::ZERO, E::Scalar::ONE);
        // SAFETY: the slots are those of `shim::slice`, and all of them outlive the call. `f` and
        // `self` are only read.
        unsafe {
            call(
                site,
                [
                    ptr::from_ref(f).cast_mut().cast(),
                    self.as_ptr().cast_mut().cast(),
                    gradient.as_mut_ptr().cast(),
                    ptr::without_provenance_mut(self.len()),
                    (&raw mut value).cast(),
                    (&raw mut seed).cast(),
                ],
            );
        }
        value
    }
}

impl<E: Element> Differentiable for Vec<E> {
    type View = [E];
    type Scalar = E::Scalar;
    type Gradient = Self;

    fn __zero(&self) -> Self {
        self.as_slice().__zero()
    }

    fn __add(sum: &mut Self, other: &Self) {
        <[E]>::__add(sum, other);
    }

    fn __add_gradient<F, N>(&self, f: &F, gradient: &mut Self) -> E::Scalar
    where
        F: Fn(&[E]) -> E::Scalar,
        N: Transform,
    {
        self.as_slice().__add_gradient::<F, N>(f, gradient)
    }
}

impl<E: Element, const LEN: usize> Differentiable for [E; LEN] {
    type View = Self;
    type Scalar = E::Scalar;
    type Gradient = Self;

    fn __zero(&self) -> Self {
        <Self as Element>::ZERO
    }

    fn __add(sum: &mut Self, other: &Self) {
        Element::__add(sum, other);
    }

    fn __add_gradient<F, N>(&self, f: &F, gradient: &mut Self) -> E::Scalar
    where
        F: Fn(&Self) -> E::Scalar,
        N: Transform,
    {
        let site = const {
            &Site::new(
                Mode::Reverse,
                1,
                shim::reference::<F, Self, E::Scalar> as *const (),
                const {
                    &[
                        Param::pointer(Activity::Const, ptr::null()),
                        Param::pointer(Activity::Duplicated, <Self as Describe>::LAYOUT),
                        Param::pointer(Activity::Duplicated, E::Scalar::LAYOUT),
                    ]
                },
                N::NAME,
            )
        };
        let (mut value, mut seed) = (E::Scalar::ZERO, E::Scalar::ONE);
        // SAFETY: the slots are those of `shim::reference`, and all of them outlive the call. `f`
        // and `self` are only read.
        unsafe {
            call(
                site,
                [
                    ptr::from_ref(f).cast_mut().cast(),
                    ptr::from_ref(self).cast_mut().cast(),
                    ptr::from_mut(gradient).cast(),
                    (&raw mut value).cast(),
                    (&raw mut seed).cast(),
                ],
            );
        }
        value
    }
}
