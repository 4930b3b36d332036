//! Kernels: functions that run in many threads at once, on a GPU or on the CPU.
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
mod queue;
mod record;
mod shape;
mod shared;
mod slice;
mod staging;
mod strategy;
mod thread;

// Device code takes its sines and the like from there, so the tool must find it among the program's crates.
use libm as _;

pub use autodiff_macros::{KernelArgument, offload, offload_kernel};

pub use self::argument::{KernelElement, KernelArgument};
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
    pub use super::shared::{Key, shared_array};
    pub use super::slice::RawSlice;
    pub use super::staging::{Prepared, Staging};
}
