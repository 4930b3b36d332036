//! Calls of derivatives of closures: what is differentiated, and the slots of its arguments.

use std::array;
use std::marker::PhantomData;
use std::ptr;

use super::Transform;
use crate::call::call;
use crate::describe::Describe;
use crate::differentiable::{Differentiable, assign};
use crate::point::View;
use crate::scalar::Scalar;
use crate::site::{Activity, Mode, Param, Site};

/// How many directions one call takes in batched modes.
pub(crate) const WIDTH: usize = 8;

/// Calls a function and writes the floats of its result into a value of the same shape: memory of
/// its own cannot leave what is differentiated. Pointers and lengths only, so that no Rust calling
/// convention is ever guessed.
///
/// # Safety
///
/// The `n` elements at `x` must be valid to read.
unsafe extern "C-unwind" fn shim<F, V, Y, N>(f: &F, x: *const V::Item, n: usize, out: &mut Y)
where
    F: Fn(&V) -> Y,
    V: View + ?Sized,
    Y: Differentiable,
    N: Transform,
{
    // SAFETY: the caller's promise.
    let y = f(unsafe { V::__of_parts(x, n) });
    assert!(!Y::SHAPED || y.difference(out).is_none(), "{}", N::MISFIT);
    assign(out, &y);
}

/// Adds a gradient to the zeros at `g`: differentiated forward, this gives products with the Hessian.
///
/// # Safety
///
/// The `n` elements at `x` must be valid to read, those at `g` to write.
unsafe extern "C-unwind" fn gradient_shim<F, V, S, N>(
    f: &F,
    x: *const V::Item,
    n: usize,
    g: *mut V::Item,
    out: &mut S,
) where
    F: Fn(&V) -> S,
    V: View + ?Sized,
    S: Scalar,
    N: Transform,
{
    // SAFETY: the caller's promise.
    let (x, g) = unsafe { (V::__of_parts(x, n), V::__of_parts_mut(g, n)) };
    let mut seed = S::ONE;
    reverse::<F, V, S, N>(f, x, g, out, &mut seed);
}

/// Value and slope of a function along `v`: differentiated forward, this gives the curvature.
///
/// # Safety
///
/// The `n` elements at `x` and at `v` must be valid to read.
unsafe extern "C-unwind" fn slope_shim<F, V, S, N>(
    f: &F,
    x: *const V::Item,
    n: usize,
    v: *const V::Item,
    value: &mut S,
    slope: &mut S,
) where
    F: Fn(&V) -> S,
    V: View + ?Sized,
    S: Scalar,
    N: Transform,
{
    // SAFETY: the caller's promise.
    let (x, v) = unsafe { (V::__of_parts(x, n), V::__of_parts(v, n)) };
    forward::<F, V, S, N>(f, x, v, value, slope);
}

/// The parameters of the shims.
struct Params<V: ?Sized, Y>(PhantomData<V>, PhantomData<Y>);

const FUNCTION: Param = Param::pointer(Activity::Const, ptr::null());

impl<V: View + ?Sized, Y: Describe> Params<V, Y> {
    const X: Param = Param::pointer(Activity::Duplicated, V::LAYOUT);
    const OUT: Param = Param::exclusive(Activity::Duplicated, Y::LAYOUT);
    const OF_SHIM: &'static [Param] = &[FUNCTION, Self::X, Param::INTEGER, Self::OUT];
    const OF_GRADIENT: &'static [Param] =
        &[FUNCTION, Self::X, Param::INTEGER, Param::exclusive(Activity::Duplicated, V::LAYOUT), Self::OUT];
    const OF_SLOPE: &'static [Param] = &[
        FUNCTION,
        Self::X,
        Param::INTEGER,
        Param::pointer(Activity::Const, V::LAYOUT),
        Self::OUT,
        Self::OUT,
    ];
}

type Slot = *mut ();

/// The slot of what is only read.
#[inline]
const fn read<T>(value: *const T) -> Slot {
    value.cast_mut().cast()
}

/// Adds the gradient of `f` at `x` to `dx`, scaled by `dy`, which is used up; `y` becomes the value.
/// Shapes must be equal, which the callers check.
#[inline]
#[track_caller]
pub(crate) fn reverse<F, V, Y, N>(f: &F, x: &V, dx: &mut V, y: &mut Y, dy: &mut Y)
where
    F: Fn(&V) -> Y,
    V: View + ?Sized,
    Y: Differentiable,
    N: Transform,
{
    let site = const {
        &Site::new(Mode::Reverse, 1, shim::<F, V, Y, N> as *const (), Params::<V, Y>::OF_SHIM, N::NAME)
    };
    let (start, n) = x.__parts();
    let slots = [
        read(f),
        read(start),
        dx.__start().cast(),
        ptr::without_provenance_mut(n),
        ptr::from_mut(y).cast(),
        ptr::from_mut(dy).cast(),
    ];
    // SAFETY: the slots are those of `shim`, and all of them outlive the call. `f` and `x` are only
    // read.
    unsafe { call(site, slots) }
}

/// [`reverse`] for several seeds at once.
#[inline]
#[track_caller]
pub(crate) fn reverse_batch<F, V, Y, N>(f: &F, x: &V, mut dx: [&mut V; WIDTH], y: &mut Y, dy: &mut [Y; WIDTH])
where
    F: Fn(&V) -> Y,
    V: View + ?Sized,
    Y: Differentiable,
    N: Transform,
{
    let site = const {
        &Site::new(
            Mode::Reverse,
            WIDTH as u32,
            shim::<F, V, Y, N> as *const (),
            Params::<V, Y>::OF_SHIM,
            N::NAME,
        )
    };
    let (start, n) = x.__parts();
    let dx = array::from_fn(|index| dx[index].__start().cast());
    let dy = dy.each_mut().map(|dy| ptr::from_mut(dy).cast());
    let slots = batch(read(f), read(start), dx, n, ptr::from_mut(y).cast(), dy);
    // SAFETY: as above.
    unsafe { call(site, slots) }
}

/// `dy` becomes the tangent of `f` at `x` along `dx`, `y` the value. Shapes must be equal, which the
/// callers check.
#[inline]
#[track_caller]
pub(crate) fn forward<F, V, Y, N>(f: &F, x: &V, dx: &V, y: &mut Y, dy: &mut Y)
where
    F: Fn(&V) -> Y,
    V: View + ?Sized,
    Y: Differentiable,
    N: Transform,
{
    let site = const {
        &Site::new(Mode::Forward, 1, shim::<F, V, Y, N> as *const (), Params::<V, Y>::OF_SHIM, N::NAME)
    };
    let (start, n) = x.__parts();
    let slots = [
        read(f),
        read(start),
        read(dx.__parts().0),
        ptr::without_provenance_mut(n),
        ptr::from_mut(y).cast(),
        ptr::from_mut(dy).cast(),
    ];
    // SAFETY: the slots are those of `shim`, and all of them outlive the call. `f`, `x` and `dx` are
    // only read.
    unsafe { call(site, slots) }
}

/// [`forward`] for several directions at once.
#[inline]
#[track_caller]
pub(crate) fn forward_batch<F, V, Y, N>(f: &F, x: &V, dx: [&V; WIDTH], y: &mut Y, dy: &mut [Y; WIDTH])
where
    F: Fn(&V) -> Y,
    V: View + ?Sized,
    Y: Differentiable,
    N: Transform,
{
    let site = const {
        &Site::new(
            Mode::Forward,
            WIDTH as u32,
            shim::<F, V, Y, N> as *const (),
            Params::<V, Y>::OF_SHIM,
            N::NAME,
        )
    };
    let (start, n) = x.__parts();
    let dx = dx.map(|dx| read(dx.__parts().0));
    let dy = dy.each_mut().map(|dy| ptr::from_mut(dy).cast());
    let slots = batch(read(f), read(start), dx, n, ptr::from_mut(y).cast(), dy);
    // SAFETY: as above.
    unsafe { call(site, slots) }
}

/// The slots of a batched call of `shim`.
#[inline]
fn batch(f: Slot, x: Slot, dx: [Slot; WIDTH], n: usize, y: Slot, dy: [Slot; WIDTH]) -> [Slot; 2 * WIDTH + 4] {
    let mut slots = [f; 2 * WIDTH + 4];
    slots[1] = x;
    slots[2..2 + WIDTH].copy_from_slice(&dx);
    slots[2 + WIDTH] = ptr::without_provenance_mut(n);
    slots[3 + WIDTH] = y;
    slots[4 + WIDTH..].copy_from_slice(&dy);
    slots
}

/// `gradient`, which must be zero, becomes the gradient of `f` at `x`, and `product`, which must be
/// zero, that of the Hessian with `v`. Returns the value.
#[inline]
#[track_caller]
pub(crate) fn curvature<F, V, S, N>(f: &F, x: &V, v: &V, gradient: &mut V, product: &mut V) -> S
where
    F: Fn(&V) -> S,
    V: View + ?Sized,
    S: Scalar,
    N: Transform,
{
    let site = const {
        let shim = gradient_shim::<F, V, S, N> as *const ();
        &Site::new(Mode::Forward, 1, shim, Params::<V, S>::OF_GRADIENT, N::NAME)
    };
    let (start, n) = x.__parts();
    let (mut value, mut slope) = (S::ZERO, S::ZERO);
    let slots = [
        read(f),
        read(start),
        read(v.__parts().0),
        ptr::without_provenance_mut(n),
        gradient.__start().cast(),
        product.__start().cast(),
        (&raw mut value).cast(),
        (&raw mut slope).cast(),
    ];
    // SAFETY: the slots are those of `gradient_shim`, and all of them outlive the call. `f`, `x` and
    // `v` are only read.
    unsafe { call(site, slots) }
    value
}

/// [`curvature`] for several directions at once.
#[inline]
#[track_caller]
pub(crate) fn curvature_batch<F, V, S, N>(
    f: &F,
    x: &V,
    v: [&V; WIDTH],
    gradient: &mut V,
    mut products: [&mut V; WIDTH],
) -> S
where
    F: Fn(&V) -> S,
    V: View + ?Sized,
    S: Scalar,
    N: Transform,
{
    let site = const {
        let shim = gradient_shim::<F, V, S, N> as *const ();
        &Site::new(Mode::Forward, WIDTH as u32, shim, Params::<V, S>::OF_GRADIENT, N::NAME)
    };
    let (start, n) = x.__parts();
    let (mut value, mut slopes) = (S::ZERO, [S::ZERO; WIDTH]);
    let v = v.map(|v| read(v.__parts().0));
    let products = array::from_fn(|index| products[index].__start().cast());
    let mut slots = [read(f); 3 * WIDTH + 5];
    slots[..2 * WIDTH + 4].copy_from_slice(&batch(
        read(f),
        read(start),
        v,
        n,
        gradient.__start().cast(),
        products,
    ));
    slots[2 * WIDTH + 4] = (&raw mut value).cast();
    for (slot, slope) in slots[2 * WIDTH + 5..].iter_mut().zip(&mut slopes) {
        *slot = ptr::from_mut(slope).cast();
    }
    // SAFETY: as above.
    unsafe { call(site, slots) }
    value
}

/// Value, slope and curvature of `f` at `x` along `v`.
#[inline]
#[track_caller]
pub(crate) fn along<F, V, S, N>(f: &F, x: &V, v: &V) -> [S; 3]
where
    F: Fn(&V) -> S,
    V: View + ?Sized,
    S: Scalar,
    N: Transform,
{
    let site = const {
        let shim = slope_shim::<F, V, S, N> as *const ();
        &Site::new(Mode::Forward, 1, shim, Params::<V, S>::OF_SLOPE, N::NAME)
    };
    let (start, n) = x.__parts();
    let v = read(v.__parts().0);
    let (mut value, mut slope, mut bend) = ([S::ZERO; 2], S::ZERO, S::ZERO);
    let [value, also_slope] = &mut value;
    let slots = [
        read(f),
        read(start),
        v,
        ptr::without_provenance_mut(n),
        v,
        ptr::from_mut(value).cast(),
        ptr::from_mut(also_slope).cast(),
        (&raw mut slope).cast(),
        (&raw mut bend).cast(),
    ];
    // SAFETY: the slots are those of `slope_shim`, and all of them outlive the call. `f`, `x` and `v`
    // are only read.
    unsafe { call(site, slots) }
    [*value, slope, bend]
}
