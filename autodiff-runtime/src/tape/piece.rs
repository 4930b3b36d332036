//! A piece of memory, with a header before it.

use std::alloc::{GlobalAlloc, Layout, System};

/// As `malloc` aligns.
const ALIGN: usize = 16;

/// What is written before each piece.
#[repr(C, align(16))]
pub(super) struct Header {
    /// Of what follows.
    size: usize,
    /// Where the one that links to this one does so, if it is in a list.
    pub(super) back: *mut *mut Header,
    pub(super) next: *mut Header,
}

const HEADER: usize = size_of::<Header>();

/// Memory from the system, after its header.
#[derive(Clone, Copy)]
pub(super) struct Piece(*mut Header);

#[expect(clippy::cast_ptr_alignment, reason = "memory is allocated for headers")]
impl Piece {
    /// New memory from the system, or none.
    pub(super) fn new(size: usize) -> Option<Self> {
        let layout = layout(size)?;
        // SAFETY: the layout is not empty.
        unsafe { Self::at(System.alloc(layout), size) }
    }

    /// The piece with these contents.
    ///
    /// # Safety
    ///
    /// They must be a piece's.
    pub(super) unsafe fn of(contents: *mut u8) -> Self {
        // SAFETY: the caller's promise: the header is before them.
        Self(unsafe { contents.sub(HEADER).cast() })
    }

    /// The piece with this header, which must be one's.
    pub(super) fn with(header: *mut Header) -> Self {
        Self(header)
    }

    /// Takes over memory for a header and `size` bytes; none if it is null.
    ///
    /// # Safety
    ///
    /// The memory must be [`layout`]'s for `size`.
    unsafe fn at(start: *mut u8, size: usize) -> Option<Self> {
        let header = start.cast::<Header>();
        let empty = Header { size, back: std::ptr::null_mut(), next: std::ptr::null_mut() };
        // SAFETY: the caller's promise.
        (!header.is_null()).then(|| unsafe { header.write(empty) })?;
        Some(Self(header))
    }

    pub(super) fn header(self) -> *mut Header {
        self.0
    }

    pub(super) fn contents(self) -> *mut u8 {
        self.0.cast::<u8>().wrapping_add(HEADER)
    }

    pub(super) fn size(self) -> usize {
        // SAFETY: every piece has its header.
        unsafe { (*self.0).size }
    }

    /// Gives it back to the system. It must be in no list.
    pub(super) fn give_back(self) {
        let layout = layout(self.size()).expect("it was allocated with this layout");
        // SAFETY: this is how it was allocated.
        unsafe { System.dealloc(self.0.cast(), layout) }
    }

    /// The same memory with room for `size` bytes, perhaps elsewhere. It must be in no list.
    pub(super) fn resized(self, size: usize) -> Option<Self> {
        let (old, new) = (layout(self.size())?, layout(size)?);
        // SAFETY: `old` is how it was allocated; the new size is that of a valid layout.
        unsafe { Self::at(System.realloc(self.0.cast(), old, new.size()), size) }
    }
}

/// What is asked of the system for a piece.
fn layout(size: usize) -> Option<Layout> {
    Layout::from_size_align(size.checked_add(HEADER)?, ALIGN).ok()
}
