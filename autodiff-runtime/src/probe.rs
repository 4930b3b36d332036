//! Descriptions of types that may have none.

use std::marker::PhantomData;
use std::ptr;

use crate::describe::Describe;
use crate::layout::Layout;
use crate::shape::{Difference, misfit};

/// Asks for the description of any type at all: `Probe::<T>::LAYOUT` is that of [`Describe`] when
/// `T` is known to have one where it is written, and otherwise, with [`NoLayout`] in scope, null.
/// So with the rest.
#[derive(Debug)]
pub struct Probe<T: ?Sized>(PhantomData<T>);

impl<T: Describe + ?Sized> Probe<T> {
    /// The layout of `T`.
    pub const LAYOUT: *const Layout = T::LAYOUT;
    /// Whether two values can differ in shape.
    pub const SHAPED: bool = T::SHAPED;
    /// Whether floats can be reached from a value.
    pub const FLOATS: bool = T::FLOATS;
    /// Whether floats can be reached through a shared reference.
    pub const SHARED: bool = T::SHARED;

    /// How the shape of a shadow differs from that of a value.
    #[inline]
    pub fn difference(primal: &T, shadow: &T) -> Option<Difference> {
        primal.difference(shadow)
    }

    /// Adds the addresses of the memory that a value owns.
    #[inline]
    pub fn owned(value: &T, addresses: &mut Vec<usize>) {
        value.owned(addresses);
    }

    /// Whether a value owns no memory but that at these addresses, which are sorted.
    #[inline]
    pub fn owns_only(value: &T, addresses: &[usize]) -> bool {
        value.owns_only(addresses)
    }

    /// Panics unless a shadow has the shape of its argument.
    ///
    /// # Panics
    ///
    /// As it says.
    #[track_caller]
    #[inline]
    pub fn check(function: &str, argument: &str, name: &str, primal: &T, shadow: &T) {
        if T::SHAPED
            && let Some(difference) = primal.difference(shadow)
        {
            misfit(function, argument, name, difference);
        }
    }
}

/// What [`Probe`] answers for types without a description: what is inherent wins over a trait.
pub trait NoLayout {
    /// The type asked about.
    type Subject: ?Sized;
    /// No layout.
    const LAYOUT: *const Layout = ptr::null();
    /// Nothing is known.
    const SHAPED: bool = false;
    /// Nothing is known.
    const FLOATS: bool = false;
    /// Nothing is known.
    const SHARED: bool = false;

    /// None that is known.
    #[inline]
    fn difference(_primal: &Self::Subject, _shadow: &Self::Subject) -> Option<Difference> {
        None
    }

    /// None that is known.
    #[inline]
    fn owned(_value: &Self::Subject, _addresses: &mut Vec<usize>) {}

    /// As far as is known.
    #[inline]
    fn owns_only(_value: &Self::Subject, _addresses: &[usize]) -> bool {
        true
    }

    /// Accepts any shadow.
    #[inline]
    fn check(_: &str, _: &str, _: &str, _primal: &Self::Subject, _shadow: &Self::Subject) {}
}

impl<T: ?Sized> NoLayout for Probe<T> {
    type Subject = T;
}
