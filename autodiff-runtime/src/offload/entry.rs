//! Functions that run a kernel with packed arguments, for each kernel and each type of arguments.

use std::ptr::NonNull;

use super::cpu::{Functions, Index};
use super::record::{KernelRecord, Place};
use super::thread::Thread;

/// Where a kernel stands.
pub trait PlaceOf {
    /// The place.
    const PLACE: Place;
}

/// Arguments as a kernel's entry takes them.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Packed<P> {
    pub(crate) dynamic_bytes: u32,
    pub(crate) args: P,
}

/// A closure without captures that opens packed arguments and runs a kernel with them.
pub trait Entry<P>: Fn(Thread<'_>, P) + Copy {}

impl<K: Fn(Thread<'_>, P) + Copy, P> Entry<P> for K {}

/// The one value of a closure type without captures.
#[inline]
fn stateless<'a, K>() -> &'a K {
    const { assert!(size_of::<K>() == 0, "the entry of a kernel captures nothing") }
    // SAFETY: a dangling pointer is a valid reference to a value of size zero, and a closure that has no captures
    // can be called from nothing.
    unsafe { NonNull::dangling().as_ref() }
}

/// Runs the kernel for the device thread that calls it. This is what the tool compiles for devices.
#[inline(never)]
unsafe extern "C" fn entry<K: Entry<P>, P: Copy>(args: *const u8) {
    // SAFETY: the arguments of a launch of this kernel.
    let packed = unsafe { args.cast::<Packed<P>>().read() };
    stateless::<K>()(Thread::on_device(packed.dynamic_bytes), packed.args);
}

/// Runs the kernel for one thread, on the CPU.
unsafe fn run_one<K: Entry<P>, P: Copy>(args: *const u8, thread: Thread<'_>) {
    // SAFETY: as in `entry`.
    let packed = unsafe { args.cast::<Packed<P>>().read() };
    stateless::<K>()(thread, packed.args);
}

/// Runs the kernel for all threads of a block but the first, one after the other, and tells `current` which it is.
unsafe fn run_rest<K: Entry<P>, P: Copy>(args: *const u8, block: Thread<'_>, current: &Index) {
    // SAFETY: as in `entry`.
    let packed = unsafe { args.cast::<Packed<P>>().read() };
    let [width, height, depth] = block.block_size;
    let mut first = 1;
    for z in 0..depth {
        for y in 0..height {
            current.yz.set([y, z]);
            for x in first..width {
                // No more than this one number is written for each thread: the loop must stay cheap.
                current.x.set(x);
                stateless::<K>()(Thread { index: [x, y, z], ..block }, packed.args);
            }
            first = 0;
        }
    }
}

/// What the CPU runs.
pub(crate) fn functions<K: Entry<P>, P: Copy>() -> Functions {
    Functions { one: run_one::<K, P>, rest: run_rest::<K, P> }
}

/// The kernel's record.
pub(crate) fn record<L: PlaceOf, K: Entry<P>, P: Copy>() -> &'static KernelRecord {
    const {
        &KernelRecord::new(
            entry::<K, P> as *const (),
            size_of::<Packed<P>>(),
            align_of::<Packed<P>>(),
            L::PLACE,
        )
    }
}
