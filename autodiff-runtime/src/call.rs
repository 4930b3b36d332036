//! The way from a derivative call to the derivative.

use std::hint::black_box;
use std::ptr;

use crate::site::Site;
use crate::tape;

/// A derivative as the tool makes them: it takes the block of argument slots.
type Derivative = unsafe extern "C-unwind" fn(*mut *mut ());

/// Calls the derivative that the tool wrote into the record; says whether there is one.
///
/// # Safety
///
/// `args` must hold, for each parameter of the record, the primal slot and, for a duplicated one,
/// its shadow slots, each valid for what the shim does with it.
// Never inlined, and opaque to the optimiser: one that saw the null field would conclude that no
// derivative call ever returns, and delete what follows it.
#[inline(never)]
pub unsafe extern "C-unwind" fn __autodiff_call(site: *const Site, args: *mut *mut ()) -> bool {
    let site = black_box(site);
    // SAFETY: callers pass the address of a record.
    let derivative = unsafe { ptr::read_volatile(&raw const (*site).derivative) };
    if derivative.is_null() {
        return false;
    }
    // SAFETY: the field is null or a derivative; the arguments are the caller's promise.
    unsafe {
        let derivative: Derivative = std::mem::transmute(derivative);
        tape::within(|| derivative(args));
    }
    true
}

/// Calls a derivative with its argument slots.
///
/// # Panics
///
/// If the tool made no derivative, or did not build the program.
///
/// # Safety
///
/// As for [`__autodiff_call`].
#[inline]
#[track_caller]
pub unsafe fn call<const N: usize>(site: &'static Site, mut args: [*mut (); N]) {
    // SAFETY: the caller's promise.
    let is_there = unsafe { __autodiff_call(site, args.as_mut_ptr()) };
    if !is_there {
        not_differentiated(site);
    }
}

#[cold]
#[track_caller]
#[inline(never)]
fn not_differentiated(site: &Site) -> ! {
    if let Some(reason) = site.reason() {
        panic!("{}", reason.to_string_lossy());
    }
    let name = site.name();
    // A path stands in quotes, a description such as "a closure passed to `gradient`" does not.
    let quote = if name.contains(' ') { "" } else { "`" };
    panic!(
        "{quote}{name}{quote} was not differentiated: build with `cargo autodiff` (for example `cargo autodiff run`)"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::describe::Describe;
    use crate::site::{Activity, Mode, Param};

    /// Stands in for a derivative of `x * x`.
    unsafe extern "C-unwind" fn square(args: *mut *mut ()) {
        // SAFETY: the test below passes four slots of `f64`.
        unsafe {
            let slot = |index| &mut *(*args.add(index)).cast::<f64>();
            *slot(1) += 2.0 * *slot(0) * *slot(3);
            *slot(2) = *slot(0) * *slot(0);
            *slot(3) = 0.0;
        }
    }

    #[test]
    #[should_panic = "cannot differentiate `square`: it has corners"]
    fn says_why_there_is_no_derivative() {
        let site = const {
            let mut site = Site::new(Mode::Reverse, 1, ptr::null(), &[], "square");
            site.reason = c"cannot differentiate `square`: it has corners".as_ptr();
            &{ site }
        };
        // SAFETY: the record has no parameters.
        unsafe { call(site, []) };
    }

    const PARAM: Param = Param::pointer(Activity::Duplicated, f64::LAYOUT);

    #[test]
    fn calls_what_the_record_holds() {
        let site = const {
            let mut site = Site::new(Mode::Reverse, 1, ptr::null(), const { &[PARAM, PARAM] }, "square");
            site.derivative = square as *const ();
            &{ site }
        };
        let (mut x, mut dx, mut value, mut seed) = (3.0, 1.0, 0.0, 0.5);
        let args: [&mut f64; 4] = [&mut x, &mut dx, &mut value, &mut seed];
        // SAFETY: these are the slots of the record's two parameters.
        unsafe { call(site, args.map(|slot| ptr::from_mut(slot).cast())) };
        assert_eq!((dx, value, seed), (4.0, 9.0, 0.0));
    }
}
