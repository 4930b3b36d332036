//! Data that stays on a device.

use std::marker::PhantomData;
use std::sync::{Arc, Mutex, PoisonError};

use super::argument::{KernelArgument, KernelElement};
use super::backend::Address;
use super::device_list::Device;
use super::error::LaunchError;
use super::queue::Event;
use super::slice::RawSlice;

/// A slice in the memory of a device, which stays there from launch to launch.
///
/// A launch takes `&Buffer<T>` for a kernel's `&[T]`, and `&mut Buffer<T>` for its [`Disjoint`](super::Disjoint); it
/// then runs on the device of its buffers. Copies wait for launches that use the buffer.
///
/// ```
/// use autodiff::offload::{Buffer, Device, Disjoint, offload, offload_kernel};
///
/// #[offload_kernel]
/// fn double(x: Disjoint<'_, f64>) {
///     if let Some((_, x)) = x.part() {
///         *x *= 2.0;
///     }
/// }
///
/// let mut x = Buffer::from_slice(&Device::preferred()?, &[1.0, 2.0, 3.0])?;
/// for _ in 0..3 {
///     offload! { kernel = double, args = (&mut x,), thread_dim = [32, 1, 1] }?;
/// }
/// assert_eq!(x.to_vec()?, [8.0, 16.0, 24.0]);
/// # Ok::<(), autodiff::offload::LaunchError>(())
/// ```
#[derive(Debug)]
pub struct Buffer<T> {
    memory: Arc<Memory>,
    len: usize,
    _elements: PhantomData<T>,
}

/// Memory of a device.
#[derive(Debug)]
pub(crate) struct Memory {
    pub(crate) device: Device,
    address: Address,
    bytes: usize,
    /// Launches that use it and may not have ended.
    pending: Mutex<Vec<Event>>,
}

// SAFETY: the address is only used by copies and launches, which borrow the buffer as they must.
unsafe impl Send for Memory {}
// SAFETY: as above.
unsafe impl Sync for Memory {}

impl Memory {
    fn new(device: &Device, bytes: usize) -> Result<Self, LaunchError> {
        let bytes = bytes.max(1);
        let address = device.backend().allocate(bytes)?;
        Ok(Self { device: device.clone(), address, bytes, pending: Mutex::default() })
    }

    /// Launches that use it, which are forgotten.
    pub(crate) fn take_pending(&self) -> Vec<Event> {
        std::mem::take(&mut *self.pending.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Notes a launch that uses it.
    pub(crate) fn add_pending(&self, event: Event) {
        let mut pending = self.pending.lock().unwrap_or_else(PoisonError::into_inner);
        pending.retain(|event| !event.has_succeeded());
        pending.push(event);
    }

    /// Waits for all launches that use it. An error is reported once.
    pub(crate) fn settle(&self) -> Result<(), LaunchError> {
        let results: Vec<_> = self.take_pending().iter().map(Event::wait).collect();
        results.into_iter().collect()
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: it was allocated like this. Launches that use it hold it, so none is left.
        unsafe { self.device.backend().free(self.address, self.bytes) };
    }
}

impl<T: KernelElement> Buffer<T> {
    /// A copy of a slice, on a device.
    pub fn from_slice(device: &Device, slice: &[T]) -> Result<Self, LaunchError> {
        let memory = Arc::new(Memory::new(device, size_of_val(slice))?);
        let mut buffer = Self { memory, len: slice.len(), _elements: PhantomData };
        buffer.copy_from(slice)?;
        Ok(buffer)
    }

    /// Elements.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The device.
    pub fn device(&self) -> &Device {
        &self.memory.device
    }

    /// Copies from a slice of the same length, after launches that use the buffer.
    pub fn copy_from(&mut self, slice: &[T]) -> Result<(), LaunchError> {
        self.fits(slice.len())?;
        self.memory.settle()?;
        let (backend, bytes) = (self.memory.device.backend(), size_of_val(slice));
        // SAFETY: both have so many bytes, and nobody else uses the buffer.
        unsafe { backend.write(self.memory.address, slice.as_ptr().cast(), bytes) }
    }

    /// Copies to a slice of the same length, after launches that use the buffer.
    pub fn copy_to(&self, slice: &mut [T]) -> Result<(), LaunchError> {
        self.fits(slice.len())?;
        self.memory.settle()?;
        let (backend, bytes) = (self.memory.device.backend(), size_of_val(slice));
        // SAFETY: as in `copy_from`; elements are values of `T`, as kernels left them.
        unsafe { backend.read(slice.as_mut_ptr().cast(), self.memory.address, bytes) }
    }

    /// All elements, after launches that use the buffer.
    pub fn to_vec(&self) -> Result<Vec<T>, LaunchError> {
        self.memory.settle()?;
        let mut vec = Vec::<T>::with_capacity(self.len);
        let (backend, bytes) = (self.memory.device.backend(), self.len * size_of::<T>());
        // SAFETY: there is room for them, and then they are there. `KernelElement`s have no resources, so that a copy of
        // their bits is a value.
        unsafe {
            backend.read(vec.as_mut_ptr().cast(), self.memory.address, bytes)?;
            vec.set_len(self.len);
        }
        Ok(vec)
    }

    /// The address of the first element on the device, for `unsafe` kernels that take a raw pointer.
    ///
    /// It is valid as long as the buffer, and means nothing on other devices.
    pub fn as_device_ptr(&mut self) -> *mut T {
        self.memory.address.cast()
    }

    fn fits(&self, len: usize) -> Result<(), LaunchError> {
        if len == self.len { Ok(()) } else { Err(LaunchError::Length { buffer: self.len, slice: len }) }
    }

    pub(crate) fn raw(&self) -> RawSlice<T> {
        RawSlice { first: self.memory.address.cast(), len: self.len }
    }

    pub(crate) fn memory(&self) -> Arc<Memory> {
        self.memory.clone()
    }
}

impl<T: KernelArgument> Buffer<T> {
    /// So many copies of a value, on a device.
    pub fn filled(device: &Device, value: T, len: usize) -> Result<Self, LaunchError> {
        Self::from_slice(device, &vec![value; len])
    }
}

/// Memory for one launch.
pub(crate) struct Temporary<'a> {
    device: &'a Device,
    pub(crate) address: Address,
    bytes: usize,
}

impl<'a> Temporary<'a> {
    pub(crate) fn new(device: &'a Device, bytes: usize) -> Result<Self, LaunchError> {
        let bytes = bytes.max(1);
        Ok(Self { device, address: device.backend().allocate(bytes)?, bytes })
    }
}

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        // SAFETY: it was allocated like this, and the launch has ended.
        unsafe { self.device.backend().free(self.address, self.bytes) };
    }
}
