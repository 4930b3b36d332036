//! What the expansion of the attributes calls.

use std::any::TypeId;
use std::marker::PhantomData;
use std::mem::{MaybeUninit, needs_drop, size_of, size_of_val};
use std::ptr::{self, NonNull};

use crate::scalar::Element;
use crate::shape::{Difference, misfit};

/// What a shim parameter may be: a thin pointer or a length.
pub trait Word: sealed::Sealed {}

impl Word for usize {}
impl<T> Word for *const T {}
impl<T> Word for *mut T {}

mod sealed {
    pub trait Sealed {}
    impl Sealed for usize {}
    impl<T> Sealed for *const T {}
    impl<T> Sealed for *mut T {}
}

/// A closure without captures that takes pointers and integers, of which a shim can be made.
///
/// The shim is a function of its own, with the same parameters and a calling convention that does
/// not depend on the compiler: closures cannot have one.
pub trait Shim<Parameters> {
    /// The shim.
    const ADDRESS: *const ();
}

/// The shim of a closure.
pub const fn shim<Parameters, F: Shim<Parameters>>(_: &F) -> *const () {
    F::ADDRESS
}

/// The one value of a closure type without captures.
#[inline]
const fn stateless<'a, F>() -> &'a F {
    const { assert!(size_of::<F>() == 0, "shims capture nothing") }
    // SAFETY: a dangling pointer is a valid reference to a value of size zero, and a closure that
    // has no captures can be called from nothing.
    unsafe { NonNull::dangling().as_ref() }
}

macro_rules! shims {
    ($($name:ident)*; $($rest:ident)*) => {
        shims!(@one $($name)*);
        shims!(@step $($name)*; $($rest)*);
    };
    (@step $($name:ident)*; $next:ident $($rest:ident)*) => {
        shims!($($name)* $next; $($rest)*);
    };
    (@step $($name:ident)*;) => {};
    (@one $($name:ident)*) => {
        impl<Function, $($name),*> Shim<($($name,)*)> for Function
        where
            Function: Fn($($name),*),
            $($name: Word,)*
        {
            const ADDRESS: *const () = {
                #[allow(non_snake_case)]
                extern "C-unwind" fn shim<Function: Fn($($name),*), $($name),*>($($name: $name),*) {
                    stateless::<Function>()($($name),*);
                }
                shim::<Function, $($name),*> as *const ()
            };
        }
    };
}

shims!(; A B C D E F G H I J K L M N O P Q R S T U V W X Y Z A1 B1 C1 D1 E1 F1);

/// Panics unless a shadow has as many elements as its argument requires.
///
/// # Panics
///
/// As it says.
#[track_caller]
#[inline]
pub fn check_length(function: &str, argument: &str, shadow: &str, expected: usize, found: usize) {
    if expected != found {
        misfit(function, argument, shadow, Difference::Length { expected, found });
    }
}

/// Panics if a shadow lies where its argument does.
///
/// # Panics
///
/// As it says.
#[track_caller]
#[inline]
pub fn check_distinct<T: ?Sized>(function: &str, argument: &str, name: &str, primal: &T, shadow: &T) {
    if ptr::addr_eq(primal, shadow) && size_of_val(primal) > 0 {
        alias(function, argument, name);
    }
}

/// The same for raw pointers.
///
/// # Panics
///
/// As it says.
#[track_caller]
#[inline]
pub fn check_pointers<T>(function: &str, argument: &str, name: &str, primal: *const T, shadow: *const T) {
    if ptr::eq(primal, shadow) && size_of::<T>() > 0 {
        alias(function, argument, name);
    }
}

#[cold]
#[inline(never)]
#[track_caller]
fn alias(function: &str, argument: &str, shadow: &str) -> ! {
    panic!(
        "`{function}`: the shadow `{shadow}` of `{argument}` is `{argument}` itself: it must have memory of its own"
    )
}

/// The slot of a value on the stack.
#[inline]
pub const fn place<T>(value: *mut T) -> *mut () {
    value.cast()
}

/// The slot of what is behind a reference.
#[inline]
pub const fn reference<T>(value: &T) -> *mut () {
    ptr::from_ref(value).cast_mut().cast()
}

/// The slot of what is behind a mutable reference.
#[inline]
pub const fn reference_mut<T>(value: &mut T) -> *mut () {
    ptr::from_mut(value).cast()
}

/// The slot of a slice's elements.
#[inline]
pub const fn elements<T>(slice: &[T]) -> *mut () {
    slice.as_ptr().cast_mut().cast()
}

/// The slot of a mutable slice's elements.
#[inline]
pub const fn elements_mut<T>(slice: &mut [T]) -> *mut () {
    slice.as_mut_ptr().cast()
}

/// The slot of elements further on.
#[inline]
pub const fn part<T>(base: *mut (), offset: usize) -> *mut () {
    base.cast::<T>().wrapping_add(offset).cast()
}

/// The slot of what is behind a raw pointer.
#[inline]
pub const fn pointer<T>(pointer: *const T) -> *mut () {
    pointer.cast_mut().cast()
}

/// The slot of a slice's length.
#[inline]
pub const fn length(length: usize) -> *mut () {
    ptr::without_provenance_mut(length)
}

/// The same for a type parameter without bounds.
///
/// # Panics
///
/// If it is not a float after all.
#[inline]
pub fn zero_of<T>(function: &str, argument: &str) -> T {
    if is::<T, f32>() || is::<T, f64>() {
        // SAFETY: all bits zero are a float.
        return unsafe { MaybeUninit::zeroed().assume_init() };
    }
    panic!(
        "`{function}`: `{argument}` is Active, so it must be `f32` or `f64`, not `{}`",
        std::any::type_name::<T>()
    )
}

/// Whether two types are one.
#[inline]
fn is<T, U: 'static>() -> bool {
    trait Identity {
        fn id(&self) -> TypeId
        where
            Self: 'static;
    }
    impl<T> Identity for PhantomData<T> {
        fn id(&self) -> TypeId
        where
            Self: 'static,
        {
            TypeId::of::<T>()
        }
    }
    let marker = PhantomData::<T>;
    let object: &dyn Identity = &marker;
    // SAFETY: only the lifetime bound of the object changes, and the method uses no value of `T`. Types
    // that differ in lifetimes alone have one id; no such type has that of `U`.
    let object: &(dyn Identity + 'static) = unsafe { std::mem::transmute(object) };
    object.id() == TypeId::of::<U>()
}

/// Fails to compile if the shadow of an argument cannot be written to.
///
/// # Panics
///
/// As it says, where a constant is evaluated.
pub const fn check_shared(is_shared: bool) {
    assert!(
        !is_shared,
        "the gradient would be written through a shared reference: own the numbers, borrow them with `&mut`, or pass them as an argument of their own"
    );
}

/// The addresses that `list` adds, sorted.
#[inline]
pub fn addresses(list: impl FnOnce(&mut Vec<usize>)) -> Vec<usize> {
    let mut addresses = Vec::new();
    list(&mut addresses);
    addresses.sort_unstable();
    addresses
}

/// Ends the program if an argument has got new memory from a reverse-mode derivative, which has freed
/// it since: neither can the argument be used any more, nor dropped.
#[inline]
pub fn check_memory(function: &str, argument: &str, is_its_own: bool) {
    #[cold]
    #[inline(never)]
    fn lost(function: &str, argument: &str) -> ! {
        eprintln!(
            "`{function}`: `{argument}` got new memory, which a derivative in reverse mode cannot keep: reserve enough before the call"
        );
        std::process::abort()
    }
    if !is_its_own {
        lost(function, argument);
    }
}

/// Fails to compile if a derivative cannot return a result of this type.
///
/// The memory that a result owns has a shadow that the derivative allocates: no seed gets there, and
/// nobody would own it. In reverse mode, the memory itself is the derivative's.
///
/// # Panics
///
/// As it says, where a constant is evaluated.
pub const fn check_result<T>() {
    assert!(
        !needs_drop::<T>(),
        "a derivative cannot return a result that owns memory: let the function write its numbers to a `&mut` slice (in forward mode, `Const` is fine)"
    );
}

/// The shadow that the gradient of an `Active` argument starts from.
#[inline]
pub const fn zero<T: Element>() -> T {
    T::ZERO
}
