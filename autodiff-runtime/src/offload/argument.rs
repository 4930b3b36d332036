//! What can travel to a kernel by value, and what slices can hold.

use std::sync::atomic::{AtomicI32, AtomicI64, AtomicIsize, AtomicU32, AtomicU64, AtomicUsize};

/// Values that travel to a kernel as they are, bit by bit: numbers, `bool`, `char`, arrays and tuples of them, and
/// structs that derive it.
///
/// ```
/// use autodiff::offload::KernelArgument;
///
/// #[derive(Clone, Copy, KernelArgument)]
/// struct Body {
///     position: [f32; 3],
///     mass: f32,
/// }
/// ```
///
/// # Safety
///
/// The value must mean the same on another device: no pointer, no reference, nothing that stands for something
/// of this process.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be passed to a kernel by value",
    label = "not a value that another device understands",
    note = "numbers, arrays and tuples of them can; so can your own `Copy` structs with `#[derive(KernelArgument)]`, and slices as `&[T]` or `Disjoint<'_, T>`"
)]
pub unsafe trait KernelArgument: Copy + Send + Sync + 'static {}

/// What a slice that a kernel gets can hold: what implements [`KernelArgument`], and atomic numbers.
///
/// # Safety
///
/// As for [`KernelArgument`]. `SHARED` must be true if the value can change behind a `&`.
#[diagnostic::on_unimplemented(
    message = "a kernel cannot take a slice of `{Self}`",
    label = "not something that another device understands",
    note = "slices of numbers, of atomic numbers, and of your own `Copy` structs with `#[derive(KernelArgument)]` can be passed"
)]
pub unsafe trait KernelElement: Send + Sync + 'static {
    /// Whether a kernel may change it through a `&[Self]`, so that it is copied back.
    const SHARED: bool;
}

// SAFETY: values without pointers that cannot change behind a `&`.
unsafe impl<T: KernelArgument> KernelElement for T {
    const SHARED: bool = false;
}

macro_rules! values {
    ($($ty:ty)*) => { $(
        // SAFETY: its bits mean the same everywhere.
        unsafe impl KernelArgument for $ty {}
    )* };
}

values!(f32 f64 i8 i16 i32 i64 isize u8 u16 u32 u64 usize bool char);

macro_rules! atomics {
    ($($ty:ty)*) => { $(
        // SAFETY: a number that can change behind a `&`.
        unsafe impl KernelElement for $ty {
            const SHARED: bool = true;
        }
    )* };
}

atomics!(AtomicI32 AtomicI64 AtomicIsize AtomicU32 AtomicU64 AtomicUsize);
atomics!(super::AtomicF32 super::AtomicF64);

// SAFETY: values without pointers, and nothing else.
unsafe impl<T: KernelArgument, const N: usize> KernelArgument for [T; N] {}

macro_rules! tuples {
    ($($name:ident)*; $($rest:ident)*) => {
        // SAFETY: values without pointers, and nothing else.
        unsafe impl<$($name: KernelArgument),*> KernelArgument for ($($name,)*) {}
        tuples!(@step $($name)*; $($rest)*);
    };
    (@step $($name:ident)*; $next:ident $($rest:ident)*) => {
        tuples!($($name)* $next; $($rest)*);
    };
    (@step $($name:ident)*;) => {};
}

tuples!(A; B C D E F G H);

/// Fails to compile unless the value may travel: what the derive macro asks of each field.
pub const fn assert_argument<T: KernelArgument>() {}
