//! Where a kernel runs: thread, block and grid.

use std::marker::PhantomData;

use super::device::{
    __autodiff_gpu_block_index, __autodiff_gpu_block_size, __autodiff_gpu_dynamic_shared,
    __autodiff_gpu_grid_size, __autodiff_gpu_sync_threads, __autodiff_gpu_thread_index,
};
use super::shared::{Anchor, Plain, RawShared, Shared};

/// Where a kernel runs, as a parameter of the kernel.
///
/// A launch gives it by itself: it is none of the `args`. A kernel that takes it knows its place without asking the
/// device, which makes loops over the threads of a block faster on the CPU. The functions of this module
/// ([`thread_index`] and so on) say the same to kernels and functions that do not have one.
///
/// Indices and sizes are `[x, y, z]`.
#[derive(Debug, Clone, Copy)]
pub struct Thread<'k> {
    pub(crate) index: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) block_size: [u32; 3],
    pub(crate) grid_size: [u32; 3],
    pub(crate) dynamic_bytes: u32,
    /// It and what it gives must not outlive the kernel.
    pub(crate) kernel: PhantomData<&'k ()>,
}

impl<'k> Thread<'k> {
    /// The thread that asks.
    #[inline]
    pub(crate) fn on_device(dynamic_bytes: u32) -> Self {
        Self {
            index: thread_index(),
            block: block_index(),
            block_size: block_size(),
            grid_size: grid_size(),
            dynamic_bytes,
            kernel: PhantomData,
        }
    }

    /// Place of the thread in its block.
    #[inline]
    pub fn index(&self) -> [u32; 3] {
        self.index
    }

    /// Place of the block in the grid.
    #[inline]
    pub fn block(&self) -> [u32; 3] {
        self.block
    }

    /// Threads of a block.
    #[inline]
    pub fn block_size(&self) -> [u32; 3] {
        self.block_size
    }

    /// Blocks of the grid.
    #[inline]
    pub fn grid_size(&self) -> [u32; 3] {
        self.grid_size
    }

    /// Place of the thread among all threads of the grid.
    #[inline]
    pub fn global(&self) -> [usize; 3] {
        global(self.index, self.block, self.block_size)
    }

    /// Number of the thread in its block: x runs first, then y, then z.
    #[inline]
    pub fn linear(&self) -> usize {
        let [x, y, z] = self.index.map(|index| index as usize);
        let [width, height, _] = self.block_size.map(|size| size as usize);
        (z * height + y) * width + x
    }

    /// Waits for the other threads of the block, as [`sync_threads`] does.
    #[inline]
    pub fn sync(&self) {
        sync_threads();
    }

    /// The launch-sized memory of the block: `dyn_cache` bytes.
    ///
    /// Each call returns the same memory.
    #[inline]
    pub fn dynamic_shared<T: Plain>(&self) -> Shared<'k, T> {
        let len = self.dynamic_bytes as usize / size_of::<T>();
        // SAFETY: the memory is as large as the launch says, aligned to 16, and lives as long as the block.
        let memory = unsafe { RawShared::new(__autodiff_gpu_dynamic_shared().cast(), len) };
        Shared { __memory: memory, __block: Anchor::ELSEWHERE }
    }
}

#[inline]
fn global(thread: [u32; 3], block: [u32; 3], block_size: [u32; 3]) -> [usize; 3] {
    let axis = |i: usize| block[i] as usize * block_size[i] as usize + thread[i] as usize;
    [axis(0), axis(1), axis(2)]
}

/// Place `[x, y, z]` of the thread in its block.
///
/// Outside of kernels, this and the other indices and sizes are zero.
#[inline]
pub fn thread_index() -> [u32; 3] {
    [__autodiff_gpu_thread_index(0), __autodiff_gpu_thread_index(1), __autodiff_gpu_thread_index(2)]
}

/// Place `[x, y, z]` of the block in the grid.
#[inline]
pub fn block_index() -> [u32; 3] {
    [__autodiff_gpu_block_index(0), __autodiff_gpu_block_index(1), __autodiff_gpu_block_index(2)]
}

/// Threads of a block, in `[x, y, z]`.
#[inline]
pub fn block_size() -> [u32; 3] {
    [__autodiff_gpu_block_size(0), __autodiff_gpu_block_size(1), __autodiff_gpu_block_size(2)]
}

/// Blocks of the grid, in `[x, y, z]`.
#[inline]
pub fn grid_size() -> [u32; 3] {
    [__autodiff_gpu_grid_size(0), __autodiff_gpu_grid_size(1), __autodiff_gpu_grid_size(2)]
}

/// Place `[x, y, z]` of the thread among all threads of the grid.
#[inline]
pub fn global_index() -> [usize; 3] {
    global(thread_index(), block_index(), block_size())
}

/// Waits until all threads of the block are here, and what each has written before is visible to all.
///
/// All threads of a block must call it, at the same place. On the CPU, a launch where some have come to their end
/// while others wait is an error; on a GPU it is not noticed.
///
/// # Panics
///
/// Outside of a kernel.
#[inline]
pub fn sync_threads() {
    __autodiff_gpu_sync_threads();
}
