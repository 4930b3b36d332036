//! Values that have tangents: what functions can be differentiated with respect to, and what they
//! can return.

#[macro_use]
mod macros;

#[cfg(feature = "num-complex")]
mod complex;
#[cfg(feature = "glam")]
mod glam;
#[cfg(feature = "nalgebra")]
mod nalgebra;
#[cfg(feature = "ndarray")]
mod ndarray;
mod standard;

use crate::describe::Describe;
use crate::point::View;
use crate::scalar::Scalar;
use crate::shape::{ShapeError, expect_shape};

/// A value made of floating-point numbers and things that stay as they are.
///
/// The tangent or gradient of a value is a value of the same type and shape: its floats are the
/// derivatives, everything else (integers, `bool`s, texts, keys of maps) is carried along from the
/// value itself.
///
/// Implemented by [`#[derive(Differentiable)]`](derive@crate::Differentiable) for structs, tuple structs and
/// enums, and here for
///
/// | type | floats |
/// | --- | --- |
/// | `f32`, `f64` | itself |
/// | integers, `bool`, `char`, `()`, `String`, `&str`, `PhantomData` | none |
/// | `[T; N]`, `Vec<T>`, `Box<T>`, `Box<[T]>`, `Option<T>`, tuples | those inside, in order |
/// | `BTreeMap<K, V>` | those of its values, in the order of the keys |
///
/// and, with the feature of the same name, for the vectors and matrices of `nalgebra`, `ndarray`,
/// `num-complex` and `glam`.
///
/// It is not meant to be implemented by hand: the memory of a tangent must be laid out like that of
/// its value.
///
/// # Examples
///
/// Any optimiser can drive any parameters, through a slice or directly:
///
/// ```
/// use autodiff::Differentiable;
///
/// #[derive(Differentiable, Debug, PartialEq)]
/// struct Model {
///     name: &'static str,
///     weights: Vec<f64>,
///     bias: Option<f64>,
/// }
///
/// let mut model = Model { name: "line", weights: vec![1.0, 2.0], bias: Some(3.0) };
/// assert_eq!(model.flatten(), [1.0, 2.0, 3.0]);
/// let gradient = model.unflatten(&[10.0, 20.0, 30.0]);
/// model.axpy(-0.1, &gradient);
/// assert_eq!(model, Model { name: "line", weights: vec![0.0, 0.0], bias: Some(0.0) });
/// assert_eq!(gradient.norm(), 1400f64.sqrt());
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no tangents",
    label = "not a floating-point number, nor known to consist of such",
    note = "types of your own derive it: `#[derive(autodiff::Differentiable)]`",
    note = "what else a function needs, its closure may capture; a `&[T]` is passed as `x`, not `&x`"
)]
pub trait Differentiable: Describe + Sized {
    /// What functions take by reference: `[T]` for `Vec<T>`, otherwise the type itself.
    type View: View + ?Sized;
    /// The float it is made of: the wider one, if it has both `f32` and `f64`.
    type Scalar: Scalar;

    /// The wider of `S` and of the floats inside.
    #[doc(hidden)]
    type __Wider<S: Scalar>: Scalar;

    /// Whether a tangent must be made from the value itself, as the memory of values that look the
    /// same may be laid out differently.
    #[doc(hidden)]
    const __FRESH: bool = false;

    /// The zero tangent: the same shape, all floats zero, everything else as here.
    #[must_use]
    fn zero_tangent(&self) -> Self;

    /// The value as functions take it.
    #[doc(hidden)]
    fn __view(&self) -> &Self::View;

    /// The same for writing.
    #[doc(hidden)]
    fn __view_mut(&mut self) -> &mut Self::View;

    /// Visits the floats of two values of the same shape, in order.
    #[doc(hidden)]
    fn __pairs(&self, other: &Self, visit: &mut impl FnMut(f64, f64));

    /// Replaces the floats, in order.
    #[doc(hidden)]
    fn __update(&mut self, new: &mut impl FnMut(f64) -> f64);

    /// Replaces the floats, in order, with regard to those of a value of the same shape.
    #[doc(hidden)]
    fn __update_with(&mut self, other: &Self, new: &mut impl FnMut(f64, f64) -> f64);

    /// The zero tangent of some values.
    #[doc(hidden)]
    fn __zeros(values: &[Self]) -> Vec<Self> {
        values.iter().map(Self::zero_tangent).collect()
    }

    /// How many floats there are.
    fn dimension(&self) -> usize {
        let mut count = 0;
        self.__pairs(self, &mut |_, _| count += 1);
        count
    }

    /// Fails unless `other` has the shape of this value.
    ///
    /// # Errors
    ///
    /// Says what differs: the length of a vector, the variant of an enum, the keys of a map or the
    /// dimensions of a matrix.
    fn check_shape(&self, other: &Self) -> Result<(), ShapeError> {
        ShapeError::check("other value", if Self::SHAPED { self.difference(other) } else { None })
    }

    /// Adds `a` times `x`, as gradient descent does with the gradient and a negative `a`.
    ///
    /// # Panics
    ///
    /// If `x` has another shape; see [`check_shape`](Self::check_shape).
    #[track_caller]
    fn axpy(&mut self, a: Self::Scalar, x: &Self) {
        expect_shape("axpy", self.check_shape(x));
        let a = a.__wide();
        self.__update_with(x, &mut |y, x| y + a * x);
    }

    /// The sum of the products of all floats with those of `other`.
    ///
    /// # Panics
    ///
    /// If `other` has another shape; see [`check_shape`](Self::check_shape).
    #[track_caller]
    fn inner(&self, other: &Self) -> Self::Scalar {
        expect_shape("inner", self.check_shape(other));
        let mut sum = 0.0;
        self.__pairs(other, &mut |x, y| sum += x * y);
        Self::Scalar::__nearest(sum)
    }

    /// The Euclidean norm of all floats.
    fn norm(&self) -> Self::Scalar {
        let mut sum = 0.0;
        self.__pairs(self, &mut |x, _| sum += x * x);
        Self::Scalar::__nearest(sum.sqrt())
    }

    /// All floats in order, [`dimension`](Self::dimension) of them.
    #[must_use]
    fn flatten(&self) -> Vec<Self::Scalar> {
        let mut flat = Vec::new();
        self.__pairs(self, &mut |x, _| flat.push(Self::Scalar::__nearest(x)));
        flat
    }

    /// Writes all floats to a slice, in order.
    ///
    /// # Panics
    ///
    /// If the slice has another length than [`dimension`](Self::dimension).
    #[track_caller]
    fn flatten_into(&self, flat: &mut [Self::Scalar]) {
        let fits = ShapeError::check_length("slice", self.dimension(), flat.len());
        expect_shape("flatten_into", fits);
        let mut places = flat.iter_mut();
        self.__pairs(self, &mut |x, _| {
            if let Some(place) = places.next() {
                *place = Self::Scalar::__nearest(x);
            }
        });
    }

    /// A value of this shape with the floats of a slice, which are in the order of
    /// [`flatten`](Self::flatten).
    ///
    /// # Panics
    ///
    /// If the slice has another length than [`dimension`](Self::dimension).
    #[must_use]
    #[track_caller]
    fn unflatten(&self, flat: &[Self::Scalar]) -> Self {
        expect_shape("unflatten", self.try_unflatten(flat))
    }

    /// The same, or an error.
    ///
    /// # Errors
    ///
    /// If the slice has another length than [`dimension`](Self::dimension).
    fn try_unflatten(&self, flat: &[Self::Scalar]) -> Result<Self, ShapeError> {
        let mut value = self.zero_tangent();
        value.try_unflatten_from(flat).map(|()| value)
    }

    /// Replaces all floats by those of a slice, in the order of [`flatten`](Self::flatten).
    ///
    /// # Panics
    ///
    /// If the slice has another length than [`dimension`](Self::dimension).
    #[track_caller]
    fn unflatten_from(&mut self, flat: &[Self::Scalar]) {
        expect_shape("unflatten_from", self.try_unflatten_from(flat));
    }

    /// The same, or an error, and nothing is replaced.
    ///
    /// # Errors
    ///
    /// If the slice has another length than [`dimension`](Self::dimension).
    fn try_unflatten_from(&mut self, flat: &[Self::Scalar]) -> Result<(), ShapeError> {
        ShapeError::check_length("slice", self.dimension(), flat.len())?;
        let mut numbers = flat.iter();
        self.__update(&mut |old| numbers.next().map_or(old, |new| new.__wide()));
        Ok(())
    }
}

/// Sets all floats to zero.
#[inline]
pub(crate) fn clear<T: Differentiable>(value: &mut T) {
    value.__update(&mut |_| 0.0);
}

/// Takes over the floats of a value of the same shape.
#[inline]
pub(crate) fn assign<T: Differentiable>(value: &mut T, other: &T) {
    value.__update_with(other, &mut |_, new| new);
}

/// [`Differentiable`] as a bound of an implementation that is written for any field: one of a bound
/// lifetime is allowed not to hold.
pub trait Part<'a>: Differentiable {}
impl<T: Differentiable> Part<'_> for T {}
