//! Which bytes of a value are float, integer or pointer, in a form the tool reads from object files.

use std::marker::PhantomData;
use std::mem::{offset_of, size_of};
use std::ptr;

/// `kind` of a layout.
mod kind {
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

    /// `count` elements of `size` bytes each, all like the one field given.
    pub const fn array(size: usize, count: u64, element: &'static [Field]) -> Self {
        Self::new(kind::ARRAY, size, count, element)
    }
}

impl Field {
    /// A field with the layout of `T`.
    pub const fn of<T: Describe + ?Sized>(offset: usize) -> Self {
        Self { offset: offset as u64, layout: T::LAYOUT }
    }
}

/// Types whose layout is known.
pub trait Describe {
    /// The layout of a value of this type.
    const LAYOUT: &'static Layout;
}

macro_rules! plain {
    ($constructor:ident: $($ty:ty),*) => {
        $(impl Describe for $ty {
            const LAYOUT: &'static Layout = &Layout::$constructor(size_of::<$ty>());
        })*
    };
}

plain!(float: f32, f64);
plain!(integer: i8, i16, i32, i64, i128, isize, u8, u16, u32, u64, u128, usize, bool, char, ());

impl<T: Describe, const N: usize> Describe for [T; N] {
    const LAYOUT: &'static Layout = &Layout::array(size_of::<T>(), N as u64, const { &[Field::of::<T>(0)] });
}

impl<T: Describe> Describe for [T] {
    const LAYOUT: &'static Layout = &Layout::array(size_of::<T>(), u64::MAX, const { &[Field::of::<T>(0)] });
}

macro_rules! pointers {
    ($($ty:ty),*) => {
        $(impl<T: Describe> Describe for $ty {
            const LAYOUT: &'static Layout = &Layout::pointer(const { &[Field::of::<T>(0)] });
        })*
    };
}

pointers!(&T, &mut T, *const T, *mut T);

macro_rules! slice_pointers {
    ($($ty:ty),*) => {
        $(impl<T: Describe> Describe for $ty {
            const LAYOUT: &'static Layout = &Layout::structure(
                size_of::<&[T]>(),
                const {
                    &[
                        Field { offset: 0, layout: &Layout::pointer(&[Field { offset: 0, layout: <[T]>::LAYOUT }]) },
                        Field::of::<usize>(size_of::<usize>()),
                    ]
                },
            );
        })*
    };
}

slice_pointers!(&[T], &mut [T]);

macro_rules! tuples {
    ($(($($name:ident $index:tt),+))*) => {
        $(impl<$($name: Describe),+> Describe for ($($name,)+) {
            const LAYOUT: &'static Layout = &Layout::structure(
                size_of::<Self>(),
                const { &[$(Field::of::<$name>(offset_of!(Self, $index))),+] },
            );
        })*
    };
}

tuples! {
    (A 0)
    (A 0, B 1)
    (A 0, B 1, C 2)
    (A 0, B 1, C 2, D 3)
    (A 0, B 1, C 2, D 3, E 4)
    (A 0, B 1, C 2, D 3, E 4, F 5)
}

/// Asks for the layout of any type at all: `Probe::<T>::LAYOUT` is that of [`Describe`] when `T` is
/// known to have one where it is written, and otherwise, with [`NoLayout`] in scope, null.
#[derive(Debug)]
pub struct Probe<T: ?Sized>(PhantomData<T>);

impl<T: Describe + ?Sized> Probe<T> {
    /// The layout of `T`.
    pub const LAYOUT: *const Layout = T::LAYOUT;
}

/// What [`Probe`] answers for types without a layout: inherent constants win over a trait's.
pub trait NoLayout {
    /// No layout.
    const LAYOUT: *const Layout = ptr::null();
}

impl<T: ?Sized> NoLayout for Probe<T> {}

#[cfg(test)]
mod tests {
    use std::mem::align_of;

    use super::*;

    /// The layout as text: kind letter, size, and what is inside.
    fn text(layout: *const Layout) -> String {
        // SAFETY: layouts are constants.
        let Some(layout) = (unsafe { layout.as_ref() }) else { return "?".into() };
        let fields: &[Field] = if layout.fields.is_null() {
            &[]
        } else {
            // SAFETY: both come from one slice.
            unsafe { std::slice::from_raw_parts(layout.fields, layout.fields_len) }
        };
        let fields: Vec<_> =
            fields.iter().map(|field| format!("{}:{}", field.offset, text(field.layout))).collect();
        let (size, fields) = (layout.size, fields.join(" "));
        match layout.kind {
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
        let kinds = [kind::INTEGER, kind::FLOAT, kind::POINTER, kind::STRUCT, kind::ARRAY];
        assert_eq!(kinds, [1, 2, 3, 4, 5]);
    }

    #[test]
    fn layouts_describe_their_types() {
        assert_eq!(text(f32::LAYOUT), "f4");
        assert_eq!(text(bool::LAYOUT), "i1");
        assert_eq!(text(<()>::LAYOUT), "i0");
        assert_eq!(text(<[f64; 3]>::LAYOUT), "a8x3(0:f8)");
        assert_eq!(text(<[[f32; 2]]>::LAYOUT), "a8x*(0:a4x2(0:f4))");
        assert_eq!(text(<&f64>::LAYOUT), "&8(0:f8)");
        assert_eq!(text(<*mut u8>::LAYOUT), "&8(0:i1)");
        assert_eq!(text(<&mut [f64]>::LAYOUT), "s16(0:&8(0:a8x*(0:f8)) 8:i8)");
        assert_eq!(text(<(f64,)>::LAYOUT), "s8(0:f8)");
    }

    #[test]
    fn layouts_of_tuples_have_the_compilers_offsets() {
        type Pair = (u8, f64);
        let offsets = (offset_of!(Pair, 0), offset_of!(Pair, 1));
        let expected = format!("s16({}:i1 {}:f8)", offsets.0, offsets.1);
        assert_eq!(text(Pair::LAYOUT), expected);
    }

    #[test]
    fn types_without_a_layout_have_none() {
        struct Opaque;
        fn generic<T>() -> *const Layout {
            Probe::<T>::LAYOUT
        }
        assert_eq!(text(Probe::<Opaque>::LAYOUT), "?");
        assert_eq!(text(Probe::<Vec<f64>>::LAYOUT), "?");
        assert_eq!(text(Probe::<str>::LAYOUT), "?");
        assert_eq!(text(Probe::<[f64]>::LAYOUT), "a8x*(0:f8)");
        assert_eq!(text(generic::<f64>()), "?");
    }
}
