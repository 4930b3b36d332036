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
    /// The end of the last launch or copy that uses it.
    last: Mutex<Option<Event>>,
}

// SAFETY: the address is only used by copies and launches, which borrow the buffer as they must.
unsafe impl Send for Memory {}
// SAFETY: as above.
unsafe impl Sync for Memory {}

impl Memory {
    fn new(device: &Device, bytes: usize) -> Result<Self, LaunchError> {
        let bytes = bytes.max(1);
        let address = device.backend().allocate(bytes)?;
        Ok(Self { device: device.clone(), address, bytes, last: Mutex::default() })
    }

    /// Puts a use of some memory behind all uses before it, which are returned, and whose end is to be waited for.
    pub(crate) fn line_up<'a>(memories: impl Iterator<Item = &'a Self>, event: &Event) -> Vec<Event> {
        // One at a time: else two launches with the same two buffers could wait for each other.
        static ORDER: Mutex<()> = Mutex::new(());
        let _alone = ORDER.lock().unwrap_or_else(PoisonError::into_inner);
        let replace =
            |memory: &Self| memory.last.lock().unwrap_or_else(PoisonError::into_inner).replace(event.clone());
        memories.filter_map(replace).filter(|before| !before.is(event)).collect()
    }

    /// Calls `f` after all uses before, and before all uses behind. An error of one before is reported once.
    pub(crate) fn in_turn<'a, R>(
        memories: impl Iterator<Item = &'a Self>,
        f: impl FnOnce() -> Result<R, LaunchError>,
    ) -> Result<R, LaunchError> {
        let event = Event::new();
        let before = Self::line_up(memories, &event);
        let _done = Done(&event);
        let results: Vec<_> = before.iter().map(Event::wait).collect();
        results.into_iter().collect::<Result<(), _>>()?;
        f()
    }
}

/// Lets those behind go on.
struct Done<'a>(&'a Event);

impl Drop for Done<'_> {
    fn drop(&mut self) {
        self.0.finish(Ok(()));
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
        let (backend, bytes) = (self.memory.device.backend(), size_of_val(slice));
        self.in_turn(|| {
            // SAFETY: both have so many bytes, and nobody else uses the buffer.
            unsafe { backend.write(self.memory.address, slice.as_ptr().cast(), bytes) }
        })
    }

    /// Copies to a slice of the same length, after launches that use the buffer.
    pub fn copy_to(&self, slice: &mut [T]) -> Result<(), LaunchError> {
        self.fits(slice.len())?;
        let (backend, bytes) = (self.memory.device.backend(), size_of_val(slice));
        self.in_turn(|| {
            // SAFETY: as in `copy_from`; elements are values of `T`, as kernels left them.
            unsafe { backend.read(slice.as_mut_ptr().cast(), self.memory.address, bytes) }
        })
    }

    /// All elements, after launches that use the buffer.
    pub fn to_vec(&self) -> Result<Vec<T>, LaunchError> {
        let mut vec = Vec::<T>::with_capacity(self.len);
        let (backend, bytes) = (self.memory.device.backend(), self.len * size_of::<T>());
        // SAFETY: there is room for them, and then they are there. Elements have no resources, so that a copy of
        // their bits is a value.
        unsafe {
            self.in_turn(|| backend.read(vec.as_mut_ptr().cast(), self.memory.address, bytes))?;
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

    fn in_turn(&self, f: impl FnOnce() -> Result<(), LaunchError>) -> Result<(), LaunchError> {
        Memory::in_turn(std::iter::once(&*self.memory), f)
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
