//! Gradients of sums, and Jacobians, computed by several threads.
//!
//! A loss is mostly a sum over data: `F(x) = f(x, 0) + f(x, 1) + ... + f(x, parts - 1)`. Its
//! gradient is the sum of the parts' gradients, `F'(x) = f'(x, 0) + ... + f'(x, parts - 1)`, so each
//! part can be computed by another thread, backward as well as forward. That is what the functions
//! here do, where a differentiated function itself cannot start threads.
//!
//! ```no_run
//! // Not run here: derivatives exist only in programs that `cargo autodiff` built.
//! let data = [(0.0, 1.0), (1.0, 3.0), (2.0, 5.0), (3.0, 7.0)];
//! // The error of the line `x[0] t + x[1]` at one point.
//! let error = |x: &[f64; 2], part: usize| {
//!     let (t, y) = data[part];
//!     (x[0] * t + x[1] - y).powi(2)
//! };
//! let (value, g) = autodiff::parallel::value_and_gradient(error, &[1.0, 1.0], data.len());
//! assert_eq!(value, 14.0);
//! assert_eq!(g, [-28.0, -12.0]);
//! ```
//!
//! # What the result depends on
//!
//! Not on the threads: parts next to each other are added up in at most 64 blocks, and the blocks in
//! their order, however many threads there are and whichever is first. So two runs give the same
//! bits.
//!
//! # What a part should be
//!
//! A call of `f` costs a call of a derivative, and its gradient may touch all of `x`. Parts are
//! worth the while when each does much more than that: a batch of data rather than a single number.

use std::any::Any;
use std::collections::BTreeMap;
use std::num::NonZero;
use std::ops::Range;
use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use crate::differentiable::Differentiable;
use crate::matrix::Matrix;
use crate::point::Point;
use crate::scalar::{Element, Scalar};
use crate::transform::{Jacobian, WIDTH};
use crate::transform::{ParallelGradient, ParallelValueAndGradient, Transform, add_gradient};

/// Most blocks that parts are gathered in: enough to keep many threads busy to the end.
const BLOCKS: usize = 64;

/// The gradient of `f(x, 0) + ... + f(x, parts - 1)` at `x`.
///
/// As many threads are used as the machine runs at once; see [`Threads`] for another number.
///
/// # Panics
///
/// If `f` panics, with its panic, of the first part that does; and if the program was not built by
/// `cargo autodiff`.
///
/// # Examples
///
/// A derivative exists only in a program that `cargo autodiff` built, so this one is not run here:
///
/// ```no_run
/// let f = |x: &[f64], part: usize| part as f64 * x[0] * x[1];
/// let g: Vec<f64> = autodiff::parallel::gradient(f, &[3.0, 4.0][..], 4);
/// assert_eq!(g, [24.0, 18.0]);
/// ```
pub fn gradient<X, F>(f: F, x: &X, parts: usize) -> X::Gradient
where
    X: Point<Gradient: Send> + Sync + ?Sized,
    F: Fn(&X::View, usize) -> X::Scalar + Sync,
{
    Threads::default().gradient(f, x, parts)
}

/// The Jacobian of `f` at `x`, as [`crate::jacobian`] has it; each thread computes some of its rows or
/// columns.
///
/// As many threads are used as the machine runs at once; see [`Threads`] for another number. Each has
/// a matrix of its own while it computes.
///
/// # Panics
///
/// If `f` panics, with its panic; and if the program was not built by `cargo autodiff`.
///
/// # Examples
///
/// A derivative exists only in a program that `cargo autodiff` built, so this one is not run here:
///
/// ```no_run
/// let x: Vec<f64> = (0..100).map(f64::from).collect();
/// let squares = |x: &[f64]| x.iter().map(|x| x * x).collect::<Vec<_>>();
/// let jacobian = autodiff::parallel::jacobian(squares, &x);
/// assert_eq!((jacobian[(30, 30)], jacobian[(30, 31)]), (60.0, 0.0));
/// ```
pub fn jacobian<X, Y, F>(f: F, x: &X) -> Matrix<X::Scalar>
where
    X: Point + Sync + ?Sized,
    Y: Differentiable + Sync,
    F: Fn(&X::View) -> Y + Sync,
{
    Threads::default().jacobian(f, x)
}

/// The value and the gradient of `f(x, 0) + ... + f(x, parts - 1)` at `x`.
///
/// This costs no more than [`gradient`], which computes the value as well.
///
/// # Panics
///
/// As for [`gradient`].
///
/// # Examples
///
/// See [above](self).
pub fn value_and_gradient<X, F>(f: F, x: &X, parts: usize) -> (X::Scalar, X::Gradient)
where
    X: Point<Gradient: Send> + Sync + ?Sized,
    F: Fn(&X::View, usize) -> X::Scalar + Sync,
{
    Threads::default().value_and_gradient(f, x, parts)
}

/// How many threads to use.
///
/// # Examples
///
/// A derivative exists only in a program that `cargo autodiff` built, so this one is not run here:
///
/// ```no_run
/// use std::num::NonZero;
///
/// use autodiff::parallel::Threads;
///
/// let two = Threads::new(NonZero::new(2).unwrap());
/// let f = |x: &[f64; 1], part: usize| part as f64 * x[0] * x[0];
/// assert_eq!(two.value_and_gradient(f, &[3.0], 3), (27.0, [18.0]));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Threads(NonZero<usize>);

impl Default for Threads {
    /// As many as the machine runs at once.
    fn default() -> Self {
        Threads(thread::available_parallelism().unwrap_or(NonZero::<usize>::MIN))
    }
}

impl Threads {
    /// At most so many, the calling one among them.
    pub const fn new(count: NonZero<usize>) -> Self {
        Threads(count)
    }

    /// [`gradient`] on these threads.
    ///
    /// # Panics
    ///
    /// As [`gradient`].
    pub fn gradient<X, F>(self, f: F, x: &X, parts: usize) -> X::Gradient
    where
        X: Point<Gradient: Send> + Sync + ?Sized,
        F: Fn(&X::View, usize) -> X::Scalar + Sync,
    {
        self.run::<X, F, ParallelGradient>(&f, x, parts).1
    }

    /// [`value_and_gradient`] on these threads.
    ///
    /// # Panics
    ///
    /// As [`gradient`].
    pub fn value_and_gradient<X, F>(self, f: F, x: &X, parts: usize) -> (X::Scalar, X::Gradient)
    where
        X: Point<Gradient: Send> + Sync + ?Sized,
        F: Fn(&X::View, usize) -> X::Scalar + Sync,
    {
        self.run::<X, F, ParallelValueAndGradient>(&f, x, parts)
    }

    /// [`jacobian`] on these threads.
    ///
    /// # Panics
    ///
    /// As [`jacobian`].
    pub fn jacobian<X, Y, F>(self, f: F, x: &X) -> Matrix<X::Scalar>
    where
        X: Point + Sync + ?Sized,
        Y: Differentiable + Sync,
        F: Fn(&X::View) -> Y + Sync,
    {
        let y = f(x.__point());
        let lines = y.dimension().min(x.__zero().dimension());
        let threads = self.0.get().min(lines.div_ceil(WIDTH)).max(1);
        let part = |part: usize| {
            let mut jacobian = Jacobian::new(x, &y);
            jacobian.fill_part(&f, x, part, threads);
            jacobian.into_matrix()
        };
        thread::scope(|scope| {
            let others: Vec<_> = (1..threads)
                .map(|index| {
                    let part = &part;
                    scope.spawn(move || part(index))
                })
                .collect();
            let mut whole = part(0);
            for other in others {
                match other.join() {
                    Ok(other) => whole.add(&other),
                    Err(payload) => panic::resume_unwind(payload),
                }
            }
            whole
        })
    }

    fn run<X, F, N>(self, f: &F, x: &X, parts: usize) -> (X::Scalar, X::Gradient)
    where
        X: Point<Gradient: Send> + Sync + ?Sized,
        F: Fn(&X::View, usize) -> X::Scalar + Sync,
        N: Transform,
    {
        let blocks = parts.min(BLOCKS);
        // The first blocks take what does not divide.
        let start = |index: usize| parts / blocks * index + index.min(parts % blocks);
        let one = |index: usize| of_block::<X, F, N>(f, x, start(index)..start(index + 1));
        let sum = Sum::<X>::new(x);
        let next = AtomicUsize::new(0);
        let work = || {
            while let Some(index) = take(&next, blocks) {
                match panic::catch_unwind(AssertUnwindSafe(|| one(index))) {
                    Ok(part) => sum.add(index, part),
                    Err(payload) => {
                        // Those before it are under way; the others need not begin.
                        next.store(blocks, Ordering::Relaxed);
                        sum.panicked(index, payload);
                    }
                }
            }
        };
        thread::scope(|scope| {
            for _ in 1..self.0.get().min(blocks) {
                // Fewer will do where the system has no more.
                let _ = thread::Builder::new().spawn_scoped(scope, work);
            }
            work();
        });
        sum.finish()
    }
}

/// The next block that nobody has taken.
fn take(next: &AtomicUsize, blocks: usize) -> Option<usize> {
    let step = |index| (index < blocks).then_some(index + 1);
    next.fetch_update(Ordering::Relaxed, Ordering::Relaxed, step).ok()
}

/// Value and gradient of the sum of some parts.
fn of_block<X, F, N>(f: &F, x: &X, parts: Range<usize>) -> (X::Scalar, X::Gradient)
where
    X: Point + ?Sized,
    F: Fn(&X::View, usize) -> X::Scalar,
    N: Transform,
{
    let (mut value, mut gradient) = (<X::Scalar as Element>::ZERO, x.__zero());
    for part in parts {
        value.axpy(Scalar::ONE, &add_gradient::<X, _, N>(&|x: &X::View| f(x, part), x, &mut gradient));
    }
    (value, gradient)
}

/// The sum of all blocks, in their order.
struct Sum<X: Point + ?Sized>(Mutex<State<X>>);

struct State<X: Point + ?Sized> {
    total: (X::Scalar, X::Gradient),
    /// The block to be added next.
    next: usize,
    /// Blocks that were done before it.
    waiting: BTreeMap<usize, (X::Scalar, X::Gradient)>,
    panic: Option<(usize, Box<dyn Any + Send>)>,
}

impl<X: Point + ?Sized> Sum<X> {
    fn new(x: &X) -> Self {
        let total = (<X::Scalar as Element>::ZERO, x.__zero());
        Sum(Mutex::new(State { total, next: 0, waiting: BTreeMap::new(), panic: None }))
    }

    fn add(&self, index: usize, block: (X::Scalar, X::Gradient)) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let State { total, next, waiting, .. } = &mut *state;
        waiting.insert(index, block);
        while let Some((value, gradient)) = waiting.remove(next) {
            total.0.axpy(Scalar::ONE, &value);
            total.1.axpy(Scalar::ONE, &gradient);
            *next += 1;
        }
    }

    fn panicked(&self, index: usize, payload: Box<dyn Any + Send>) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if state.panic.as_ref().is_none_or(|(first, _)| index < *first) {
            state.panic = Some((index, payload));
        }
    }

    /// The total, or the panic of the first block that panicked.
    fn finish(self) -> (X::Scalar, X::Gradient) {
        let state = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        match state.panic {
            Some((_, payload)) => panic::resume_unwind(payload),
            None => state.total,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_taken_once_each_and_in_order() {
        let next = AtomicUsize::new(0);
        assert_eq!(std::iter::from_fn(|| take(&next, 3)).collect::<Vec<_>>(), [0, 1, 2]);
        assert_eq!(take(&next, 3), None);
    }

    #[test]
    fn blocks_are_added_in_their_order_whichever_is_done_first() {
        // Rounding tells the order: 1 is lost beside 1e17 unless it comes after the difference.
        let sum = Sum::<[f64; 1]>::new(&[0.0]);
        for (index, value) in [(2, 1.0), (1, -1e17), (0, 1e17)] {
            sum.add(index, (value, [value]));
        }
        assert_eq!(sum.finish(), (1.0, [1.0]));
    }

    #[test]
    #[should_panic = "first"]
    fn the_first_blocks_panic_goes_on() {
        let sum = Sum::<[f64; 1]>::new(&[0.0]);
        sum.panicked(3, Box::new("later"));
        sum.panicked(1, Box::new("first"));
        sum.panicked(2, Box::new("later"));
        let payload = panic::catch_unwind(AssertUnwindSafe(|| sum.finish())).unwrap_err();
        panic!("{}", payload.downcast_ref::<&str>().unwrap());
    }
}
