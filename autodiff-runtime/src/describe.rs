//! What types tell of themselves: which of their bytes are float, integer or pointer, and whether
//! two values have the same shape.

use std::marker::PhantomData;
use std::mem::{ManuallyDrop, align_of, needs_drop, offset_of, size_of, transmute_copy};
use std::ptr;

use crate::layout::{Field, Layout};
use crate::shape::Difference;

/// Types that describe themselves.
#[diagnostic::on_unimplemented(
    message = "nothing tells which bytes of `{Self}` are floating-point numbers",
    label = "write `#[derive(autodiff::Differentiable)]` on this type"
)]
pub trait Describe {
    /// The layout of a value of this type.
    const LAYOUT: &'static Layout;

    /// Whether two values can differ in shape.
    const SHAPED: bool = false;

    /// Whether floats can be reached from a value.
    const FLOATS: bool = false;

    /// Whether floats can be reached through a shared reference only, where no gradient may be
    /// written.
    const SHARED: bool = false;

    /// Adds the addresses of the memory that a value owns.
    #[inline]
    fn owned(&self, _addresses: &mut Vec<usize>) {}

    /// Whether a value owns no memory but that at these addresses, which are sorted.
    #[inline]
    fn owns_only(&self, _addresses: &[usize]) -> bool {
        true
    }

    /// How the shape of a shadow differs from that of this value.
    #[inline]
    fn difference(&self, _shadow: &Self) -> Option<Difference> {
        None
    }
}

macro_rules! plain {
    ($constructor:ident $floats:literal: $($ty:ty),*) => {
        $(impl Describe for $ty {
            const LAYOUT: &'static Layout = &Layout::$constructor(size_of::<$ty>());
            const FLOATS: bool = $floats;
        })*
    };
}

plain!(float true: f32, f64);
plain!(integer false: i8, i16, i32, i64, i128, isize, u8, u16, u32, u64, u128, usize, bool, char, ());

impl<T: ?Sized> Describe for PhantomData<T> {
    const LAYOUT: &'static Layout = &Layout::integer(0);
}

impl<T: Describe> Describe for ManuallyDrop<T> {
    const LAYOUT: &'static Layout = T::LAYOUT;
    const SHAPED: bool = T::SHAPED;
    const FLOATS: bool = T::FLOATS;
    const SHARED: bool = T::SHARED;

    #[inline]
    fn difference(&self, shadow: &Self) -> Option<Difference> {
        (**self).difference(shadow)
    }
}

impl<T: Describe, const N: usize> Describe for [T; N] {
    const LAYOUT: &'static Layout = &Layout::array(size_of::<T>(), N as u64, const { &[Field::of::<T>(0)] });
    const SHAPED: bool = T::SHAPED;
    const FLOATS: bool = T::FLOATS;
    const SHARED: bool = T::SHARED;

    #[inline]
    fn difference(&self, shadow: &Self) -> Option<Difference> {
        self[..].difference(&shadow[..])
    }

    #[inline]
    fn owned(&self, addresses: &mut Vec<usize>) {
        self[..].owned(addresses);
    }

    #[inline]
    fn owns_only(&self, addresses: &[usize]) -> bool {
        self[..].owns_only(addresses)
    }
}

impl<T: Describe> Describe for [T] {
    const LAYOUT: &'static Layout = &Layout::array(size_of::<T>(), u64::MAX, const { &[Field::of::<T>(0)] });
    const SHAPED: bool = true;
    const FLOATS: bool = T::FLOATS;
    const SHARED: bool = T::SHARED;

    #[inline]
    fn difference(&self, shadow: &Self) -> Option<Difference> {
        if self.len() != shadow.len() {
            return Some(Difference::Length { expected: self.len(), found: shadow.len() });
        }
        if T::SHAPED { self.iter().zip(shadow).find_map(|(one, other)| one.difference(other)) } else { None }
    }

    #[inline]
    fn owned(&self, addresses: &mut Vec<usize>) {
        if needs_drop::<T>() {
            for element in self {
                element.owned(addresses);
            }
        }
    }

    #[inline]
    fn owns_only(&self, addresses: &[usize]) -> bool {
        !needs_drop::<T>() || self.iter().all(|element| element.owns_only(addresses))
    }
}

macro_rules! raw_pointers {
    ($($ty:ty),*) => {
        $(impl<T: Describe> Describe for $ty {
            const LAYOUT: &'static Layout = &Layout::pointer(const { &[Field::of::<T>(0)] });
            const FLOATS: bool = T::FLOATS;
            const SHARED: bool = T::SHARED;
        })*
    };
}

raw_pointers!(*const T, *mut T);

macro_rules! pointers {
    ($($ty:ty: $shares:literal),*) => {
        $(impl<T: Describe> Describe for $ty {
            const LAYOUT: &'static Layout = &Layout::pointer(const { &[Field::of::<T>(0)] });
            const SHAPED: bool = T::SHAPED;
            const FLOATS: bool = T::FLOATS;
            const SHARED: bool = T::SHARED || $shares && T::FLOATS;

            #[inline]
            fn difference(&self, shadow: &Self) -> Option<Difference> {
                if T::SHAPED { (**self).difference(shadow) } else { None }
            }

            #[inline]
            fn owned(&self, addresses: &mut Vec<usize>) {
                if needs_drop::<Self>() {
                    addresses.push(ptr::from_ref(&**self).addr());
                    (**self).owned(addresses);
                }
            }

            #[inline]
            fn owns_only(&self, addresses: &[usize]) -> bool {
                !needs_drop::<Self>() || {
                    let address = ptr::from_ref(&**self).addr();
                    addresses.binary_search(&address).is_ok() && (**self).owns_only(addresses)
                }
            }
        })*
    };
}

pointers!(&T: true, &mut T: false, Box<T>: false);

macro_rules! slice_pointers {
    ($($ty:ty: $shares:literal),*) => {
        $(impl<T: Describe> Describe for $ty {
            const LAYOUT: &'static Layout = &Layout::structure(
                size_of::<&[T]>(),
                const {
                    &[
                        Field::new(0, const { &Layout::pointer(const { &[Field::of::<[T]>(0)] }) }),
                        Field::of::<usize>(size_of::<usize>()),
                    ]
                },
            );
            const SHAPED: bool = true;
            const FLOATS: bool = T::FLOATS;
            const SHARED: bool = T::SHARED || $shares && T::FLOATS;

            #[inline]
            fn difference(&self, shadow: &Self) -> Option<Difference> {
                (**self).difference(shadow)
            }

            #[inline]
            fn owned(&self, addresses: &mut Vec<usize>) {
                if needs_drop::<Self>() {
                    addresses.push(self.as_ptr().addr());
                    (**self).owned(addresses);
                }
            }

            #[inline]
            fn owns_only(&self, addresses: &[usize]) -> bool {
                !needs_drop::<Self>()
                    || addresses.binary_search(&self.as_ptr().addr()).is_ok() && (**self).owns_only(addresses)
            }
        })*
    };
}

slice_pointers!(&[T]: true, &mut [T]: false, Box<[T]>: false);

const WORD: usize = size_of::<usize>();

/// Which word of a `Vec<T>` is the pointer: the one that is not zero when there are no elements.
const fn pointer_of_vec<T>() -> Option<usize> {
    const { assert!(size_of::<Vec<T>>() == 3 * WORD) }
    let empty = ManuallyDrop::new(Vec::<T>::new());
    // SAFETY: it consists of three words; the address of no elements is a mere number.
    let words: [usize; 3] = unsafe { transmute_copy(&empty) };
    match words {
        [0, 0, 0] => None,
        [_, 0, 0] => Some(0),
        [0, _, 0] => Some(1),
        [0, 0, _] => Some(2),
        _ => None,
    }
}

impl<T: Describe> Describe for Vec<T> {
    const LAYOUT: &'static Layout = match pointer_of_vec::<T>() {
        Some(_) => &Layout::structure(
            size_of::<Self>(),
            const {
                let pointer = match pointer_of_vec::<T>() {
                    Some(pointer) => pointer,
                    None => 0,
                };
                &[
                    Field::new(pointer * WORD, const { &Layout::pointer(const { &[Field::of::<[T]>(0)] }) }),
                    Field::of::<usize>((pointer + 1) % 3 * WORD),
                    Field::of::<usize>((pointer + 2) % 3 * WORD),
                ]
            },
        ),
        None => &Layout::unknown(size_of::<Self>()),
    };
    const SHAPED: bool = true;
    const FLOATS: bool = T::FLOATS;
    const SHARED: bool = T::SHARED;

    #[inline]
    fn difference(&self, shadow: &Self) -> Option<Difference> {
        self[..].difference(&shadow[..])
    }

    #[inline]
    fn owned(&self, addresses: &mut Vec<usize>) {
        addresses.push(self.as_ptr().addr());
        self[..].owned(addresses);
    }

    #[inline]
    fn owns_only(&self, addresses: &[usize]) -> bool {
        addresses.binary_search(&self.as_ptr().addr()).is_ok() && self[..].owns_only(addresses)
    }
}

// The text of a shadow does not matter.
impl Describe for String {
    const LAYOUT: &'static Layout = <Vec<u8>>::LAYOUT;
}

impl Describe for &str {
    const LAYOUT: &'static Layout = <&[u8]>::LAYOUT;
}

impl<T: Describe> Describe for Option<T> {
    // Without a byte more than `T`, `None` is a value that `T` does not use. Otherwise a tag comes
    // first; the value follows as soon as its alignment permits.
    const LAYOUT: &'static Layout = if size_of::<Self>() == size_of::<T>() {
        T::LAYOUT
    } else if size_of::<Self>() == align_of::<T>() + size_of::<T>() {
        &Layout::structure(
            size_of::<Self>(),
            const {
                &[Field::new(0, const { &Layout::integer(align_of::<T>()) }), Field::of::<T>(align_of::<T>())]
            },
        )
    } else {
        &Layout::unknown(size_of::<Self>())
    };
    const SHAPED: bool = true;
    const FLOATS: bool = T::FLOATS;
    const SHARED: bool = T::SHARED;

    #[inline]
    fn difference(&self, shadow: &Self) -> Option<Difference> {
        match (self, shadow) {
            (Some(one), Some(other)) => one.difference(other),
            (None, None) => None,
            _ => Some(Difference::Variant),
        }
    }

    #[inline]
    fn owned(&self, addresses: &mut Vec<usize>) {
        if let Some(value) = self {
            value.owned(addresses);
        }
    }

    #[inline]
    fn owns_only(&self, addresses: &[usize]) -> bool {
        self.iter().all(|value| value.owns_only(addresses))
    }
}

macro_rules! tuples {
    ($(($($name:ident $index:tt),+))*) => {
        $(impl<$($name: Describe),+> Describe for ($($name,)+) {
            const LAYOUT: &'static Layout = &Layout::structure(
                size_of::<Self>(),
                const { &[$(Field::of::<$name>(offset_of!(Self, $index))),+] },
            );
            const SHAPED: bool = $($name::SHAPED)||+;
            const FLOATS: bool = $($name::FLOATS)||+;
            const SHARED: bool = $($name::SHARED)||+;

            #[inline]
            fn difference(&self, shadow: &Self) -> Option<Difference> {
                None$(.or_else(|| self.$index.difference(&shadow.$index)))+
            }

            #[inline]
            fn owned(&self, addresses: &mut Vec<usize>) {
                $(self.$index.owned(addresses);)+
            }

            #[inline]
            fn owns_only(&self, addresses: &[usize]) -> bool {
                $(self.$index.owns_only(addresses))&&+
            }
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
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6)
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7)
}

macro_rules! functions {
    ($(($($name:ident)*))*) => {
        $(impl<R, $($name),*> Describe for fn($($name),*) -> R {
            const LAYOUT: &'static Layout = &Layout::pointer(&[]);
        })*
    };
}

functions! { () (A) (A B) (A B C) (A B C D) }

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::tests::text;
    use crate::probe::{NoLayout as _, Probe};

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
        assert_eq!(text(Probe::<std::rc::Rc<f64>>::LAYOUT), "?");
        assert_eq!(text(Probe::<str>::LAYOUT), "?");
        assert_eq!(text(Probe::<[f64]>::LAYOUT), "a8x*(0:f8)");
        assert_eq!(text(generic::<f64>()), "?");
    }

    /// Where a part of a value lies.
    fn offset<T, P>(whole: &T, part: &P) -> usize {
        ptr::from_ref(part).addr() - ptr::from_ref(whole).addr()
    }

    #[test]
    fn layouts_of_vectors_have_the_librarys_offsets() {
        let vector = vec![1.0, 2.0];
        let words = (&raw const vector).cast::<[usize; 3]>();
        // SAFETY: a `Vec` consists of three words.
        let pointer = unsafe { (*words).iter().position(|word| *word == vector.as_ptr().addr()) };
        assert_eq!(pointer_of_vec::<f64>(), pointer);
        assert_eq!(pointer_of_vec::<u8>(), pointer);
        let layout = text(<Vec<f64>>::LAYOUT);
        assert!(
            layout.starts_with(&format!("s24({}:&8(0:a8x*(0:f8))", pointer.expect("a word") * 8)),
            "{layout}"
        );
        let string = String::from("text");
        let words = (&raw const string).cast::<[usize; 3]>();
        // SAFETY: so does a `String`.
        let of_string = unsafe { (*words).iter().position(|word| *word == string.as_ptr().addr()) };
        assert_eq!(of_string, pointer);
        assert_eq!(text(<Box<f32>>::LAYOUT), "&8(0:f4)");
        assert_eq!(text(<Box<[f32]>>::LAYOUT), "s16(0:&8(0:a4x*(0:f4)) 8:i8)");
    }

    #[test]
    fn layouts_of_options_have_the_compilers_offsets() {
        fn payload<T>(value: T) -> usize {
            let option = Some(value);
            offset(&option, option.as_ref().expect("a value"))
        }
        assert_eq!(payload(1f64), 8);
        assert_eq!(text(<Option<f64>>::LAYOUT), "s16(0:i8 8:f8)");
        assert_eq!(payload((1f32, 1u8)), 4);
        assert_eq!(payload(1u8), 1);
        assert_eq!(text(<Option<u8>>::LAYOUT), "s2(0:i1 1:i1)");
        assert_eq!(text(<Option<&f64>>::LAYOUT), "&8(0:f8)");
        assert_eq!(payload([1f64; 3]), 8);
        assert_eq!(payload(vec![1f64]), 0);
        assert_eq!(text(<Option<Vec<f64>>>::LAYOUT), text(<Vec<f64>>::LAYOUT));
    }

    #[test]
    fn shared_floats_are_found() {
        let shared = [<&f64>::SHARED, <Vec<(u8, &[f32])>>::SHARED, <Option<Box<&&mut f64>>>::SHARED];
        assert_eq!(shared, [true; 3]);
        let others = [<&u8>::SHARED, <(&[u8], f64)>::SHARED, <&mut [f64]>::SHARED, <*const f64>::SHARED];
        assert_eq!(others, [false; 4]);
    }

    #[test]
    fn shapes_are_compared_to_the_depth() {
        let nested = (vec![vec![1.0]], Some(2.0));
        assert_eq!(nested.difference(&nested), None);
        let other = (vec![vec![1.0, 2.0]], Some(2.0));
        assert_eq!(nested.difference(&other), Some(Difference::Length { expected: 1, found: 2 }));
        assert_eq!(nested.difference(&(vec![vec![5.0]], None)), Some(Difference::Variant));
        const { assert!(!<[(f64, &f64); 3]>::SHAPED && <&[[f64; 2]]>::SHAPED) }
    }
}
