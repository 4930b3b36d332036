//! One block after the other, in one thread of the operating system.

use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::io;
use std::marker::PhantomData;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};

use super::fiber::{self, Fiber, Pause, Use};
use super::panics;
use crate::offload::backend::Kernel;
use crate::offload::error::LaunchError;
use crate::offload::shape::Shape;
use crate::offload::thread::Thread;

/// Which thread of a block runs.
#[derive(Default)]
pub(crate) struct Index {
    pub(crate) x: Cell<u32>,
    pub(crate) yz: Cell<[u32; 2]>,
}

impl Index {
    fn get(&self) -> [u32; 3] {
        let [y, z] = self.yz.get();
        [self.x.get(), y, z]
    }

    fn set(&self, [x, y, z]: [u32; 3]) {
        self.x.set(x);
        self.yz.set([y, z]);
    }
}

/// What a kernel finds when it asks where it is.
struct State {
    /// Where the block is.
    block: Cell<Thread<'static>>,
    /// Which thread of it runs.
    thread: Index,
    /// How that thread pauses; null if it cannot.
    pause: Cell<*const Pause>,
    /// Whether the first thread has waited at a barrier, and so must all others.
    waits: Cell<bool>,
    /// Pieces of shared memory, by key.
    shared: RefCell<Vec<Piece>>,
    /// Launch-sized shared memory.
    dynamic: Piece,
}

thread_local! {
    static CURRENT: Cell<*const State> = const { Cell::new(ptr::null()) };
}

/// The thread that runs here, if a kernel does.
pub(crate) fn current() -> Option<Thread<'static>> {
    with_state(|state| Thread { index: state.thread.get(), ..state.block.get() })
}

fn with_state<R>(f: impl FnOnce(&State) -> R) -> Option<R> {
    // SAFETY: it is null, or that of the block that this thread runs.
    unsafe { CURRENT.get().as_ref() }.map(f)
}

/// Why a thread was ended that came to a barrier alone.
struct Alone;

/// Lets the other threads of the block run until they are here as well.
pub(crate) fn sync_threads() {
    let waited = with_state(|state| {
        let (pause, thread) = (state.pause.get(), state.thread.get());
        if pause.is_null() {
            resume_unwind(Box::new(Alone));
        }
        // SAFETY: the way to pause of the thread that runs, which is there as long as that is.
        unsafe { (*pause).suspend(fiber::State::Waits) };
        state.pause.set(pause);
        state.thread.set(thread);
    });
    waited.expect("`sync_threads` was called outside of a kernel");
}

/// Memory of the block, one piece for each key and size.
pub(crate) fn shared(key: *const u8, size: usize, align: usize) -> *mut u8 {
    let found = with_state(|state| {
        let mut shared = state.shared.borrow_mut();
        let is_it = |piece: &&Piece| piece.key == key && piece.layout.size() == size.max(1);
        if let Some(piece) = shared.iter().find(is_it) {
            return piece.first;
        }
        let piece = Piece::new(key, size, align);
        let first = piece.first;
        shared.push(piece);
        first
    });
    found.expect("shared memory was asked for outside of a kernel")
}

/// The launch-sized memory of the block.
pub(crate) fn dynamic_shared() -> *mut u8 {
    with_state(|state| state.dynamic.first).expect("shared memory was asked for outside of a kernel")
}

/// A piece of shared memory. It is kept for the next block.
struct Piece {
    key: *const u8,
    first: *mut u8,
    layout: Layout,
}

impl Piece {
    fn new(key: *const u8, size: usize, align: usize) -> Self {
        let layout = Layout::from_size_align(size.max(1), align.max(16)).expect("the layout of an array");
        // SAFETY: there is at least one byte.
        let first = unsafe { alloc_zeroed(layout) };
        if first.is_null() {
            handle_alloc_error(layout);
        }
        Self { key, first, layout }
    }
}

impl Drop for Piece {
    fn drop(&mut self) {
        // SAFETY: it was allocated like this, and no block uses it any more.
        unsafe { dealloc(self.first, self.layout) };
    }
}

/// Runs blocks.
pub(super) struct Blocks<'a> {
    kernel: &'a Kernel,
    shape: Shape,
    args: *const u8,
    state: State,
}

impl<'a> Blocks<'a> {
    pub(super) fn new(kernel: &'a Kernel, shape: Shape, args: *const u8) -> Self {
        let state = State {
            block: Cell::new(Thread {
                index: [0; 3],
                block: [0; 3],
                block_size: shape.block_size,
                grid_size: shape.grid_size,
                dynamic_bytes: shape.dynamic_bytes,
                kernel: PhantomData,
            }),
            thread: Index::default(),
            pause: Cell::new(ptr::null()),
            waits: Cell::new(false),
            shared: RefCell::default(),
            dynamic: Piece::new(ptr::null(), shape.dynamic_bytes as usize, 16),
        };
        Self { kernel, shape, args, state }
    }

    /// Runs blocks to their end, unless `stop` becomes true.
    ///
    /// # Safety
    ///
    /// The arguments must be those of the kernel.
    pub(super) unsafe fn run(&self, numbers: Range<u64>, stop: &AtomicBool) -> Result<(), LaunchError> {
        let _running = Running::begin(&self.state);
        // SAFETY: the fiber does not outlive this function; the arguments are those of the kernel.
        let runner = unsafe { Fiber::new(Use::Blocks, |pause| self.run_alone(numbers, stop, pause)) };
        let mut runner = runner.map_err(|error| no_stack(&error))?;
        let result = loop {
            match catch_unwind(AssertUnwindSafe(|| runner.resume())) {
                Ok(fiber::State::Done) => break Ok(()),
                Ok(fiber::State::Ended) => {}
                Ok(fiber::State::Waits) => {
                    self.state.waits.set(true);
                    if let Err(error) = self.run_together(&mut runner) {
                        break Err(error);
                    }
                    self.state.waits.set(false);
                }
                Err(payload) => break Err(self.failed(&*payload)),
            }
        };
        runner.recycle();
        result
    }

    /// Runs blocks, one thread after the other. If the first thread of a block pauses, others run the block's other
    /// threads.
    ///
    /// # Safety
    ///
    /// The arguments must be those of the kernel.
    unsafe fn run_alone(&self, numbers: Range<u64>, stop: &AtomicBool, pause: &Pause) {
        let state = &self.state;
        for block in places(numbers, self.shape.grid_size) {
            if stop.load(Ordering::Relaxed) {
                return;
            }
            let first = Thread { block, ..state.block.get() };
            state.block.set(first);
            state.thread.set([0; 3]);
            state.pause.set(pause);
            // SAFETY: the caller's.
            unsafe { (self.kernel.functions.one)(self.args, first) };
            if state.waits.get() {
                pause.suspend(fiber::State::Ended);
                continue;
            }
            state.pause.set(ptr::null());
            // SAFETY: the caller's.
            unsafe { (self.kernel.functions.rest)(self.args, first, &state.thread) };
        }
    }

    /// Runs all threads of a block from barrier to barrier; the first, which is in `runner`, has come to one.
    fn run_together(&self, runner: &mut Fiber) -> Result<(), LaunchError> {
        let indices: Vec<_> = threads(self.shape.block_size).collect();
        let mut others = Vec::with_capacity(indices.len());
        for &index in &indices[1..] {
            // SAFETY: it does not outlive this function.
            match unsafe { self.fiber(Thread { index, ..self.state.block.get() }) } {
                Ok(fiber) => others.push(fiber),
                Err(error) => {
                    others.into_iter().for_each(Fiber::recycle);
                    return Err(no_stack(&error));
                }
            }
        }
        let result = catch_unwind(AssertUnwindSafe(|| self.alternate(&indices, runner, &mut others)));
        let result = result.unwrap_or_else(|payload| Err(self.failed(&*payload)));
        others.into_iter().for_each(Fiber::recycle);
        result
    }

    /// Lets one thread run after the other, each to the next barrier, until all have ended.
    fn alternate(
        &self,
        indices: &[[u32; 3]],
        runner: &mut Fiber,
        others: &mut [Fiber],
    ) -> Result<(), LaunchError> {
        // The first thread is at its first barrier.
        let mut first = fiber::State::Waits;
        loop {
            let mut differs = None;
            for (fiber, &index) in others.iter_mut().zip(&indices[1..]) {
                self.state.thread.set(index);
                let waits = fiber.resume() == fiber::State::Waits;
                if waits != (first == fiber::State::Waits) {
                    differs.get_or_insert((waits, index));
                }
            }
            match differs {
                None if first == fiber::State::Ended => return Ok(()),
                None => {}
                Some((true, index)) => return Err(self.diverged(index, indices[0])),
                Some((false, index)) => return Err(self.diverged(indices[0], index)),
            }
            self.state.thread.set(indices[0]);
            first = runner.resume();
        }
    }

    /// A thread that has not begun.
    ///
    /// # Safety
    ///
    /// It must not outlive the block.
    unsafe fn fiber(&self, thread: Thread<'static>) -> io::Result<Fiber> {
        let (one, args, pause_of) = (self.kernel.functions.one, self.args, &raw const self.state.pause);
        // SAFETY: the caller's.
        unsafe {
            Fiber::new(Use::Thread, move |pause| {
                (*pause_of).set(pause);
                one(args, thread);
            })
        }
    }

    fn diverged(&self, waiting: [u32; 3], ended: [u32; 3]) -> LaunchError {
        let block = self.state.block.get().block;
        LaunchError::Diverged { kernel: self.kernel.record.place(), block, waiting, ended }
    }

    /// Why a thread did not come to its end.
    fn failed(&self, payload: &(dyn Any + Send)) -> LaunchError {
        let thread = self.state.thread.get();
        if payload.is::<Alone>() {
            return self.diverged(thread, [0; 3]);
        }
        let panics::Report { message, file, line } = panics::take(payload);
        let (kernel, block) = (self.kernel.record.place(), self.state.block.get().block);
        LaunchError::Panicked { kernel, message, file, line, block, thread }
    }
}

fn no_stack(error: &io::Error) -> LaunchError {
    let call = "a stack for a thread of a block".to_owned();
    LaunchError::Device { device: "`cpu`".to_owned(), call, why: error.to_string() }
}

/// Places of blocks in a grid, x first, which are counted by `numbers`.
fn places(numbers: Range<u64>, [width, height, _]: [u32; 3]) -> impl Iterator<Item = [u32; 3]> {
    let (wide, high) = (u64::from(width), u64::from(height));
    let first = numbers.start;
    let mut next = [first % wide, first / wide % high, first / wide / high].map(|index| index as u32);
    numbers.map(move |_| {
        let place = next;
        next[0] += 1;
        if next[0] == width {
            next = [0, next[1] + 1, next[2]];
        }
        if next[1] == height {
            next = [0, 0, next[2] + 1];
        }
        place
    })
}

/// Places of the threads of a block, x first.
fn threads([width, height, depth]: [u32; 3]) -> impl Iterator<Item = [u32; 3]> {
    (0..depth).flat_map(move |z| (0..height).flat_map(move |y| (0..width).map(move |x| [x, y, z])))
}

/// While it is there, a block runs.
struct Running;

impl Running {
    fn begin(state: &State) -> Self {
        CURRENT.set(state);
        Self
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        CURRENT.set(ptr::null());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_counted_in_x_first() {
        let all: Vec<_> = places(0..12, [3, 2, 2]).collect();
        assert_eq!(all[..4], [[0, 0, 0], [1, 0, 0], [2, 0, 0], [0, 1, 0]]);
        assert_eq!((all[6], all[11]), ([0, 0, 1], [2, 1, 1]));
        assert_eq!(places(5..8, [3, 2, 2]).collect::<Vec<_>>(), all[5..8]);
    }
}
