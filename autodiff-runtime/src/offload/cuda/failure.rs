//! What the driver says when it fails.

use std::ffi::{CStr, c_char};
use std::ptr;

use cudarc::driver::sys::{CUresult, cuGetErrorName, cuGetErrorString};

use crate::offload::error::LaunchError;
use crate::offload::record::Place;

/// Name and description of an error.
pub(super) fn text(result: CUresult) -> String {
    let (mut name, mut text) = (ptr::null(), ptr::null());
    // SAFETY: there is room for the results: null, or a constant text.
    let (name, text) = unsafe {
        cuGetErrorName(result, &raw mut name);
        cuGetErrorString(result, &raw mut text);
        let read = |text: *const c_char| (!text.is_null()).then(|| CStr::from_ptr(text).to_string_lossy());
        (read(name), read(text))
    };
    match (name, text) {
        (Some(name), Some(text)) => format!("{name}: {text}"),
        (Some(name), None) => name.into_owned(),
        _ => format!("error {}", result as u32),
    }
}

/// A call failed.
pub(super) fn failure(device: &str, call: &str, result: CUresult) -> LaunchError {
    if result == CUresult::CUDA_ERROR_OUT_OF_MEMORY {
        return LaunchError::OutOfMemory { device: device.to_owned(), bytes: 0 };
    }
    let mut why = text(result);
    match result {
        CUresult::CUDA_ERROR_ILLEGAL_ADDRESS | CUresult::CUDA_ERROR_MISALIGNED_ADDRESS => why.push_str(
            "; a pointer is not the device's: a kernel can only follow its slices. The program must be started again to use the device",
        ),
        CUresult::CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES => {
            why.push_str("; the kernel needs too many registers for so many threads: make `thread_dim` smaller");
        }
        CUresult::CUDA_ERROR_LAUNCH_FAILED | CUresult::CUDA_ERROR_LAUNCH_TIMEOUT => {
            why.push_str("; the program must be started again to use the device");
        }
        _ => {}
    }
    LaunchError::Device { device: device.to_owned(), call: call.to_owned(), why }
}

/// The same, where a kernel is launched.
pub(super) fn of_launch(error: LaunchError, kernel: Place) -> LaunchError {
    match error {
        LaunchError::Device { device, call, why } => {
            LaunchError::Device { device, call: format!("{call} for {kernel}"), why }
        }
        other => other,
    }
}
