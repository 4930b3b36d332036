//! Arguments on their way to a kernel.

use std::ffi::CStr;
use std::marker::PhantomData;
use std::mem::{MaybeUninit, offset_of};
use std::ptr;
use std::sync::Arc;

use super::argument::{KernelArgument, KernelElement};
use super::buffer::Memory;
use super::cpu::Functions;
use super::disjoint::{IntoDisjoint, RawDisjoint};
use super::entry::{Entry, Packed, PlaceOf};
use super::record::KernelRecord;
use super::shape::Shape;
use super::slice::{IntoShared, RawSlice};
use super::strategy::Strategy;
use super::thread::Thread;

/// A kernel with its arguments, which [`offload!`](crate::offload::offload) launches: what calling a kernel returns.
#[must_use = "a kernel does not run when it is called: launch it by `offload! { kernel = .., args = (..) }`"]
#[derive(Debug)]
pub struct Prepared<'a> {
    pub(crate) record: &'static KernelRecord,
    pub(crate) functions: Functions,
    /// The packed arguments, aligned to 16 bytes.
    pub(crate) args: Box<[MaybeUninit<u128>]>,
    pub(crate) transfers: Vec<Transfer>,
    _arguments: PhantomData<&'a mut ()>,
}

// SAFETY: the arguments are `Send` and `Sync`, and pointers among them stand for `&` and `&mut` to such.
unsafe impl Send for Prepared<'_> {}

/// A slice among the arguments.
#[derive(Debug)]
pub(crate) struct Transfer {
    /// Which argument it is.
    pub(crate) argument: usize,
    /// Where its pointer is in the packed arguments.
    pub(crate) offset: usize,
    pub(crate) first: *mut u8,
    pub(crate) bytes: usize,
    /// Whether the kernel may write to it.
    pub(crate) is_written: bool,
    /// The buffer, if it is one.
    pub(crate) memory: Option<Arc<Memory>>,
    pub(crate) check: Option<Check>,
}

/// A strategy's check.
pub(crate) struct Check(CheckFn);

type CheckFn = Box<dyn Fn(&Shape) -> Result<(), String> + Send>;

impl Check {
    pub(crate) fn passes(&self, shape: &Shape) -> Result<(), String> {
        (self.0)(shape)
    }
}

impl std::fmt::Debug for Check {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Check")
    }
}

/// Gathers the arguments of a kernel, in order.
#[derive(Debug)]
pub struct Staging<'a> {
    transfers: Vec<Transfer>,
    arguments: usize,
    _arguments: PhantomData<&'a mut ()>,
}

impl<'a> Staging<'a> {
    #[allow(clippy::new_without_default, reason = "generated code calls it")]
    /// No arguments yet.
    #[inline]
    pub fn new() -> Self {
        Self { transfers: Vec::new(), arguments: 0, _arguments: PhantomData }
    }

    /// Adds a value.
    #[inline]
    pub fn value<T: KernelArgument>(&mut self, value: T) -> T {
        self.arguments += 1;
        value
    }

    /// Adds a closure, or a function.
    #[inline]
    pub fn closure<F: Copy + Send + Sync + 'static>(&mut self, closure: F) -> F {
        self.arguments += 1;
        closure
    }

    /// Adds a raw pointer, which must mean something on the device.
    #[inline]
    pub fn pointer<P: Copy>(&mut self, pointer: P) -> P {
        self.arguments += 1;
        pointer
    }

    /// Adds a slice that the kernel reads.
    #[inline]
    pub fn shared<T: KernelElement>(&mut self, slice: impl IntoShared<'a, T>) -> RawSlice<T> {
        let slice = slice.into_shared();
        self.slice(slice.raw, T::SHARED, slice.memory, None);
        slice.raw
    }

    /// Adds a slice that the kernel writes to, and that is divided among its threads.
    #[inline]
    pub fn disjoint<T: KernelElement, S: Strategy>(
        &mut self,
        partition: impl IntoDisjoint<'a, T, S>,
    ) -> RawDisjoint<T, S> {
        let partition = partition.into_disjoint();
        let RawDisjoint { slice, strategy } = partition.raw;
        let check = Check(Box::new(move |shape| strategy.check(slice.len, shape)));
        self.slice(slice, true, partition.memory, Some(check));
        partition.raw
    }

    fn slice<T>(
        &mut self,
        raw: RawSlice<T>,
        is_written: bool,
        memory: Option<Arc<Memory>>,
        check: Option<Check>,
    ) {
        self.transfers.push(Transfer {
            argument: self.arguments,
            offset: 0,
            first: raw.first.cast(),
            bytes: raw.len * size_of::<T>(),
            is_written,
            memory,
            check,
        });
        self.arguments += 1;
    }

    /// All arguments are there: `args` is a tuple of them, and `offsets` tells where each lies in it.
    #[inline]
    pub fn finish<L, K, P>(mut self, kernel: K, args: P, offsets: &[usize]) -> Prepared<'a>
    where
        L: PlaceOf,
        // Spelt out, so that the closure takes any lifetime.
        K: Fn(Thread<'_>, P) + Entry<P>,
        P: Copy,
    {
        let _ = kernel;
        for transfer in &mut self.transfers {
            transfer.offset = offset_of!(Packed<P>, args) + offsets[transfer.argument];
        }
        const { assert!(align_of::<Packed<P>>() <= align_of::<u128>(), "an argument's alignment is too large") };
        let words = size_of::<Packed<P>>().div_ceil(size_of::<u128>());
        let mut bytes = vec![MaybeUninit::<u128>::uninit(); words].into_boxed_slice();
        // SAFETY: there is room for it, and it is aligned.
        unsafe { bytes.as_mut_ptr().cast::<Packed<P>>().write(Packed { dynamic_bytes: 0, args }) };
        Prepared {
            record: super::entry::record::<L, K, P>(),
            functions: super::entry::functions::<K, P>(),
            args: bytes,
            transfers: self.transfers,
            _arguments: PhantomData,
        }
    }
}

impl Prepared<'_> {
    /// The same with images as the tool would make them. For tests of drivers.
    #[doc(hidden)]
    pub fn with_images(
        self,
        symbol: &'static CStr,
        images: &[(&'static str, &'static str)],
        panics: &[(&'static str, &'static str, u32)],
    ) -> Self {
        Self { record: self.record.with_images(symbol, images, panics), ..self }
    }

    /// Sets the size of the launch-sized shared memory.
    pub(crate) fn set_dynamic_bytes(&mut self, bytes: u32) {
        // SAFETY: it is the first field.
        unsafe { self.args.as_mut_ptr().cast::<u32>().write(bytes) };
    }

    /// Puts the address of a slice into the packed arguments.
    pub(crate) fn place(&mut self, offset: usize, address: *mut u8) {
        // SAFETY: there is a pointer at that place.
        unsafe { self.args.as_mut_ptr().cast::<u8>().add(offset).cast::<*mut u8>().write_unaligned(address) };
    }

    /// The packed arguments.
    pub(crate) fn args(&self) -> *const u8 {
        ptr::from_ref(&*self.args).cast()
    }
}
