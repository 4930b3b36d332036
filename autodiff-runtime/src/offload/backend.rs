//! What a kind of device must be able to do.

use super::cpu::Functions;
use super::error::LaunchError;
use super::record::KernelRecord;
use super::shape::{Limits, Shape};

/// Where something is in a device's memory.
pub(crate) type Address = *mut u8;

/// A kernel as a back end gets it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Kernel {
    /// Its record, with images for GPUs.
    pub(crate) record: &'static KernelRecord,
    /// The kernel itself, for the CPU.
    pub(crate) functions: Functions,
}

/// One device. All calls wait until they are done.
pub(crate) trait Backend: Send + Sync {
    /// What kind of device it is, for people.
    fn label(&self) -> String;

    /// What a launch can have at most.
    fn limits(&self) -> Limits;

    /// Whether kernels use the memory of this process as it is.
    fn uses_host_memory(&self) -> bool;

    /// Gets memory, aligned to at least 64 bytes. There is at least one byte.
    fn allocate(&self, bytes: usize) -> Result<Address, LaunchError>;

    /// Gives memory back.
    ///
    /// # Safety
    ///
    /// It must be that of `allocate`, of the same size, and nobody must use it any more.
    unsafe fn free(&self, address: Address, bytes: usize);

    /// Copies to the device.
    ///
    /// # Safety
    ///
    /// There must be so much memory on either side.
    unsafe fn write(&self, to: Address, from: *const u8, bytes: usize) -> Result<(), LaunchError>;

    /// Copies from the device.
    ///
    /// # Safety
    ///
    /// As for `write`.
    unsafe fn read(&self, to: *mut u8, from: Address, bytes: usize) -> Result<(), LaunchError>;

    /// Runs a kernel, and waits for its end.
    ///
    /// # Safety
    ///
    /// The arguments must be those of the kernel, and pointers among them valid on the device. The shape must have been
    /// checked.
    unsafe fn launch(&self, kernel: &Kernel, shape: &Shape, args: *const u8) -> Result<(), LaunchError>;
}
