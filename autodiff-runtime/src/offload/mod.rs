//! Kernels: functions that run in many threads at once, on a GPU or on the CPU.
//!
//! This module needs the feature `offload`. A kernel is a function with [`offload_kernel`]; [`offload!`] launches it:
//!
//! ```
//! use autodiff::offload::{Disjoint, offload, offload_kernel};
//!
//! #[offload_kernel]
//! fn saxpy(a: f32, x: &[f32], y: Disjoint<'_, f32>) {
//!     if let Some((i, y)) = y.part() {
//!         *y += a * x[i];
//!     }
//! }
//!
//! let x = vec![1.0; 1000];
//! let mut y = vec![2.0; 1000];
//! offload! {
//!     kernel = saxpy,
//!     args = (3.0, &x, &mut y),
//!     workgroup_dim = [4, 1, 1],
//!     thread_dim = [256, 1, 1],
//! }?;
//! assert_eq!(y, [5.0; 1000]);
//! # Ok::<(), autodiff::offload::LaunchError>(())
//! ```
//!
//! A launch runs the kernel once for each of its threads: `thread_dim` of them make a block, and `workgroup_dim` blocks
//! make the grid, both in x, y and z. The threads of a block can wait for each other ([`sync_threads`]) and share memory
//! (`shared!`, [`Thread::dynamic_shared`]: [`Shared`]); those of different blocks run in any order.
//!
//! | to | there is |
//! | --- | --- |
//! | know where a thread is | [`Thread`] as a parameter, [`thread_index`], [`block_index`], [`global_index`] .. |
//! | write results | [`Disjoint`], whose threads get parts of their own; atomic numbers in a `&[T]` |
//! | keep data on a device | [`Buffer`] |
//! | do something else meanwhile | [`Queue`] |
//! | choose a device | [`Device`], [`devices`], and the environment variable `AUTODIFF_DEVICE` |
//!
//! # Devices
//!
//! `cpu` is always there: blocks go to all its cores, and the threads of a block run one after the other, from barrier to
//! barrier. The feature `cuda` adds NVIDIA's devices, `cuda:0` and so on, by the driver that is installed; `liboffload`
//! adds `liboffload:0` and so on, by LLVM 22's offload library, if that is installed. Both are loaded when the program
//! runs. The code for GPUs is made by `cargo autodiff`; a program that plain `cargo` built runs its kernels on the CPU.
//!
//! # Errors
//!
//! A launch is a [`Result`]: shapes that do not fit the device or an argument, missing code, panics of a kernel, threads
//! that wait at a barrier for others that have ended, and failures of a driver are [`LaunchError`]s.
//!
//! On the CPU, panics of kernels are not printed: the first launch sets a panic hook that keeps them for the error, and
//! passes all others on to the hook before. A program with `panic = "abort"` ends where a kernel panics. Kernels have
//! stacks of 2 MiB there, and those with barriers 256 KiB.

mod argument;
mod atomic;
mod backend;
mod buffer;
mod cpu;
#[cfg(feature = "cuda")]
mod cuda;
mod device;
mod device_list;
mod disjoint;
mod entry;
mod error;
mod launch;
#[cfg(feature = "liboffload")]
mod liboffload;
mod queue;
mod record;
#[cfg(any(feature = "cuda", feature = "liboffload"))]
mod report;
mod shape;
mod shared;
mod slice;
mod staging;
mod strategy;
mod thread;

// Device code takes its sines and the like from there, so the tool must find it among the program's crates.
use libm as _;

pub use autodiff_macros::{KernelArgument, offload, offload_kernel};

pub use self::argument::{KernelArgument, KernelElement};
pub use self::atomic::{AtomicF32, AtomicF64, HasAtomic};
pub use self::buffer::Buffer;
pub use self::device_list::{Device, devices, missing_devices};
pub use self::disjoint::{Disjoint, Divisible, IntoDisjoint, Partition};
pub use self::error::LaunchError;
pub use self::launch::IntoDevice;
pub use self::queue::{Event, Queue};
pub use self::record::Place;
pub use self::shape::Shape;
pub use self::shared::{Plain, Shared};
pub use self::slice::{IntoShared, SharedSlice};
pub use self::staging::Prepared;
pub use self::strategy::{Cells, GridStride, Linear, Rows, Strategy, Strided, Tile, Tiles};
pub use self::thread::{
    Thread, block_index, block_size, global_index, grid_size, sync_threads, thread_index,
};
pub use crate::__autodiff_shared as shared;

/// What generated code and the tool rely on. Not public: it may change in any release.
#[doc(hidden)]
pub mod __private {
    pub use super::argument::assert_argument;
    pub use super::device::{
        __autodiff_gpu_atomic_add_f32, __autodiff_gpu_atomic_add_f64, __autodiff_gpu_block_index,
        __autodiff_gpu_block_size, __autodiff_gpu_dynamic_shared, __autodiff_gpu_grid_size,
        __autodiff_gpu_shared, __autodiff_gpu_sync_threads, __autodiff_gpu_thread_index,
    };
    pub use super::disjoint::RawDisjoint;
    pub use super::entry::PlaceOf;
    pub use super::entry::{Entry, Packed};
    pub use super::launch::{launch, launch_in};
    pub use super::shared::{Anchor, Key, RawShared, shared_array};
    pub use super::slice::RawSlice;
    pub use super::staging::{Prepared, Staging};
}
