//! NVIDIA devices, by the driver that is installed: `libcuda` is loaded when the program runs.

mod failure;
mod module;

use std::collections::HashMap;
use std::ffi::{CStr, c_int, c_void};
use std::panic::catch_unwind;
use std::ptr;
use std::sync::{Arc, Mutex, PoisonError};

use cudarc::driver::sys::{
    CUcontext, CUdevice, CUdevice_attribute, CUdeviceptr, CUfunction_attribute, CUresult, CUstream,
    cuCtxSetCurrent, cuDeviceGet, cuDeviceGetAttribute, cuDeviceGetCount, cuDeviceGetName,
    cuDevicePrimaryCtxRetain, cuFuncSetAttribute, cuInit, cuLaunchKernel, cuMemAlloc_v2, cuMemFree_v2,
    cuMemcpyDtoHAsync_v2, cuMemcpyHtoDAsync_v2, cuStreamSynchronize, is_culib_present,
};

use self::failure::{failure, text};
use self::module::Module;
use super::backend::{Address, Backend, Kernel};
use super::error::LaunchError;
use super::record::KernelRecord;
use super::report::Report;
use super::shape::{Limits, Shape};

/// The stream of the calling thread: each queue, which has a thread, so has a stream of its own.
const STREAM: CUstream = ptr::without_provenance_mut(2);

/// A block has so much shared memory without being asked.
const USUAL_SHARED_BYTES: u32 = 48 << 10;

/// One device.
struct Cuda {
    name: String,
    label: String,
    context: CUcontext,
    limits: Limits,
    /// Compute capability, such as 70 for 7.0.
    arch: u32,
    modules: Mutex<HashMap<*const KernelRecord, Arc<Module>>>,
}

// SAFETY: the driver may be called from any thread.
unsafe impl Send for Cuda {}
// SAFETY: as above.
unsafe impl Sync for Cuda {}

/// All devices, or why there are none.
pub(crate) fn devices() -> Result<Vec<Arc<dyn Backend>>, String> {
    // SAFETY: it looks for the library, no more.
    if !unsafe { is_culib_present() } {
        return Err("NVIDIA's driver library `libcuda` is not installed".to_owned());
    }
    // A driver that lacks a function makes the call of it panic.
    let found = catch_unwind(|| {
        let mut count = 0;
        // SAFETY: the first call of the driver.
        check("cuInit", unsafe { cuInit(0) })?;
        // SAFETY: there is room for the result.
        check("cuDeviceGetCount", unsafe { cuDeviceGetCount(&raw mut count) })?;
        (0..count).map(|number| Cuda::open(number).map(|cuda| Arc::new(cuda) as Arc<dyn Backend>)).collect()
    });
    match found {
        Ok(Ok(devices)) if Vec::is_empty(&devices) => Err("NVIDIA's driver finds no device".to_owned()),
        Ok(found) => found,
        Err(_) => Err("NVIDIA's driver is too old".to_owned()),
    }
}

fn check(call: &str, result: CUresult) -> Result<(), String> {
    if result == CUresult::CUDA_SUCCESS { Ok(()) } else { Err(format!("{call}: {}", text(result))) }
}

impl Cuda {
    fn open(number: c_int) -> Result<Self, String> {
        let (mut device, mut context) = (0, ptr::null_mut());
        // SAFETY: there is such a device, and room for the results. The context is kept for good.
        unsafe {
            check("cuDeviceGet", cuDeviceGet(&raw mut device, number))?;
            check("cuDevicePrimaryCtxRetain", cuDevicePrimaryCtxRetain(&raw mut context, device))?;
        }
        let mut label = [0; 128];
        // SAFETY: there is room for the name.
        check("cuDeviceGetName", unsafe { cuDeviceGetName(label.as_mut_ptr(), 127, device) })?;
        // SAFETY: the array ends in a zero, however long the name is.
        let label = unsafe { CStr::from_ptr(label.as_ptr()) }.to_string_lossy().into_owned();
        let arch = 10 * attribute(device, CUdevice_attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?
            + attribute(device, CUdevice_attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
        Ok(Self {
            name: format!("`cuda:{number}`"),
            label: format!("{label}, sm_{arch}"),
            context,
            limits: limits(device)?,
            arch,
            modules: Mutex::default(),
        })
    }

    /// Calls the driver for this device.
    fn call(&self, what: &str, call: impl FnOnce() -> CUresult) -> Result<(), LaunchError> {
        // SAFETY: the context is never destroyed.
        let mut result = unsafe { cuCtxSetCurrent(self.context) };
        if result == CUresult::CUDA_SUCCESS {
            result = call();
        }
        if result == CUresult::CUDA_SUCCESS { Ok(()) } else { Err(failure(&self.name, what, result)) }
    }

    fn wait(&self, what: &str) -> Result<(), LaunchError> {
        // SAFETY: the stream is always there.
        self.call(what, || unsafe { cuStreamSynchronize(STREAM) })
    }

    /// The kernel, loaded once.
    fn module(&self, record: &'static KernelRecord) -> Result<Arc<Module>, LaunchError> {
        let mut modules = self.modules.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(module) = modules.get(&ptr::from_ref(record)) {
            return Ok(module.clone());
        }
        let module = Arc::new(Module::load(self, record)?);
        modules.insert(record, module.clone());
        Ok(module)
    }

    /// Why a thread of the kernel panicked, if one did.
    fn panicked(&self, module: &Module, record: &'static KernelRecord) -> Result<(), LaunchError> {
        let Some(address) = module.panic else { return Ok(()) };
        let mut report = Report::default();
        let (first, bytes) = ((&raw mut report).cast::<u8>(), size_of::<Report>());
        // SAFETY: the variable in the module has the size of a report.
        unsafe { self.read(first, address, bytes)? };
        if report.id == 0 {
            return Ok(());
        }
        let empty = Report::default();
        // SAFETY: as above.
        unsafe { self.write(address, (&raw const empty).cast(), bytes)? };
        Err(report.explain(record))
    }
}

fn attribute(device: CUdevice, attribute: CUdevice_attribute) -> Result<u32, String> {
    let mut value = 0;
    // SAFETY: there is room for the result.
    let result = unsafe { cuDeviceGetAttribute(&raw mut value, attribute, device) };
    check("cuDeviceGetAttribute", result)?;
    Ok(u32::try_from(value).unwrap_or(0))
}

fn limits(device: CUdevice) -> Result<Limits, String> {
    use CUdevice_attribute as A;
    let get = |it| attribute(device, it);
    Ok(Limits {
        grid_size: [
            get(A::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X)?,
            get(A::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y)?,
            get(A::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z)?,
        ],
        block_size: [
            get(A::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X)?,
            get(A::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y)?,
            get(A::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z)?,
        ],
        block_threads: get(A::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?,
        dynamic_bytes: get(A::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?,
    })
}

fn pointer(address: Address) -> CUdeviceptr {
    address.expose_provenance() as CUdeviceptr
}

impl Backend for Cuda {
    fn label(&self) -> String {
        self.label.clone()
    }

    fn limits(&self) -> Limits {
        self.limits
    }

    fn uses_host_memory(&self) -> bool {
        false
    }

    fn allocate(&self, bytes: usize) -> Result<Address, LaunchError> {
        let mut address = 0;
        // SAFETY: there is room for the result.
        let allocated = self.call("cuMemAlloc", || unsafe { cuMemAlloc_v2(&raw mut address, bytes) });
        match allocated {
            Err(LaunchError::OutOfMemory { device, .. }) => Err(LaunchError::OutOfMemory { device, bytes }),
            result => result.map(|()| ptr::with_exposed_provenance_mut(address as usize)),
        }
    }

    unsafe fn free(&self, address: Address, _: usize) {
        // If the device is lost, so is its memory.
        // SAFETY: the caller's.
        let _ = self.call("cuMemFree", || unsafe { cuMemFree_v2(pointer(address)) });
    }

    unsafe fn write(&self, to: Address, from: *const u8, bytes: usize) -> Result<(), LaunchError> {
        if bytes == 0 {
            return Ok(());
        }
        self.call("cuMemcpyHtoDAsync", || {
            // SAFETY: the caller's.
            unsafe { cuMemcpyHtoDAsync_v2(pointer(to), from.cast(), bytes, STREAM) }
        })?;
        self.wait("cuMemcpyHtoDAsync")
    }

    unsafe fn read(&self, to: *mut u8, from: Address, bytes: usize) -> Result<(), LaunchError> {
        if bytes == 0 {
            return Ok(());
        }
        self.call("cuMemcpyDtoHAsync", || {
            // SAFETY: the caller's.
            unsafe { cuMemcpyDtoHAsync_v2(to.cast(), pointer(from), bytes, STREAM) }
        })?;
        self.wait("cuMemcpyDtoHAsync")
    }

    unsafe fn launch(&self, kernel: &Kernel, shape: &Shape, args: *const u8) -> Result<(), LaunchError> {
        let module = self.module(kernel.record)?;
        // One launch at a time, so that a panic is that of this one.
        let _alone = module.lock.lock().unwrap_or_else(PoisonError::into_inner);
        if shape.dynamic_bytes > USUAL_SHARED_BYTES {
            let most = CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
            // SAFETY: the function is loaded.
            self.call("cuFuncSetAttribute", || unsafe {
                cuFuncSetAttribute(module.function, most, shape.dynamic_bytes.cast_signed())
            })?;
        }
        let mut size = kernel.record.args_size();
        // Pairs of a key and a value, up to a zero: where the arguments are (1), and how many bytes (2).
        let key = ptr::without_provenance_mut::<c_void>;
        let mut extra = [key(1), args.cast_mut().cast(), key(2), (&raw mut size).cast(), ptr::null_mut()];
        let ([gx, gy, gz], [bx, by, bz]) = (shape.grid_size, shape.block_size);
        // SAFETY: the function is loaded, and takes these arguments.
        let launched = self.call("cuLaunchKernel", || unsafe {
            let (parameters, extra) = (ptr::null_mut(), extra.as_mut_ptr());
            let (function, bytes) = (module.function, shape.dynamic_bytes);
            cuLaunchKernel(function, gx, gy, gz, bx, by, bz, bytes, STREAM, parameters, extra)
        });
        launched.map_err(|error| failure::of_launch(error, kernel.record.place()))?;
        self.wait("the kernel")?;
        self.panicked(&module, kernel.record)
    }
}
