//! Stacks for threads that wait at barriers.

use std::cell::RefCell;
use std::io;

use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, CoroutineResult, Yielder};

/// Bytes of a stack; the system gives memory only to what is used.
const STACK: usize = 256 << 10;

thread_local! {
    /// Stacks that are not in use.
    static FREE: RefCell<Vec<DefaultStack>> = const { RefCell::new(Vec::new()) };
}

pub(super) type Pause = Yielder<(), ()>;

/// A function on a stack of its own, which can pause.
pub(super) struct Fiber(Coroutine<(), (), (), DefaultStack>);

impl Fiber {
    /// It runs at the first `resume`.
    ///
    /// # Safety
    ///
    /// What the function borrows must outlive the fiber.
    pub(super) unsafe fn new(function: impl FnOnce(&Pause)) -> io::Result<Self> {
        let free = FREE.with(|free| free.borrow_mut().pop());
        let stack = free.map_or_else(|| DefaultStack::new(STACK), Ok)?;
        // SAFETY: the caller's.
        Ok(Self(unsafe { Coroutine::with_stack_unchecked(stack, move |pause: &Pause, ()| function(pause)) }))
    }

    /// Runs it until it pauses or ends; true if it has ended. Its panics go on here.
    pub(super) fn resume(&mut self) -> bool {
        matches!(self.0.resume(()), CoroutineResult::Return(()))
    }

    /// Ends it, and keeps its stack for others.
    pub(super) fn recycle(mut self) {
        if !self.0.done() {
            if cfg!(panic = "unwind") {
                self.0.force_unwind();
            } else {
                // SAFETY: what is on the stack is forgotten; it holds nothing that others rely on to be dropped, as
                // kernels borrow from nobody but the launch.
                unsafe { self.0.force_reset() };
            }
        }
        FREE.with(|free| free.borrow_mut().push(self.0.into_stack()));
    }
}
