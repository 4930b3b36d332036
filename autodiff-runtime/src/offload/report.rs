//! What the devices' code reports when it panics.

use std::ffi::CStr;

use super::error::LaunchError;
use super::record::{Images, KernelRecord};

/// The variable that a panic is reported in, if the kernel can panic: the tool's layout.
#[repr(C)]
#[derive(Default)]
pub(crate) struct Report {
    /// Number of the panic, from 1; 0 if there was none.
    pub(crate) id: u32,
    block: [u32; 3],
    thread: [u32; 3],
    _pad: u32,
}

impl Report {
    /// What the variable is called.
    pub(crate) const SYMBOL: &CStr = c"__autodiff_panic";

    /// The panic, as an error.
    pub(crate) fn explain(&self, record: &'static KernelRecord) -> LaunchError {
        let panic = record.images().and_then(|images| images.panic(self.id));
        let (message, file, line) = panic.map_or_else(
            || (format!("panic number {}", self.id), String::new(), 0),
            |panic| (panic.message().to_owned(), panic.file().to_owned(), panic.line),
        );
        let (kernel, block, thread) = (record.place(), self.block, self.thread);
        LaunchError::Panicked { kernel, message, file, line, block, thread }
    }
}

/// The images of a kernel, or why there are none.
pub(crate) fn images(device: &str, record: &'static KernelRecord) -> Result<&'static Images, LaunchError> {
    let why = match (record.images(), record.reason()) {
        (Some(images), _) => return Ok(images),
        (None, Some(reason)) => reason.to_string_lossy().into_owned(),
        (None, None) => "the program has code for the CPU only: build it by `cargo autodiff`, or set `AUTODIFF_DEVICE=cpu`".to_owned(),
    };
    Err(LaunchError::MissingImage { kernel: record.place(), device: device.to_owned(), why })
}

/// There is no image for the device's architecture.
pub(crate) fn no_image(
    device: &str,
    arch: &str,
    record: &'static KernelRecord,
    images: &Images,
) -> LaunchError {
    let archs: Vec<_> = images.all().iter().map(|image| image.arch().to_string_lossy()).collect();
    LaunchError::MissingImage {
        kernel: record.place(),
        device: device.to_owned(),
        why: format!(
            "the program has code for {}, and the device is {arch}: build with `--device-arch {arch}`",
            if archs.is_empty() { "no device".to_owned() } else { archs.join(", ") },
        ),
    }
}
