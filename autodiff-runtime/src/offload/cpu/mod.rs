//! The CPU as a device: blocks go to threads of the operating system, and the threads of a block run one after the
//! other on one of those.
//!
//! The first thread of a block runs on a stack that it can be left on. If it comes to its end without a barrier, so
//! must all others, and they run in a plain loop, which the compiler can vectorise. If it waits at a barrier, all
//! others get stacks of their own as well ([`fiber`]).

mod block;
mod fiber;
mod panics;
mod pool;

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ptr;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, Ordering};

use self::block::Blocks;
pub(crate) use self::block::{Index, current, dynamic_shared, shared, sync_threads};
use super::backend::{Address, Backend, Kernel};
use super::error::LaunchError;
use super::shape::{Limits, Shape};
use super::thread::Thread;

/// How the CPU runs a kernel.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Functions {
    /// For one thread.
    pub(crate) one: unsafe fn(*const u8, Thread<'_>),
    /// For all threads of a block but the first, one after the other.
    pub(crate) rest: unsafe fn(*const u8, Thread<'_>, &Index),
}

/// The CPU.
pub(crate) struct Cpu(());

impl Cpu {
    pub(crate) fn new() -> Self {
        Self(())
    }
}

/// Packed arguments, for many threads.
struct Arguments(*const u8);

// SAFETY: packed arguments are `Sync`.
unsafe impl Sync for Arguments {}

impl Arguments {
    fn get(&self) -> *const u8 {
        self.0
    }
}

impl Backend for Cpu {
    fn label(&self) -> String {
        format!("{} threads, {}", pool::threads(), std::env::consts::ARCH)
    }

    fn limits(&self) -> Limits {
        Limits::COMMON
    }

    fn uses_host_memory(&self) -> bool {
        true
    }

    fn allocate(&self, bytes: usize) -> Result<Address, LaunchError> {
        let failed = || LaunchError::OutOfMemory { device: "`cpu`".to_owned(), bytes };
        let layout = Layout::from_size_align(bytes, 64).map_err(|_| failed())?;
        // SAFETY: there is at least one byte.
        let address = unsafe { alloc_zeroed(layout) };
        if address.is_null() { Err(failed()) } else { Ok(address) }
    }

    unsafe fn free(&self, address: Address, bytes: usize) {
        let layout = Layout::from_size_align(bytes, 64).expect("it was allocated like this");
        // SAFETY: the caller's.
        unsafe { dealloc(address, layout) };
    }

    unsafe fn write(&self, to: Address, from: *const u8, bytes: usize) -> Result<(), LaunchError> {
        // SAFETY: the caller's.
        unsafe { ptr::copy(from, to, bytes) };
        Ok(())
    }

    unsafe fn read(&self, to: *mut u8, from: Address, bytes: usize) -> Result<(), LaunchError> {
        // SAFETY: the caller's.
        unsafe { ptr::copy(from, to, bytes) };
        Ok(())
    }

    unsafe fn launch(&self, kernel: &Kernel, shape: &Shape, args: *const u8) -> Result<(), LaunchError> {
        panics::install();
        let arguments = Arguments(args);
        let (failed, error) = (AtomicBool::new(false), Mutex::new(None));
        let blocks = shape.blocks();
        pool::spread(blocks, &|range| {
            if failed.load(Ordering::Relaxed) {
                return;
            }
            let blocks = Blocks::new(kernel, *shape, arguments.get());
            // SAFETY: the arguments are those of the kernel.
            if let Err(why) = unsafe { blocks.run(range, &failed) } {
                failed.store(true, Ordering::Relaxed);
                error.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(why);
            }
        });
        error.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
    }
}
