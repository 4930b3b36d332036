//! What device code asks the device. The tool replaces these functions where it compiles a kernel for a GPU; here
//! is what they do on the CPU. Nothing else is replaced, so their names and types are a format.

use super::cpu;

/// Defines a function of an axis.
macro_rules! indices {
    ($($(#[$doc:meta])* $name:ident = $field:ident;)*) => {
        $(
            $(#[$doc])*
            #[inline(never)]
            #[unsafe(no_mangle)]
            pub extern "C" fn $name(axis: u32) -> u32 {
                cpu::current().map_or(0, |thread| thread.$field[axis as usize % 3])
            }
        )*
    };
}

indices! {
    /// Place of the thread in its block.
    __autodiff_gpu_thread_index = index;
    /// Place of the block in the grid.
    __autodiff_gpu_block_index = block;
    /// Threads of a block.
    __autodiff_gpu_block_size = block_size;
    /// Blocks of the grid.
    __autodiff_gpu_grid_size = grid_size;
}

/// Waits for the other threads of the block.
#[inline(never)]
#[unsafe(no_mangle)]
pub extern "C-unwind" fn __autodiff_gpu_sync_threads() {
    cpu::sync_threads();
}

/// Memory that the threads of a block share: one piece for each `key`.
#[inline(never)]
#[unsafe(no_mangle)]
pub extern "C-unwind" fn __autodiff_gpu_shared(key: *const u8, size: usize, align: usize) -> *mut u8 {
    cpu::shared(key, size, align)
}

/// Memory that the threads of a block share, as large as the launch says.
#[inline(never)]
#[unsafe(no_mangle)]
pub extern "C-unwind" fn __autodiff_gpu_dynamic_shared() -> *mut u8 {
    cpu::dynamic_shared()
}

/// Defines an addition to a float that other threads may add to at the same time.
macro_rules! additions {
    ($($name:ident: $float:ty, $atomic:ty;)*) => {
        $(
            /// Adds to a number that other threads may add to at the same time; returns what it was.
            ///
            /// # Safety
            ///
            /// The address must be that of a number which, while others use it, is only used like this.
            #[inline(never)]
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $name(address: *mut $float, value: $float) -> $float {
                use std::sync::atomic::Ordering::Relaxed;
                // SAFETY: the caller's.
                let bits = unsafe { <$atomic>::from_ptr(address.cast()) };
                let add = |old| Some((<$float>::from_bits(old) + value).to_bits());
                let (Ok(old) | Err(old)) = bits.fetch_update(Relaxed, Relaxed, add);
                <$float>::from_bits(old)
            }
        )*
    };
}

additions! {
    __autodiff_gpu_atomic_add_f32: f32, std::sync::atomic::AtomicU32;
    __autodiff_gpu_atomic_add_f64: f64, std::sync::atomic::AtomicU64;
}
