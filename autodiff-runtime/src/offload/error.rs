//! Why a launch failed.

use std::fmt;

use super::record::Place;

/// Why a launch, a copy or a look for a device failed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum LaunchError {
    /// There is no such device.
    NoDevice {
        /// What was asked for.
        wanted: String,
        /// Why it is not there, and which are.
        why: String,
    },
    /// The shape of the launch does not fit the device or an argument.
    Shape {
        /// The kernel.
        kernel: Place,
        /// What does not fit.
        why: String,
    },
    /// An argument is on another device, or the arguments are too large.
    Argument {
        /// The kernel.
        kernel: Place,
        /// What is wrong.
        why: String,
    },
    /// The program holds no code of the kernel for the device.
    MissingImage {
        /// The kernel.
        kernel: Place,
        /// The device.
        device: String,
        /// Why, and what to do.
        why: String,
    },
    /// The device has not enough memory.
    OutOfMemory {
        /// The device.
        device: String,
        /// How much was asked for.
        bytes: usize,
    },
    /// A thread of the kernel panicked. Others may have run, or not.
    Panicked {
        /// The kernel.
        kernel: Place,
        /// The panic's message.
        message: String,
        /// Where it panicked; empty if unknown.
        file: String,
        /// Line, from 1; 0 if unknown.
        line: u32,
        /// The block.
        block: [u32; 3],
        /// The thread in the block.
        thread: [u32; 3],
    },
    /// Some threads of a block waited at a barrier that others never came to.
    Diverged {
        /// The kernel.
        kernel: Place,
        /// The block.
        block: [u32; 3],
        /// A thread that waited.
        waiting: [u32; 3],
        /// A thread that had come to its end.
        ended: [u32; 3],
    },
    /// The device or its driver failed.
    Device {
        /// The device.
        device: String,
        /// What was tried.
        call: String,
        /// What the driver says.
        why: String,
    },
    /// A copy between slices of different lengths.
    Length {
        /// Elements of the buffer.
        buffer: usize,
        /// Elements of the slice.
        slice: usize,
    },
}

impl fmt::Display for LaunchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoDevice { wanted, why } => write!(f, "there is no device `{wanted}`: {why}"),
            Self::Shape { kernel, why } | Self::Argument { kernel, why } => {
                write!(f, "{kernel} cannot be launched: {why}")
            }
            Self::MissingImage { kernel, device, why } => {
                write!(f, "{kernel} cannot be launched on {device}: {why}")
            }
            Self::OutOfMemory { device, bytes } => {
                write!(
                    f,
                    "{device} has not enough memory for {bytes} more bytes: use smaller buffers or drop some"
                )
            }
            Self::Panicked { kernel, message, file, line, block, thread } => {
                write!(f, "{kernel} panicked in block {block:?}, thread {thread:?}: {message}")?;
                if file.is_empty() { Ok(()) } else { write!(f, " ({file}:{line})") }
            }
            Self::Diverged { kernel, block, waiting, ended } => write!(
                f,
                "{kernel}: in block {block:?}, thread {waiting:?} waits at a barrier, but thread {ended:?} has come to its end: all threads of a block must call `sync_threads`, also those that have nothing to do"
            ),
            Self::Device { device, call, why } => write!(f, "{device} failed: {call}: {why}"),
            Self::Length { buffer, slice } => write!(
                f,
                "a copy between a buffer of {buffer} elements and a slice of {slice}: they must have the same length"
            ),
        }
    }
}

impl std::error::Error for LaunchError {}
