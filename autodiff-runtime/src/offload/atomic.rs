//! Floats that many threads add to.

use std::cell::UnsafeCell;

use super::device::{__autodiff_gpu_atomic_add_f32, __autodiff_gpu_atomic_add_f64};
use super::shared::{Plain, Shared};

macro_rules! atomics {
    ($($(#[$doc:meta])* $name:ident: $float:ident, $bits:ty, $add:ident;)*) => { $(
        $(#[$doc])*
        #[derive(Debug, Default)]
        #[repr(transparent)]
        pub struct $name(UnsafeCell<$float>);

        // SAFETY: it is only changed by atomic operations.
        unsafe impl Sync for $name {}

        impl $name {
            /// A number.
            pub const fn new(value: $float) -> Self {
                Self(UnsafeCell::new(value))
            }

            /// A slice of numbers, as numbers that many threads may add to.
            #[inline]
            pub fn from_mut_slice(numbers: &mut [$float]) -> &[Self] {
                // SAFETY: the same layout, and nobody else has the numbers.
                unsafe { &*(&raw mut *numbers as *const [Self]) }
            }

            /// Adds `value`, and returns what was there before. Threads may do so at the same time: each is
            /// added, in an order that nobody knows, so that the last bits of a sum may differ from run to run.
            #[inline]
            pub fn fetch_add(&self, value: $float) -> $float {
                // SAFETY: a number that is only used like this.
                unsafe { $add(self.0.get(), value) }
            }

            /// The number.
            #[inline]
            pub fn load(&self) -> $float {
                // SAFETY: valid, and only used by atomic operations.
                let bits = unsafe { <$bits>::from_ptr(self.0.get().cast()) };
                $float::from_bits(bits.load(std::sync::atomic::Ordering::Relaxed))
            }

            /// The number, which nobody else has.
            #[inline]
            pub fn into_inner(self) -> $float {
                self.0.into_inner()
            }
        }
    )* };
}

atomics! {
    /// An `f32` that many threads add to.
    AtomicF32: f32, std::sync::atomic::AtomicU32, __autodiff_gpu_atomic_add_f32;
    /// An `f64` that many threads add to.
    AtomicF64: f64, std::sync::atomic::AtomicU64, __autodiff_gpu_atomic_add_f64;
}

/// Numbers with an atomic form.
///
/// # Safety
///
/// The atomic form has the same size, alignment and bits.
pub unsafe trait HasAtomic: Plain {
    /// The atomic form.
    type Atomic: 'static;
}

macro_rules! atomic_forms {
    ($($ty:ty: $atomic:ty;)*) => { $(
        // SAFETY: they are made for it.
        unsafe impl HasAtomic for $ty {
            type Atomic = $atomic;
        }
    )* };
}

atomic_forms! {
    f32: AtomicF32;
    f64: AtomicF64;
    i32: std::sync::atomic::AtomicI32;
    u32: std::sync::atomic::AtomicU32;
    i64: std::sync::atomic::AtomicI64;
    u64: std::sync::atomic::AtomicU64;
}

impl<T: HasAtomic> Shared<'_, T> {
    /// A number that the threads of the block change together.
    ///
    /// # Panics
    ///
    /// If there are not so many.
    #[inline]
    pub fn atomic(&self, index: usize) -> &T::Atomic {
        assert!(index < self.len(), "there is no such place in the shared memory");
        // SAFETY: within the memory, which lives as long as the block, and so as long as `self`.
        unsafe { &*self.as_ptr().add(index).cast::<T::Atomic>() }
    }
}
