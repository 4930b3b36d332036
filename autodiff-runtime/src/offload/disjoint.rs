//! Slices that kernels write to, each thread in its own part.

use std::marker::PhantomData;
use std::sync::Arc;

use super::argument::KernelElement;
use super::buffer::{Buffer, Memory};
use super::slice::RawSlice;
use super::strategy::{Cells, GridStride, Linear, Rows, Strategy, Tiles};
use super::thread::Thread;

/// A slice that a kernel writes to, as its parameter: each thread gets a part of its own.
///
/// The [`Strategy`] says which; it is checked against the launch that each part has a thread. A launch takes
/// `&mut [T]`, `&mut Vec<T>`, `&mut [T; N]` or `&mut Buffer<T>` for it where the strategy has no sizes ([`Linear`]
/// and [`GridStride`]), and a [`Partition`] for any.
///
/// ```
/// use autodiff::offload::{Cells, Disjoint, offload, offload_kernel};
///
/// #[offload_kernel]
/// fn gradient(field: Disjoint<'_, u32, Cells>) {
///     if let Some(([x, y], cell)) = field.part() {
///         *cell = (10 * y + x) as u32;
///     }
/// }
///
/// let mut field = [0; 6];
/// let cells = Cells::new(3, 2).of(&mut field);
/// offload! { kernel = gradient, args = (cells,), thread_dim = [4, 2, 1] }?;
/// assert_eq!(field, [0, 1, 2, 10, 11, 12]);
/// # Ok::<(), autodiff::offload::LaunchError>(())
/// ```
#[derive(Debug)]
pub struct Disjoint<'k, T, S = Linear> {
    raw: RawSlice<T>,
    strategy: S,
    thread: Thread<'k>,
    _slice: PhantomData<&'k mut [T]>,
}

impl<'k, T, S: Strategy> Disjoint<'k, T, S> {
    /// The part of this thread.
    #[inline]
    pub fn part(self) -> S::Part<'k, T> {
        // SAFETY: the launch has been checked, and each thread gets a `Disjoint` once, which is used up here.
        unsafe { self.strategy.part(self.raw.first, self.raw.len, &self.thread) }
    }

    /// Elements of the whole slice.
    #[inline]
    pub fn len(&self) -> usize {
        self.raw.len
    }

    /// Whether the whole slice is empty.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.raw.len == 0
    }

    /// Where this thread is.
    #[inline]
    pub fn thread(&self) -> Thread<'k> {
        self.thread
    }
}

/// A slice and how to divide it: what a launch takes for a kernel's [`Disjoint`].
///
/// Made by the strategy: `Rows::new(width).of(&mut field)`.
#[derive(Debug)]
pub struct Partition<'a, T, S> {
    pub(crate) raw: RawDisjoint<T, S>,
    pub(crate) memory: Option<Arc<Memory>>,
    _slice: PhantomData<&'a mut [T]>,
}

/// Slice and strategy, as they travel.
#[repr(C)]
#[derive(Debug)]
pub struct RawDisjoint<T, S> {
    pub(crate) slice: RawSlice<T>,
    pub(crate) strategy: S,
}

impl<T, S: Copy> Clone for RawDisjoint<T, S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, S: Copy> Copy for RawDisjoint<T, S> {}

impl<T, S: Strategy> RawDisjoint<T, S> {
    /// The argument of one thread of a kernel.
    ///
    /// # Safety
    ///
    /// It must be that of a launch that was checked, and whose memory has been put in place; once for each thread.
    #[inline]
    pub unsafe fn open(self, thread: Thread<'_>) -> Disjoint<'_, T, S> {
        Disjoint { raw: self.slice, strategy: self.strategy, thread, _slice: PhantomData }
    }
}

/// Memory that can be divided: `&mut [T]`, `&mut Vec<T>`, `&mut [T; N]` and `&mut Buffer<T>`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be divided among the threads of a kernel",
    label = "expected `&mut [{T}]`, `&mut Vec<{T}>`, `&mut [{T}; N]` or `&mut Buffer<{T}>`"
)]
pub trait Divisible<'a, T> {
    /// Divides it.
    fn divide<S: Strategy>(self, strategy: S) -> Partition<'a, T, S>;
}

impl<'a, T: KernelElement> Divisible<'a, T> for &'a mut [T] {
    fn divide<S: Strategy>(self, strategy: S) -> Partition<'a, T, S> {
        let slice = RawSlice { first: self.as_mut_ptr(), len: self.len() };
        Partition { raw: RawDisjoint { slice, strategy }, memory: None, _slice: PhantomData }
    }
}

impl<'a, T: KernelElement> Divisible<'a, T> for &'a mut Vec<T> {
    fn divide<S: Strategy>(self, strategy: S) -> Partition<'a, T, S> {
        self.as_mut_slice().divide(strategy)
    }
}

impl<'a, T: KernelElement, const N: usize> Divisible<'a, T> for &'a mut [T; N] {
    fn divide<S: Strategy>(self, strategy: S) -> Partition<'a, T, S> {
        self.as_mut_slice().divide(strategy)
    }
}

impl<'a, T: KernelElement> Divisible<'a, T> for &mut Buffer<T> {
    fn divide<S: Strategy>(self, strategy: S) -> Partition<'a, T, S> {
        let raw = RawDisjoint { slice: self.raw(), strategy };
        Partition { raw, memory: Some(self.memory()), _slice: PhantomData }
    }
}

/// What can be passed for a kernel's [`Disjoint`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be passed for a kernel's `Disjoint<'_, {T}, {S}>`",
    label = "expected a `Partition`, or `&mut [{T}]` where the strategy has no sizes",
    note = "a strategy makes a `Partition`: `Cells::new(width, height).of(&mut field)`"
)]
pub trait IntoDisjoint<'a, T, S> {
    /// The slice and how to divide it.
    fn into_disjoint(self) -> Partition<'a, T, S>;
}

impl<'a, T, S> IntoDisjoint<'a, T, S> for Partition<'a, T, S> {
    fn into_disjoint(self) -> Self {
        self
    }
}

impl<'a, T: KernelElement, S: Strategy + Default> IntoDisjoint<'a, T, S> for &'a mut [T] {
    fn into_disjoint(self) -> Partition<'a, T, S> {
        self.divide(S::default())
    }
}

impl<'a, T: KernelElement, S: Strategy + Default> IntoDisjoint<'a, T, S> for &'a mut Vec<T> {
    fn into_disjoint(self) -> Partition<'a, T, S> {
        self.divide(S::default())
    }
}

impl<'a, T: KernelElement, S: Strategy + Default, const N: usize> IntoDisjoint<'a, T, S> for &'a mut [T; N] {
    fn into_disjoint(self) -> Partition<'a, T, S> {
        self.divide(S::default())
    }
}

impl<'a, T: KernelElement, S: Strategy + Default> IntoDisjoint<'a, T, S> for &mut Buffer<T> {
    fn into_disjoint(self) -> Partition<'a, T, S> {
        self.divide(S::default())
    }
}

macro_rules! of {
    ($($strategy:ty)*) => { $(
        impl $strategy {
            /// Divides a slice, vector, array or buffer in this way.
            pub fn of<'a, T, M: Divisible<'a, T>>(self, memory: M) -> Partition<'a, T, Self> {
                memory.divide(self)
            }
        }
    )* };
}

of!(Linear GridStride Rows Cells Tiles);
