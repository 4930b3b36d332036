//! A kernel that is loaded on a device.

use std::ffi::{CStr, c_void};
use std::ptr;
use std::sync::Mutex;

use cudarc::driver::sys::{
    CUfunction, CUjit_option, CUmodule, cuModuleGetFunction, cuModuleGetGlobal_v2, cuModuleLoadDataEx,
    cuModuleUnload,
};

use super::Cuda;
use crate::offload::backend::Address;
use crate::offload::error::LaunchError;
use crate::offload::record::{Image, Images, KernelRecord, kind};
use crate::offload::report::{Report, images, no_image};

/// A loaded kernel. It stays loaded.
pub(super) struct Module {
    pub(super) function: CUfunction,
    /// The variable that panics are reported in, if the kernel can panic.
    pub(super) panic: Option<Address>,
    /// Held during a launch.
    pub(super) lock: Mutex<()>,
}

// SAFETY: the driver may be called from any thread.
unsafe impl Send for Module {}
// SAFETY: as above.
unsafe impl Sync for Module {}

impl Module {
    /// Loads the kernel's image for the device.
    pub(super) fn load(cuda: &Cuda, record: &'static KernelRecord) -> Result<Self, LaunchError> {
        let images = images(&cuda.name, record)?;
        let image = choose(images, cuda.arch)
            .ok_or_else(|| no_image(&cuda.name, &format!("sm_{}", cuda.arch), record, images))?;
        let module = load_data(cuda, image).map_err(|error| match error {
            LaunchError::Device { device, why, .. } => {
                LaunchError::MissingImage { kernel: record.place(), device, why: unfit(cuda, image, &why) }
            }
            other => other,
        })?;
        match Self::find(cuda, module, images) {
            Ok(found) => Ok(found),
            Err(error) => {
                // SAFETY: it was loaded, and nobody uses it.
                let _ = cuda.call("cuModuleUnload", || unsafe { cuModuleUnload(module) });
                Err(error)
            }
        }
    }

    fn find(cuda: &Cuda, module: CUmodule, images: &Images) -> Result<Self, LaunchError> {
        let mut function = ptr::null_mut();
        let symbol = images.symbol().as_ptr();
        // SAFETY: the module is loaded, and there is room for the result.
        cuda.call("cuModuleGetFunction", || unsafe {
            cuModuleGetFunction(&raw mut function, module, symbol)
        })?;
        let (mut address, mut bytes) = (0, 0);
        // SAFETY: as above. A kernel that cannot panic has no such variable.
        let found = cuda.call("cuModuleGetGlobal", || unsafe {
            cuModuleGetGlobal_v2(&raw mut address, &raw mut bytes, module, Report::SYMBOL.as_ptr())
        });
        let panic = (found.is_ok() && bytes >= size_of::<Report>())
            .then(|| ptr::with_exposed_provenance_mut(address as usize));
        Ok(Self { function, panic, lock: Mutex::default() })
    }
}

/// The image for the newest architecture that the device has.
fn choose(images: &Images, arch: u32) -> Option<&'static Image> {
    let fitting = images.all().iter().filter(|image| image.kind() == kind::PTX);
    let fitting = fitting.filter_map(|image| Some((number(image.arch())?, image)));
    fitting.filter(|(number, _)| *number <= arch).max_by_key(|(number, _)| *number).map(|(_, image)| image)
}

/// The number in `sm_70`.
fn number(arch: &CStr) -> Option<u32> {
    arch.to_str().ok()?.strip_prefix("sm_")?.parse().ok()
}

fn unfit(cuda: &Cuda, image: &Image, why: &str) -> String {
    format!(
        "the driver does not take the code for {} on sm_{} ({why}): update the driver, or build with another `--device-arch`",
        image.arch().to_string_lossy(),
        cuda.arch
    )
}

/// Loads PTX; the compiler's complaints are in the error.
fn load_data(cuda: &Cuda, image: &Image) -> Result<CUmodule, LaunchError> {
    let mut module = ptr::null_mut();
    let mut log = [0_u8; 2048];
    let mut options =
        [CUjit_option::CU_JIT_ERROR_LOG_BUFFER, CUjit_option::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES];
    // The second value is a number in place of a pointer.
    let mut values: [*mut c_void; 2] = [log.as_mut_ptr().cast(), ptr::without_provenance_mut(log.len() - 1)];
    let data = image.data().as_ptr().cast();
    // SAFETY: the image ends in a zero, and there is room for the result and for the log.
    let loaded = cuda.call("cuModuleLoadDataEx", || unsafe {
        cuModuleLoadDataEx(&raw mut module, data, 2, options.as_mut_ptr(), values.as_mut_ptr())
    });
    let log = CStr::from_bytes_until_nul(&log).unwrap_or_default().to_string_lossy();
    match loaded {
        Ok(()) => Ok(module),
        Err(LaunchError::Device { device, call, why }) if !log.is_empty() => {
            Err(LaunchError::Device { device, call, why: format!("{why}; {}", log.trim()) })
        }
        Err(error) => Err(error),
    }
}
