//! Which bytes of a value are float, integer or pointer, in a form the tool reads from object files.

use std::mem::size_of;
use std::{ptr, slice};

use crate::describe::Describe;

/// `kind` of a layout.
mod kind {
    pub(super) const UNKNOWN: u32 = 0;
    pub(super) const INTEGER: u32 = 1;
    pub(super) const FLOAT: u32 = 2;
    pub(super) const POINTER: u32 = 3;
    pub(super) const STRUCT: u32 = 4;
    pub(super) const ARRAY: u32 = 5;
}

/// Layout of a type.
#[repr(C)]
#[derive(Debug)]
pub struct Layout {
    kind: u32,
    reserved: u32,
    /// Bytes; of one element for an array.
    size: u64,
    /// Elements of an array, `u64::MAX` when only known at run time; 1 for everything else.
    count: u64,
    fields: *const Field,
    fields_len: usize,
}

/// A part of a value and where it lies.
#[repr(C)]
#[derive(Debug)]
pub struct Field {
    offset: u64,
    layout: *const Layout,
}

impl Layout {
    /// Bytes by which two layouts can be compared: one element of what has no known end.
    const fn total(&self, other: &Self) -> usize {
        let mine = if self.count == u64::MAX { self.size } else { self.size.saturating_mul(self.count) };
        let others =
            if other.count == u64::MAX { other.size } else { other.size.saturating_mul(other.count) };
        (if mine > others { mine } else { others }) as usize
    }

    const fn new(kind: u32, size: usize, count: u64, fields: &'static [Field]) -> Self {
        Self {
            kind,
            reserved: 0,
            size: size as u64,
            count,
            fields: if fields.is_empty() { ptr::null() } else { fields.as_ptr() },
            fields_len: fields.len(),
        }
    }

    /// Bytes of which nothing is known.
    pub const fn unknown(size: usize) -> Self {
        Self::new(kind::UNKNOWN, size, 1, &[])
    }

    /// Bytes that never carry a derivative.
    pub const fn integer(size: usize) -> Self {
        Self::new(kind::INTEGER, size, 1, &[])
    }

    /// A floating-point number.
    pub const fn float(size: usize) -> Self {
        Self::new(kind::FLOAT, size, 1, &[])
    }

    /// A thin pointer to the one field given, or to something unknown.
    pub const fn pointer(pointee: &'static [Field]) -> Self {
        Self::new(kind::POINTER, size_of::<*const ()>(), 1, pointee)
    }

    /// Fields at offsets.
    pub const fn structure(size: usize, fields: &'static [Field]) -> Self {
        Self::new(kind::STRUCT, size, 1, fields)
    }

    /// What the fields of a union agree on: their layout, if all have the same in every byte.
    pub const fn union(size: usize, fields: &'static [Field]) -> Self {
        let mut index = 1;
        while index < fields.len() {
            if !agree(fields[0].layout, fields[index].layout, size) {
                return Self::unknown(size);
            }
            index += 1;
        }
        // One of them says it all.
        Self::new(kind::STRUCT, size, 1, if let [first, ..] = fields { slice::from_ref(first) } else { &[] })
    }

    /// `count` elements of `size` bytes each, all like the one field given.
    pub const fn array(size: usize, count: u64, element: &'static [Field]) -> Self {
        Self::new(kind::ARRAY, size, count, element)
    }
}

impl Field {
    /// A field with the layout of `T`.
    pub const fn of<T: Describe + ?Sized>(offset: usize) -> Self {
        Self::new(offset, T::LAYOUT)
    }

    /// A field with a layout, null if unknown.
    pub const fn new(offset: usize, layout: *const Layout) -> Self {
        Self { offset: offset as u64, layout }
    }
}

/// Whether two layouts say the same of each of the first `size` bytes. Where one says nothing,
/// because it is shorter or has padding, so must the other.
const fn agree(one: *const Layout, other: *const Layout, size: usize) -> bool {
    let mut byte = 0;
    while byte < size as u64 {
        match (at(one, byte), at(other, byte)) {
            (None, None) => {}
            (Some((kind, begin, size, inner)), Some((other, start, width, within))) => {
                if kind != other || begin != start || size != width {
                    return false;
                }
                // Pointers to different things differ.
                if kind == kind::POINTER && !(inner.is_null() && within.is_null()) {
                    // SAFETY: a layout that is not null is a constant.
                    let (inner, within) = unsafe { (inner.as_ref(), within.as_ref()) };
                    match (inner, within) {
                        (Some(a), Some(b)) if agree(a, b, a.total(b)) => {}
                        _ => return false,
                    }
                }
            }
            _ => return false,
        }
        byte += 1;
    }
    true
}

/// What a layout says of one byte: kind, where the number or address begins and how long it is, and
/// what an address leads to.
const fn at(layout: *const Layout, byte: u64) -> Option<(u32, u64, u64, *const Layout)> {
    // SAFETY: a layout that is not null is a constant.
    let Some(layout) = (unsafe { layout.as_ref() }) else { return None };
    let fields: &[Field] = if layout.fields_len == 0 {
        &[]
    } else {
        // SAFETY: both come from one slice.
        unsafe { slice::from_raw_parts(layout.fields, layout.fields_len) }
    };
    match layout.kind {
        kind::INTEGER | kind::FLOAT if byte < layout.size => Some((layout.kind, 0, layout.size, ptr::null())),
        kind::POINTER if byte < layout.size => {
            let inner = if let [pointee, ..] = fields { pointee.layout } else { ptr::null() };
            Some((layout.kind, 0, layout.size, inner))
        }
        kind::STRUCT => {
            let mut index = 0;
            while index < fields.len() {
                let offset = fields[index].offset;
                if byte >= offset
                    && let Some((kind, begin, size, inner)) = at(fields[index].layout, byte - offset)
                {
                    return Some((kind, begin + offset, size, inner));
                }
                index += 1;
            }
            None
        }
        kind::ARRAY if layout.size > 0 && byte / layout.size < layout.count => {
            let offset = byte - byte % layout.size;
            match at(fields[0].layout, byte % layout.size) {
                Some((kind, begin, size, inner)) => Some((kind, begin + offset, size, inner)),
                None => None,
            }
        }
        _ => None,
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::mem::{align_of, offset_of};

    use super::*;

    /// The layout as text: kind letter, size, and what is inside.
    pub(crate) fn text(layout: *const Layout) -> String {
        // SAFETY: layouts are constants.
        let Some(layout) = (unsafe { layout.as_ref() }) else { return "?".into() };
        let fields: &[Field] = if layout.fields.is_null() {
            &[]
        } else {
            // SAFETY: both come from one slice.
            unsafe { slice::from_raw_parts(layout.fields, layout.fields_len) }
        };
        let fields: Vec<_> =
            fields.iter().map(|field| format!("{}:{}", field.offset, text(field.layout))).collect();
        let (size, fields) = (layout.size, fields.join(" "));
        match layout.kind {
            kind::UNKNOWN => format!("?{size}"),
            kind::INTEGER => format!("i{size}"),
            kind::FLOAT => format!("f{size}"),
            kind::POINTER => format!("&{size}({fields})"),
            kind::STRUCT => format!("s{size}({fields})"),
            kind::ARRAY if layout.count == u64::MAX => format!("a{size}x*({fields})"),
            kind::ARRAY => format!("a{size}x{}({fields})", layout.count),
            other => format!("unknown kind {other}"),
        }
    }

    #[test]
    fn records_have_the_layout_the_tool_reads() {
        assert_eq!((size_of::<Layout>(), align_of::<Layout>()), (40, 8));
        let offsets = [
            offset_of!(Layout, kind),
            offset_of!(Layout, reserved),
            offset_of!(Layout, size),
            offset_of!(Layout, count),
            offset_of!(Layout, fields),
            offset_of!(Layout, fields_len),
        ];
        assert_eq!(offsets, [0, 4, 8, 16, 24, 32]);
        assert_eq!((size_of::<Field>(), align_of::<Field>()), (16, 8));
        assert_eq!([offset_of!(Field, offset), offset_of!(Field, layout)], [0, 8]);
    }

    #[test]
    fn kinds_have_the_numbers_the_tool_reads() {
        let kinds = [kind::UNKNOWN, kind::INTEGER, kind::FLOAT, kind::POINTER, kind::STRUCT, kind::ARRAY];
        assert_eq!(kinds, [0, 1, 2, 3, 4, 5]);
    }
}
