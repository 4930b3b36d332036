//! Memory that the threads of a block share.

use super::device::__autodiff_gpu_shared;

/// Numbers of which any bits are a value, and which are read and written in one go.
///
/// # Safety
///
/// As it says.
pub unsafe trait Plain: Copy + Send + Sync + 'static {}

macro_rules! plain {
    ($($ty:ty)*) => { $(
        // SAFETY: a number.
        unsafe impl Plain for $ty {}
    )* };
}

plain!(f32 f64 i8 i16 i32 i64 isize u8 u16 u32 u64 usize);

/// Memory that the threads of a block share: `shared!([f32; 256])` is a `Shared<f32>` of 256 numbers, and
/// [`Thread::dynamic_shared`](super::Thread::dynamic_shared) is as long as the launch says.
///
/// Each place of `shared!` in the source has its own memory; in a loop it is always the same.
///
/// At first it holds arbitrary numbers. What one thread writes, others may read after the next
/// [`sync_threads`](super::sync_threads). If one writes to a place that another uses without a barrier in between,
/// they find an arbitrary number there.
///
/// ```
/// use autodiff::offload::{Disjoint, Thread, offload, offload_kernel, shared};
///
/// /// Each block turns its part of the numbers round.
/// #[offload_kernel]
/// fn reverse(thread: Thread, x: &[f32], y: Disjoint<'_, f32>) {
///     let tile = shared!([f32; 4]);
///     let [i, _, _] = thread.index();
///     tile.set(i as usize, x[thread.global()[0]]);
///     thread.sync();
///     if let Some((_, y)) = y.part() {
///         *y = tile.get(3 - i as usize);
///     }
/// }
///
/// let x: Vec<f32> = (0..8).map(|i| i as f32).collect();
/// let mut y = vec![0.0; 8];
/// offload! { kernel = reverse, args = (&x, &mut y), workgroup_dim = [2, 1, 1], thread_dim = [4, 1, 1] }?;
/// assert_eq!(y, [3.0, 2.0, 1.0, 0.0, 7.0, 6.0, 5.0, 4.0]);
/// # Ok::<(), autodiff::offload::LaunchError>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Shared<'k, T> {
    #[doc(hidden)]
    pub __memory: RawShared<T>,
    /// It must not outlive the kernel.
    #[doc(hidden)]
    pub __block: &'k Anchor,
}

/// The memory as such.
#[derive(Debug, Clone, Copy)]
pub struct RawShared<T> {
    first: *mut T,
    len: usize,
}

impl<T: Plain> RawShared<T> {
    /// # Safety
    ///
    /// Memory of `len` numbers. A [`Shared`] that is made of it must not outlive the block.
    #[inline]
    pub(crate) unsafe fn new(first: *mut T, len: usize) -> Self {
        Self { first, len }
    }
}

/// Something that lives as long as the kernel that made it.
#[derive(Debug)]
pub struct Anchor(());

impl Anchor {
    /// For memory whose lifetime comes from elsewhere.
    pub(crate) const ELSEWHERE: &Self = &Self(());

    #[allow(clippy::new_without_default, reason = "generated code calls it")]
    /// One. This is no `const fn`, or a reference to it would live for ever.
    #[inline]
    pub fn new() -> Self {
        Self(())
    }
}

impl<T: Plain> Shared<'_, T> {
    /// How many numbers there are.
    #[inline]
    pub fn len(&self) -> usize {
        self.__memory.len
    }

    /// Whether there are none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.__memory.len == 0
    }

    /// Reads a number.
    ///
    /// # Panics
    ///
    /// If there are not so many.
    #[inline]
    pub fn get(&self, index: usize) -> T {
        self.check(index);
        // SAFETY: within the memory. It is volatile because others may write to it between two reads of one place;
        // then any bits are a value.
        unsafe { self.__memory.first.add(index).read_volatile() }
    }

    /// Writes a number.
    ///
    /// # Panics
    ///
    /// If there are not so many.
    #[inline]
    pub fn set(&self, index: usize, value: T) {
        self.check(index);
        // SAFETY: as in `get`.
        unsafe { self.__memory.first.add(index).write_volatile(value) }
    }

    /// The memory itself, for atomic operations and for `unsafe` code.
    #[inline]
    pub fn as_ptr(&self) -> *mut T {
        self.__memory.first
    }

    #[inline]
    fn check(&self, index: usize) {
        assert!(index < self.__memory.len, "there is no such place in the shared memory");
    }
}

/// What `shared!` calls: the memory of `key` in this block.
///
/// # Safety
///
/// `key` must always come with the same type and length.
#[inline]
pub unsafe fn shared_array<T: Plain, const N: usize>(key: &'static u8) -> RawShared<T> {
    // SAFETY: memory of that size, for as long as the block runs.
    unsafe { RawShared::new(__autodiff_gpu_shared(key, size_of::<[T; N]>(), align_of::<T>()).cast(), N) }
}

/// Memory of a fixed size that the threads of a block share.
#[doc(hidden)]
#[macro_export]
macro_rules! __autodiff_shared {
    ([$ty:ty; $len:expr]) => {
        $crate::offload::Shared {
            __memory: {
                // Each place has a key of its own: one that can be written to is never merged with another.
                static KEY: $crate::offload::__private::Key = $crate::offload::__private::Key::new();
                // SAFETY: the key is used here alone, but for generic functions, where it comes with the size.
                #[allow(unused_unsafe)]
                unsafe {
                    $crate::offload::__private::shared_array::<$ty, { $len }>(KEY.address())
                }
            },
            // A reference written like this lives as long as the variable that the whole is put in.
            __block: &$crate::offload::__private::Anchor::new(),
        }
    };
}

/// Something with an address of its own.
#[derive(Debug)]
pub struct Key(std::sync::atomic::AtomicU8);

impl Key {
    #[allow(clippy::new_without_default, reason = "for a static")]
    /// One.
    pub const fn new() -> Self {
        Self(std::sync::atomic::AtomicU8::new(0))
    }

    /// Its address, as something that is never read.
    #[inline]
    pub const fn address(&'static self) -> &'static u8 {
        // SAFETY: nothing writes to it.
        unsafe { &*(&raw const self.0).cast::<u8>() }
    }
}
