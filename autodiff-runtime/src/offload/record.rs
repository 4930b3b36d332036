//! The record of a kernel. The tool finds these records in object files, reads them there, and fills in
//! `images` or `reason`; so their layout is a format, pinned by the tests below.

// What a build without GPUs does not read is there all the same: it is a format.
#![cfg_attr(not(any(feature = "cuda", feature = "liboffload")), allow(dead_code))]

use std::ffi::{CStr, CString, c_char};
use std::fmt;
use std::ptr;

/// One kernel: a function that runs its body for one thread, and what it was compiled to.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct KernelRecord {
    magic: [u8; 16],
    /// `unsafe extern "C" fn(args: *const u8)`.
    entry: *const (),
    /// Null until the tool fills it in.
    images: *const Images,
    args_size: usize,
    args_align: usize,
    name: *const u8,
    name_len: usize,
    file: *const u8,
    file_len: usize,
    line: u32,
    column: u32,
    /// Why there is no image. Null until the tool fills it in, which it does if asked to defer errors.
    reason: *const c_char,
}

/// What the tool made of a kernel.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct Images {
    len: usize,
    first: *const Image,
    symbol: *const c_char,
    panics: *const Panics,
}

/// The kernel, compiled for one kind of device.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct Image {
    kind: u32,
    _pad: u32,
    arch: *const c_char,
    data: *const u8,
    len: usize,
}

/// The panics that device code reports by number.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct Panics {
    len: usize,
    first: *const Panic,
}

/// One place where a kernel may panic.
#[repr(C)]
#[derive(Debug)]
pub(crate) struct Panic {
    message: *const u8,
    message_len: usize,
    file: *const u8,
    file_len: usize,
    /// Line, from 1; 0 if unknown.
    pub(crate) line: u32,
    column: u32,
}

/// Kinds of images.
pub(crate) mod kind {
    /// PTX text that ends in a zero byte.
    pub(crate) const PTX: u32 = 1;
    /// An ELF file for an AMD device.
    #[cfg_attr(not(feature = "liboffload"), allow(dead_code))]
    pub(crate) const AMDGPU: u32 = 2;
}

// SAFETY: nothing changes a record while the program runs.
unsafe impl Sync for KernelRecord {}

impl KernelRecord {
    const MAGIC: [u8; 16] = *b"\x7fautodiff kern\x01\x00";

    /// The record of a kernel whose arguments have this size and alignment. `name` is for messages.
    pub(crate) const fn new(entry: *const (), args_size: usize, args_align: usize, place: Place) -> Self {
        Self {
            magic: Self::MAGIC,
            entry,
            images: ptr::null(),
            args_size,
            args_align,
            name: place.name.as_ptr(),
            name_len: place.name.len(),
            file: place.file.as_ptr(),
            file_len: place.file.len(),
            line: place.line,
            column: place.column,
            reason: ptr::null(),
        }
    }

    /// The kernel, for messages.
    pub(crate) fn place(&self) -> Place {
        // SAFETY: `new` took them from `&'static str`s, and the fields are private.
        let (name, file) = unsafe { (text(self.name, self.name_len), text(self.file, self.file_len)) };
        Place { name, file, line: self.line, column: self.column }
    }

    /// The same kernel with images of this PTX text, by architecture, in place of those that the tool made. For tests: it
    /// is never freed.
    pub(crate) fn with_images(
        &self,
        symbol: &'static CStr,
        images: &[(&'static str, &'static str)],
        panics: &[(&'static str, &'static str, u32)],
    ) -> &'static Self {
        let image = |&(arch, data): &(&str, &'static str)| {
            let arch = CString::new(arch).unwrap_or_default().into_raw();
            Image { kind: kind::PTX, _pad: 0, arch, data: data.as_ptr(), len: data.len() }
        };
        let panic = |&(message, file, line): &(&'static str, &'static str, u32)| Panic {
            message: message.as_ptr(),
            message_len: message.len(),
            file: file.as_ptr(),
            file_len: file.len(),
            line,
            column: 1,
        };
        let images: &[Image] = Box::leak(images.iter().map(image).collect());
        let panics: &[Panic] = Box::leak(panics.iter().map(panic).collect());
        let panics = Box::leak(Box::new(Panics { len: panics.len(), first: panics.as_ptr() }));
        let images = Images { len: images.len(), first: images.as_ptr(), symbol: symbol.as_ptr(), panics };
        let images = Box::leak(Box::new(images));
        Box::leak(Box::new(Self { images, ..*self }))
    }

    /// Bytes of the arguments.
    pub(crate) fn args_size(&self) -> usize {
        self.args_size
    }

    /// What the tool made of the kernel, if anything.
    pub(crate) fn images(&self) -> Option<&'static Images> {
        // The tool fills the field in after this crate was compiled, so it must not be taken for a constant.
        // SAFETY: a field of a valid record; it is null or what the tool put there: a constant.
        unsafe { (&raw const self.images).read_volatile().as_ref() }
    }

    /// Why there is no image, if the tool said so.
    pub(crate) fn reason(&self) -> Option<&'static CStr> {
        // SAFETY: as for `images`; a constant text.
        unsafe {
            let reason = (&raw const self.reason).read_volatile();
            (!reason.is_null()).then(|| CStr::from_ptr(reason))
        }
    }
}

/// A kernel in the user's source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Path of the function.
    pub name: &'static str,
    /// Source file.
    pub file: &'static str,
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "kernel `{}` ({}:{}:{})", self.name, self.file, self.line, self.column)
    }
}

impl Images {
    /// All images.
    pub(crate) fn all(&self) -> &'static [Image] {
        // SAFETY: the tool made both fields of one constant array.
        unsafe { slice(self.first, self.len) }
    }

    /// The name of the kernel in each image.
    pub(crate) fn symbol(&self) -> &'static CStr {
        // SAFETY: a constant text that the tool made.
        unsafe { CStr::from_ptr(self.symbol) }
    }

    /// The panic that device code reports by this number.
    pub(crate) fn panic(&self, id: u32) -> Option<&'static Panic> {
        // SAFETY: null, or a constant that the tool made.
        let panics = unsafe { self.panics.as_ref() }?;
        // SAFETY: as in `all`.
        unsafe { slice(panics.first, panics.len) }.get((id as usize).checked_sub(1)?)
    }
}

impl Image {
    /// One of [`kind`].
    pub(crate) fn kind(&self) -> u32 {
        self.kind
    }

    /// The architecture it was made for, such as `sm_70`.
    pub(crate) fn arch(&self) -> &'static CStr {
        // SAFETY: a constant text that the tool made.
        unsafe { CStr::from_ptr(self.arch) }
    }

    /// The image itself.
    pub(crate) fn data(&self) -> &'static [u8] {
        // SAFETY: the tool made both fields of one constant array.
        unsafe { slice(self.data, self.len) }
    }
}

impl Panic {
    /// The message.
    pub(crate) fn message(&self) -> &'static str {
        // SAFETY: a constant text that the tool made.
        unsafe { text(self.message, self.message_len) }
    }

    /// The source file; empty if unknown.
    pub(crate) fn file(&self) -> &'static str {
        // SAFETY: a constant text that the tool made.
        unsafe { text(self.file, self.file_len) }
    }
}

/// # Safety
///
/// Null, or a constant array.
unsafe fn slice<T>(first: *const T, len: usize) -> &'static [T] {
    // SAFETY: the caller's.
    if first.is_null() { &[] } else { unsafe { std::slice::from_raw_parts(first, len) } }
}

/// # Safety
///
/// Null, or a constant text.
unsafe fn text(first: *const u8, len: usize) -> &'static str {
    // SAFETY: the caller's.
    std::str::from_utf8(unsafe { slice(first, len) }).unwrap_or("?")
}

#[cfg(test)]
mod tests {
    use std::mem::{align_of, offset_of, size_of};

    use super::*;

    #[test]
    fn record_has_the_layout_the_tool_reads() {
        assert_eq!((size_of::<KernelRecord>(), align_of::<KernelRecord>()), (96, 8));
        let offsets = [
            offset_of!(KernelRecord, magic),
            offset_of!(KernelRecord, entry),
            offset_of!(KernelRecord, images),
            offset_of!(KernelRecord, args_size),
            offset_of!(KernelRecord, args_align),
            offset_of!(KernelRecord, name),
            offset_of!(KernelRecord, name_len),
            offset_of!(KernelRecord, file),
            offset_of!(KernelRecord, file_len),
            offset_of!(KernelRecord, line),
            offset_of!(KernelRecord, column),
            offset_of!(KernelRecord, reason),
        ];
        assert_eq!(offsets, [0, 16, 24, 32, 40, 48, 56, 64, 72, 80, 84, 88]);
    }

    #[test]
    fn images_have_the_layout_the_tool_writes() {
        assert_eq!([size_of::<Images>(), size_of::<Image>(), size_of::<Panics>()], [32, 32, 16]);
        assert_eq!([offset_of!(Images, symbol), offset_of!(Images, panics)], [16, 24]);
        assert_eq!([offset_of!(Image, arch), offset_of!(Image, data), offset_of!(Image, len)], [8, 16, 24]);
        assert_eq!((size_of::<Panic>(), offset_of!(Panic, file), offset_of!(Panic, line)), (40, 16, 32));
    }

    #[test]
    fn records_begin_with_the_magic() {
        let place = Place { name: "a::b", file: "src/main.rs", line: 7, column: 9 };
        let record = KernelRecord::new(ptr::null(), 24, 8, place);
        assert_eq!(&record.magic[..], b"\x7fautodiff kern\x01\0");
        assert_eq!((record.place(), record.args_size()), (place, 24));
        assert!(record.images().is_none() && record.reason().is_none());
    }
}
