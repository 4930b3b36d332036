//! Less memory for more computation: what a function computes is computed again for its derivative,
//! instead of being kept.
//!
//! A gradient keeps the values that a function computes on the way until it comes back to them. For
//! a long computation these are many. [`checkpoint()`] keeps the arguments of a part of it only, and
//! computes the rest again; [`repeat`] does so for a loop, and keeps as many states as it is told to.
//!
//! Both are functions with rules in reverse mode: where they are differentiated in forward mode, which
//! keeps nothing, call the function itself.

mod schedule;

use std::ptr;

use crate::attribute::{elements, elements_mut, length, place, reference, shim};
use crate::call::call;
use crate::describe::Describe;
use crate::rule::{Rule, Slots, Tangent, Word, call_rule, floats, keep, release, saved};
use crate::scalar::Element;
use crate::site::{Activity, Mode, Param, Site};

/// A block of argument slots.
type Block = *mut *mut ();

/// Calls a function, of which the derivative keeps only the argument.
///
/// `f` is copied, so what it captures must be numbers and the like, and must not depend on what is
/// differentiated: that must be in `x`.
///
/// # Panics
///
/// If `f` does.
///
/// # Examples
///
/// ```no_run
/// // Not run here: derivatives exist only in programs that `cargo autodiff` built.
/// let f = |x: &[f64]| (0..1000).fold(x[0], |y, _| (x[1] * y).sin());
/// let slope = autodiff::gradient(|x: &[f64; 2]| autodiff::checkpoint(f, x), &[1.0, 2.0]);
/// assert_eq!(slope, autodiff::gradient(|x: &[f64; 2]| f(x), &[1.0, 2.0]));
/// ```
#[inline]
pub fn checkpoint<T, R, F>(f: F, x: &[T]) -> R
where
    T: Element + Tangent,
    R: Element + Tangent,
    F: Fn(&[T]) -> R + Copy + 'static,
{
    let rule = const {
        &Rule::new(
            "a closure passed to `checkpoint`",
            const { &[Word::FIXED, Word::read(floats::<T>()), Word::INTEGER, Word::written(floats::<R>())] },
            shim::<(Block, Block, Block), _>(&|args: Block, _: Block, _: Block| {
                // SAFETY: the slots are those below.
                unsafe {
                    let mut slots = Slots::new(args, ptr::null_mut());
                    let (f, x) = (slots.value::<F>(), slots.slice::<T>());
                    slots.result::<R>().write(f(x));
                }
            }),
        )
        .reverse(shim::<(Block, Block, Block), _>(&|args: Block, shadows: Block, tape: Block| {
            // SAFETY: the slots are those below, and this was kept.
            unsafe {
                let (f, x) = saved::<(F, Vec<T>)>(tape);
                let mut slots = Slots::new(args, shadows);
                slots.result::<F>();
                let mut adjoint = slots.adjoint_slice(x);
                let seed = slots.seed::<R>(&R::ZERO);
                add_gradient(f, x, adjoint.elements(), seed);
            }
        }))
        .beginning(
            shim::<(Block, Block, Block), _>(&|args: Block, _: Block, tape: Block| {
                // SAFETY: the slots are those below.
                unsafe {
                    let mut slots = Slots::new(args, ptr::null_mut());
                    keep(tape, (slots.value::<F>(), slots.slice::<T>().to_vec()));
                }
            }),
            shim::<(Block, Block, Block), _>(&|_: Block, _: Block, tape: Block| {
                // SAFETY: this was kept.
                unsafe { release::<(F, Vec<T>)>(tape) }
            }),
        )
    };
    let mut result = std::mem::MaybeUninit::<R>::uninit();
    // SAFETY: the slots are those of the record, and the result is there afterwards.
    unsafe {
        call_rule(rule, [reference(&f), elements(x), length(x.len()), place(result.as_mut_ptr())]);
        result.assume_init()
    }
}

/// Adds the gradient of a function, times a seed.
fn add_gradient<T, R, F>(f: &F, x: &[T], adjoint: &mut [T], mut seed: R)
where
    T: Element,
    R: Element,
    F: Fn(&[T]) -> R,
{
    let site = const {
        &Site::new(
            Mode::Reverse,
            1,
            crate::shim::slice::<F, T, R> as *const (),
            const {
                &[
                    Param::pointer(Activity::Const, ptr::null()),
                    Param::pointer(Activity::Duplicated, <[T]>::LAYOUT),
                    Param::INTEGER,
                    Param::pointer(Activity::Duplicated, R::LAYOUT),
                ]
            },
            "a closure passed to `checkpoint`",
        )
    };
    let mut value = R::ZERO;
    // SAFETY: the slots are those of `shim::slice`, and all of them outlive the call.
    unsafe {
        call(
            site,
            [
                reference(f),
                elements(x),
                elements_mut(adjoint),
                length(x.len()),
                place(&raw mut value),
                place(&raw mut seed),
            ],
        );
    }
}

/// Takes a step many times: `step(parameters, state, number)` for the numbers from 0 to `steps`. The
/// derivative keeps `snapshots` states at a time and takes steps again from there, as few as possible
/// (a binomial schedule, also called *revolve*).
///
/// In a loop of a million steps with 20 snapshots, each step is taken at most nine times instead of
/// once; with 100 snapshots, at most six times.
///
/// `step` is copied, so what it captures must be numbers and the like, and must not depend on what is
/// differentiated: that must be in `parameters` or `state`.
///
/// # Panics
///
/// If `step` does.
///
/// # Examples
///
/// ```no_run
/// // Not run here: derivatives exist only in programs that `cargo autodiff` built.
/// let energy = |p: &[f64; 1]| {
///     // A swing, and its friction.
///     let mut state = [1.0, 0.0];
///     let step = |p: &[f64], s: &mut [f64], _: usize| {
///         s[1] -= 0.001 * (s[0].sin() + p[0] * s[1]);
///         s[0] += 0.001 * s[1];
///     };
///     autodiff::checkpoint::repeat(step, p, &mut state, 1_000_000, 20);
///     state[0] * state[0] + state[1] * state[1]
/// };
/// let slope = autodiff::gradient(energy, &[0.1]);
/// ```
#[inline]
pub fn repeat<T, F>(step: F, parameters: &[T], state: &mut [T], steps: usize, snapshots: usize)
where
    T: Element + Tangent,
    F: Fn(&[T], &mut [T], usize) + Copy + 'static,
{
    let rule = const {
        &Rule::new(
            "a closure passed to `checkpoint::repeat`",
            const {
                &[
                    Word::FIXED,
                    Word::read(floats::<T>()),
                    Word::INTEGER,
                    Word::written(floats::<T>()),
                    Word::INTEGER,
                    Word::INTEGER,
                    Word::INTEGER,
                ]
            },
            shim::<(Block, Block, Block), _>(&|args: Block, _: Block, _: Block| {
                // SAFETY: the slots are those below.
                unsafe {
                    let mut slots = Slots::new(args, ptr::null_mut());
                    let (step, parameters) = (slots.value::<F>(), slots.slice::<T>());
                    let (state, steps) = (slots.slice_mut::<T>(), slots.integer());
                    (0..steps).for_each(|number| step(parameters, state, number));
                }
            }),
        )
        .reverse(shim::<(Block, Block, Block), _>(&|args: Block, shadows: Block, tape: Block| {
            // SAFETY: the slots are those below, and this was kept.
            unsafe {
                let (step, parameters, state) = saved::<(F, Vec<T>, Vec<T>)>(tape);
                let mut slots = Slots::new(args, shadows);
                slots.result::<F>();
                let mut by_parameters = slots.adjoint_slice(parameters);
                let mut by_state = slots.adjoint_slice_mut(state);
                let (steps, snapshots) = (slots.integer(), slots.integer());
                let (by_parameters, by_state) = (by_parameters.elements(), by_state.elements());
                schedule::reverse(
                    state.clone(),
                    steps,
                    snapshots,
                    |state, number| step(parameters, state, number),
                    |state, number| reverse_step(step, parameters, by_parameters, state, by_state, number),
                );
            }
        }))
        .beginning(
            shim::<(Block, Block, Block), _>(&|args: Block, _: Block, tape: Block| {
                // SAFETY: the slots are those below.
                unsafe {
                    let mut slots = Slots::new(args, ptr::null_mut());
                    let (step, parameters) = (slots.value::<F>(), slots.slice::<T>().to_vec());
                    keep(tape, (step, parameters, slots.slice::<T>().to_vec()));
                }
            }),
            shim::<(Block, Block, Block), _>(&|_: Block, _: Block, tape: Block| {
                // SAFETY: this was kept.
                unsafe { release::<(F, Vec<T>, Vec<T>)>(tape) }
            }),
        )
    };
    // SAFETY: the slots are those of the record.
    unsafe {
        call_rule(
            rule,
            [
                reference(&step),
                elements(parameters),
                length(parameters.len()),
                elements_mut(state),
                length(state.len()),
                length(steps),
                length(snapshots),
            ],
        );
    }
}

/// Takes adjoints back over one step.
fn reverse_step<T, F>(
    step: &F,
    parameters: &[T],
    by_parameters: &mut [T],
    state: &mut [T],
    by_state: &mut [T],
    number: usize,
) where
    T: Element,
    F: Fn(&[T], &mut [T], usize),
{
    let site = const {
        &Site::new(
            Mode::Reverse,
            1,
            one_step::<T, F> as *const (),
            const {
                &[
                    Param::pointer(Activity::Const, ptr::null()),
                    Param::pointer(Activity::Duplicated, <[T]>::LAYOUT),
                    Param::INTEGER,
                    Param::exclusive(Activity::Duplicated, <[T]>::LAYOUT),
                    Param::INTEGER,
                    Param::INTEGER,
                ]
            },
            "a closure passed to `checkpoint::repeat`",
        )
    };
    // SAFETY: the slots are those of `one_step`, and all of them outlive the call.
    unsafe {
        call(
            site,
            [
                reference(step),
                elements(parameters),
                elements_mut(by_parameters),
                length(parameters.len()),
                elements_mut(state),
                elements_mut(by_state),
                length(state.len()),
                length(number),
            ],
        );
    }
}

/// Takes a step.
///
/// # Safety
///
/// So many elements must be valid at the pointers.
unsafe extern "C-unwind" fn one_step<T, F>(
    step: &F,
    parameters: *const T,
    parameters_len: usize,
    state: *mut T,
    state_len: usize,
    number: usize,
) where
    F: Fn(&[T], &mut [T], usize),
{
    // SAFETY: the caller's promise.
    unsafe {
        let parameters = &*ptr::slice_from_raw_parts(parameters, parameters_len);
        step(parameters, &mut *ptr::slice_from_raw_parts_mut(state, state_len), number);
    }
}
