//! The record of a derivative call. The tool finds these records in object files, reads them there,
//! and fills in `derivative` or `reason`; so their layout is a format, pinned by the tests below.

use std::ffi::{CStr, c_char};
use std::ptr;

use crate::layout::Layout;

/// One derivative call: what to differentiate and how.
#[repr(C)]
#[derive(Debug)]
pub struct Site {
    magic: [u8; 16],
    shim: *const (),
    /// Null until the tool fills it in.
    pub(crate) derivative: *const (),
    params: *const Param,
    params_len: usize,
    name: *const u8,
    name_len: usize,
    mode: u32,
    width: u32,
    file: *const u8,
    file_len: usize,
    line: u32,
    column: u32,
    /// Why there is no derivative. Null until the tool fills it in, which it does if asked to defer
    /// errors.
    pub(crate) reason: *const c_char,
}

/// One parameter of a shim.
#[repr(C)]
#[derive(Debug)]
pub struct Param {
    kind: u32,
    activity: u32,
    layout: *const Layout,
}

/// Direction of differentiation.
#[derive(Debug, Clone, Copy)]
#[repr(u32)]
pub enum Mode {
    /// Shadows are adjoints.
    Reverse = 0,
    /// Shadows are tangents.
    Forward = 1,
}

/// What happens to a shim's parameter.
#[derive(Debug, Clone, Copy)]
#[repr(u32)]
pub enum Activity {
    /// Not differentiated; no shadow.
    Const = 0,
    /// Has shadows.
    Duplicated = 1,
    /// Has shadows; what the primal holds afterwards does not matter.
    DuplicatedOnly = 2,
    /// A result whose derivative nobody asks for.
    Ignored = 3,
}

impl Site {
    const MAGIC: [u8; 16] = *b"\x7fautodiff site\x03\x00";

    /// A call of the derivative of `shim`, whose parameters are `params`. `name` is for messages.
    pub const fn new(
        mode: Mode,
        width: u32,
        shim: *const (),
        params: &'static [Param],
        name: &'static str,
    ) -> Self {
        Self {
            magic: Self::MAGIC,
            shim,
            derivative: ptr::null(),
            params: params.as_ptr(),
            params_len: params.len(),
            name: name.as_ptr(),
            name_len: name.len(),
            mode: mode as u32,
            width,
            file: "".as_ptr(),
            file_len: 0,
            line: 0,
            column: 0,
            reason: ptr::null(),
        }
    }

    /// The same, with the place in the user's source.
    #[must_use]
    pub const fn at(mut self, file: &'static str, line: u32, column: u32) -> Self {
        self.file = file.as_ptr();
        self.file_len = file.len();
        self.line = line;
        self.column = column;
        self
    }

    /// What to call the function in messages.
    pub(crate) fn name(&self) -> &'static str {
        // SAFETY: `new` took both from one `&'static str`, and the fields are private.
        unsafe { std::str::from_utf8_unchecked(std::slice::from_raw_parts(self.name, self.name_len)) }
    }

    /// Why there is no derivative, if the tool said so.
    pub(crate) fn reason(&self) -> Option<&'static CStr> {
        // SAFETY: the field is null or what the tool put there: the address of a constant text.
        (!self.reason.is_null()).then(|| unsafe { CStr::from_ptr(self.reason) })
    }
}

impl Param {
    /// An integer passed as such.
    pub const INTEGER: Self = Self { kind: 0, activity: Activity::Const as u32, layout: ptr::null() };

    /// A pointer to something with the given layout, null if unknown.
    pub const fn pointer(activity: Activity, layout: *const Layout) -> Self {
        Self { kind: 1, activity: activity as u32, layout }
    }

    /// The same, where nothing else leads to what the pointer points to: a `&mut` reference, or a
    /// place made for the call. Stores through it cannot change what other pointers see.
    pub const fn exclusive(activity: Activity, layout: *const Layout) -> Self {
        Self { kind: 2, activity: activity as u32, layout }
    }
}

#[cfg(test)]
mod tests {
    use std::mem::{align_of, offset_of, size_of};

    use super::*;
    use crate::layout::Field;

    #[test]
    fn site_has_the_layout_the_tool_reads() {
        assert_eq!((size_of::<Site>(), align_of::<Site>()), (104, 8));
        let offsets = [
            offset_of!(Site, magic),
            offset_of!(Site, shim),
            offset_of!(Site, derivative),
            offset_of!(Site, params),
            offset_of!(Site, params_len),
            offset_of!(Site, name),
            offset_of!(Site, name_len),
            offset_of!(Site, mode),
            offset_of!(Site, width),
            offset_of!(Site, file),
            offset_of!(Site, file_len),
            offset_of!(Site, line),
            offset_of!(Site, column),
            offset_of!(Site, reason),
        ];
        assert_eq!(offsets, [0, 16, 24, 32, 40, 48, 56, 64, 68, 72, 80, 88, 92, 96]);
    }

    #[test]
    fn param_has_the_layout_the_tool_reads() {
        assert_eq!((size_of::<Param>(), align_of::<Param>()), (16, 8));
        assert_eq!(
            [offset_of!(Param, kind), offset_of!(Param, activity), offset_of!(Param, layout)],
            [0, 4, 8]
        );
        assert_eq!((size_of::<Field>(), size_of::<Layout>()), (16, 40));
    }

    #[test]
    fn records_begin_with_the_magic() {
        let site = Site::new(Mode::Forward, 3, ptr::null(), &[], "a::b").at("src/main.rs", 7, 9);
        assert_eq!(&site.magic[..], b"\x7fautodiff site\x03\0");
        assert_eq!((site.mode, site.width, site.line, site.column), (1, 3, 7, 9));
        assert_eq!((site.name(), site.file_len), ("a::b", 11));
        assert!(site.derivative.is_null() && site.reason().is_none());
    }
}
