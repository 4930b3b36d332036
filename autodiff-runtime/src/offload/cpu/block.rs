//! One block after the other, in one thread of the operating system.

use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::ptr;

use super::fiber::{Fiber, Pause};
use super::panics;
use crate::offload::backend::Kernel;
use crate::offload::error::LaunchError;
use crate::offload::shape::Shape;
use crate::offload::thread::Thread;

/// What a kernel finds when it asks where it is.
struct State {
    /// Where the block is.
    block: Cell<Thread>,
    /// Which thread of it runs.
    thread: Cell<[u32; 3]>,
    /// How that thread pauses; null if it cannot.
    pause: Cell<*const Pause>,
    /// Pieces of shared memory, by key.
    shared: RefCell<Vec<Piece>>,
    /// Launch-sized shared memory.
    dynamic: Piece,
}

thread_local! {
    static CURRENT: Cell<*const State> = const { Cell::new(ptr::null()) };
}

/// The thread that runs here, if a kernel does.
pub(crate) fn current() -> Option<Thread> {
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
        unsafe { (*pause).suspend(()) };
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
pub(super) struct Block<'a> {
    kernel: &'a Kernel,
    shape: Shape,
    args: *const u8,
    state: State,
}

impl<'a> Block<'a> {
    pub(super) fn new(kernel: &'a Kernel, shape: Shape, args: *const u8) -> Self {
        let state = State {
            block: Cell::new(Thread {
                index: [0; 3],
                block: [0; 3],
                block_size: shape.block_size,
                grid_size: shape.grid_size,
                dynamic_bytes: shape.dynamic_bytes,
            }),
            thread: Cell::new([0; 3]),
            pause: Cell::new(ptr::null()),
            shared: RefCell::default(),
            dynamic: Piece::new(ptr::null(), shape.dynamic_bytes as usize, 16),
        };
        Self { kernel, shape, args, state }
    }

    /// Runs a block to its end.
    ///
    /// # Safety
    ///
    /// The arguments must be those of the kernel.
    pub(super) unsafe fn run(&mut self, number: u64) -> Result<(), LaunchError> {
        let [width, height, _] = self.shape.grid_size.map(u64::from);
        let block = [number % width, number / width % height, number / width / height];
        let place = Thread { block: block.map(|index| index as u32), ..self.state.block.get() };
        self.state.block.set(place);
        self.state.thread.set([0; 3]);
        let _running = Running::begin(&self.state);
        // SAFETY: the caller's.
        let ended = catch_unwind(AssertUnwindSafe(|| unsafe { self.run_threads(place) }));
        match ended {
            Ok(result) => result,
            Err(payload) => Err(self.failed(&*payload)),
        }
    }

    unsafe fn run_threads(&self, place: Thread) -> Result<(), LaunchError> {
        // SAFETY: the fiber does not outlive this function.
        let mut first = unsafe { self.fiber(place) }?;
        if !first.resume() {
            return self.run_together(first, place);
        }
        first.recycle();
        self.state.pause.set(ptr::null());
        // SAFETY: the arguments are those of the kernel.
        unsafe { (self.kernel.functions.rest)(self.args, place, &self.state.thread) };
        Ok(())
    }

    /// Runs all threads from barrier to barrier; the first has come to one.
    fn run_together(&self, first: Fiber, place: Thread) -> Result<(), LaunchError> {
        let mut fibers = vec![first];
        let threads: Vec<_> = threads(self.shape.block_size).collect();
        let mut ended = vec![false; threads.len()];
        let mut begun = 1;
        let result = 'barriers: loop {
            for number in begun..threads.len() {
                if fibers.len() == number {
                    // SAFETY: it does not outlive this function.
                    match unsafe { self.fiber(Thread { index: threads[number], ..place }) } {
                        Ok(fiber) => fibers.push(fiber),
                        Err(error) => break 'barriers Err(error),
                    }
                }
                self.state.thread.set(threads[number]);
                match catch_unwind(AssertUnwindSafe(|| fibers[number].resume())) {
                    Ok(has_ended) => ended[number] = has_ended,
                    Err(payload) => break 'barriers Err(self.failed(&*payload)),
                }
            }
            begun = 0;
            match (ended.iter().position(|&ended| ended), ended.iter().position(|&ended| !ended)) {
                (_, None) => break Ok(()),
                (None, _) => {}
                (Some(ended), Some(waiting)) => break Err(self.diverged(threads[waiting], threads[ended])),
            }
        };
        fibers.into_iter().for_each(Fiber::recycle);
        result
    }

    /// A thread that has not begun.
    ///
    /// # Safety
    ///
    /// It must not outlive the block.
    unsafe fn fiber(&self, thread: Thread) -> Result<Fiber, LaunchError> {
        let (one, args, pause_of) = (self.kernel.functions.one, self.args, &raw const self.state.pause);
        // SAFETY: the caller's.
        let fiber = unsafe {
            Fiber::new(move |pause| {
                (*pause_of).set(pause);
                one(args, thread);
            })
        };
        fiber.map_err(|error| LaunchError::Device {
            device: "`cpu`".to_owned(),
            call: "a stack for a thread of a block".to_owned(),
            why: error.to_string(),
        })
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
