//! Stacks for threads that wait at barriers.

use std::cell::RefCell;
use std::io;

use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, CoroutineResult, Yielder};

/// What a stack is for.
#[derive(Clone, Copy)]
pub(super) enum Use {
    /// First threads of blocks, and whole blocks.
    Blocks = 0,
    /// One thread of a block.
    Thread = 1,
}

impl Use {
    /// Bytes; the system gives memory only to what is used.
    fn bytes(self) -> usize {
        match self {
            Self::Blocks => 2 << 20,
            Self::Thread => 256 << 10,
        }
    }
}

thread_local! {
    /// Stacks that are not in use, for each use.
    static FREE: RefCell<[Vec<DefaultStack>; 2]> = const { RefCell::new([Vec::new(), Vec::new()]) };
}

/// Why a fiber has paused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// A thread waits at a barrier.
    Waits,
    /// A thread has come to its end.
    Ended,
    /// So has the fiber.
    Done,
}

pub(super) type Pause = Yielder<(), State>;

/// A function on a stack of its own, which can pause.
pub(super) struct Fiber {
    coroutine: Coroutine<(), State, (), DefaultStack>,
    purpose: Use,
}

impl Fiber {
    /// It runs at the first `resume`.
    ///
    /// # Safety
    ///
    /// What the function borrows must outlive the fiber.
    pub(super) unsafe fn new(purpose: Use, function: impl FnOnce(&Pause)) -> io::Result<Self> {
        let free = FREE.with(|free| free.borrow_mut()[purpose as usize].pop());
        let stack = free.map_or_else(|| DefaultStack::new(purpose.bytes()), Ok)?;
        // SAFETY: the caller's.
        let coroutine =
            unsafe { Coroutine::with_stack_unchecked(stack, move |pause: &Pause, ()| function(pause)) };
        Ok(Self { coroutine, purpose })
    }

    /// Runs it until it pauses or ends. Its panics go on here.
    pub(super) fn resume(&mut self) -> State {
        match self.coroutine.resume(()) {
            CoroutineResult::Yield(state) => state,
            CoroutineResult::Return(()) => State::Done,
        }
    }

    /// Ends it, and keeps its stack for others.
    pub(super) fn recycle(mut self) {
        if !self.coroutine.done() {
            if cfg!(panic = "unwind") {
                self.coroutine.force_unwind();
            } else {
                // SAFETY: what is on the stack is forgotten; it holds nothing that others rely on to be dropped, as
                // kernels borrow from nobody but the launch.
                unsafe { self.coroutine.force_reset() };
            }
        }
        FREE.with(|free| free.borrow_mut()[self.purpose as usize].push(self.coroutine.into_stack()));
    }
}
