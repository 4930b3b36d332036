//! Where functions can be differentiated.

use std::mem::transmute;
use std::ptr;

use crate::describe::Describe;
use crate::differentiable::{Differentiable, assign};
use crate::scalar::Scalar;

/// A point at which a function can be differentiated: a [`Differentiable`] value, or a slice of them.
///
/// | type | functions take | gradient |
/// | --- | --- | --- |
/// | `[T]` | `&[T]` | `Vec<T>` |
/// | `Vec<T>` | `&[T]` | `Vec<T>` |
/// | any other `T` | `&T` | `T` |
///
/// The trait follows from [`Differentiable`] and is not implemented otherwise.
pub trait Point {
    /// What functions take by reference.
    type View: View + ?Sized;
    /// The value of a function that has a gradient.
    type Scalar: Scalar;
    /// Gradients and tangents.
    type Gradient: Differentiable<View = Self::View, Scalar = Self::Scalar>;

    /// The point as functions take it.
    #[doc(hidden)]
    fn __point(&self) -> &Self::View;

    /// The gradient of a function that is constant.
    #[doc(hidden)]
    fn __zero(&self) -> Self::Gradient;

    /// A tangent at this point with the floats of another.
    #[doc(hidden)]
    fn __tangent(&self, floats: &Self) -> Self::Gradient;
}

impl<X: Differentiable> Point for X {
    type View = <X as Differentiable>::View;
    type Scalar = <X as Differentiable>::Scalar;
    type Gradient = X;

    #[inline]
    fn __point(&self) -> &Self::View {
        self.__view()
    }

    #[inline]
    fn __zero(&self) -> X {
        self.zero_tangent()
    }

    #[inline]
    fn __tangent(&self, floats: &X) -> X {
        let mut tangent = self.zero_tangent();
        assign(&mut tangent, floats);
        tangent
    }
}

impl<T: Differentiable> Point for [T] {
    type View = [T];
    type Scalar = T::Scalar;
    type Gradient = Vec<T>;

    #[inline]
    fn __point(&self) -> &[T] {
        self
    }

    #[inline]
    fn __zero(&self) -> Vec<T> {
        T::__zeros(self)
    }

    #[inline]
    fn __tangent(&self, floats: &[T]) -> Vec<T> {
        let mut tangent = T::__zeros(self);
        tangent.iter_mut().zip(floats).for_each(|(part, floats)| assign(part, floats));
        tangent
    }
}

/// What a function takes by reference, as a pointer and a number of elements.
#[doc(hidden)]
pub trait View: Describe {
    /// What the pointer points to.
    type Item;

    /// Pointer and number of elements.
    fn __parts(&self) -> (*const Self::Item, usize);

    /// The pointer for writing.
    fn __start(&mut self) -> *mut Self::Item;

    /// The other way round.
    ///
    /// # Safety
    ///
    /// The elements must be valid to read for the lifetime of the reference.
    unsafe fn __of_parts<'a>(start: *const Self::Item, n: usize) -> &'a Self;

    /// The same for writing.
    ///
    /// # Safety
    ///
    /// The elements must be the reference's alone for its lifetime.
    unsafe fn __of_parts_mut<'a>(start: *mut Self::Item, n: usize) -> &'a mut Self;
}

impl<X: Differentiable> View for X {
    type Item = X;

    #[inline]
    fn __parts(&self) -> (*const X, usize) {
        (self, 1)
    }

    #[inline]
    fn __start(&mut self) -> *mut X {
        self
    }

    #[inline]
    unsafe fn __of_parts<'a>(start: *const X, _: usize) -> &'a X {
        // SAFETY: the caller's promise.
        unsafe { shared(start) }
    }

    #[inline]
    unsafe fn __of_parts_mut<'a>(start: *mut X, _: usize) -> &'a mut X {
        // SAFETY: the caller's promise.
        unsafe { exclusive(start) }
    }
}

impl<T: Differentiable> View for [T] {
    type Item = T;

    #[inline]
    fn __parts(&self) -> (*const T, usize) {
        (self.as_ptr(), self.len())
    }

    #[inline]
    fn __start(&mut self) -> *mut T {
        self.as_mut_ptr()
    }

    #[inline]
    unsafe fn __of_parts<'a>(start: *const T, n: usize) -> &'a [T] {
        // SAFETY: the caller's promise.
        unsafe { shared(ptr::slice_from_raw_parts(start, n)) }
    }

    #[inline]
    unsafe fn __of_parts_mut<'a>(start: *mut T, n: usize) -> &'a mut [T] {
        // SAFETY: the caller's promise.
        unsafe { exclusive(ptr::slice_from_raw_parts_mut(start, n)) }
    }
}

/// A reference. In debug builds a dereference is checked, and checks are no part of a function that is
/// differentiated.
///
/// # Safety
///
/// That of a dereference.
#[inline]
#[expect(clippy::transmute_ptr_to_ref, reason = "see above")]
unsafe fn shared<'a, T: ?Sized>(pointer: *const T) -> &'a T {
    // SAFETY: the caller's promise.
    unsafe { transmute::<*const T, &'a T>(pointer) }
}

/// The same for writing.
///
/// # Safety
///
/// That of a dereference.
#[inline]
#[expect(clippy::transmute_ptr_to_ref, reason = "see above")]
unsafe fn exclusive<'a, T: ?Sized>(pointer: *mut T) -> &'a mut T {
    // SAFETY: the caller's promise.
    unsafe { transmute::<*mut T, &'a mut T>(pointer) }
}
