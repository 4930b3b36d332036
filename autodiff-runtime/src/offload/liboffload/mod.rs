//! Devices by LLVM 22's offload library, which is loaded when the program runs.

mod library;

use std::collections::HashMap;
use std::ffi::{CStr, c_void};
use std::ptr;
use std::sync::{Arc, Mutex, PoisonError};

use self::library::{Functions, Handle, LaunchSize, OUT_OF_RESOURCES, check, info};
use super::backend::{Address, Backend, Kernel};
use super::error::LaunchError;
use super::record::{Image, KernelRecord, kind};
use super::report::{Report, images, no_image};
use super::shape::{Limits, Shape};

/// The library's types of devices and of memory, and its kinds of symbols.
const GPU: u32 = 2;
const HOST: u32 = 4;
const DEVICE_MEMORY: u32 = 1;
const KERNEL: u32 = 0;
const VARIABLE: u32 = 1;
/// Its back ends.
const CUDA: u32 = 1;
const AMDGPU: u32 = 2;

/// One device.
struct Offload {
    name: String,
    label: String,
    functions: &'static Functions,
    device: Handle,
    /// Stands for this process in copies.
    host: Handle,
    backend: u32,
    loaded: Mutex<HashMap<*const KernelRecord, Loaded>>,
}

/// A loaded kernel. It stays loaded.
#[derive(Clone, Copy)]
struct Loaded {
    kernel: Handle,
    panic: Option<Address>,
}

// SAFETY: the library may be called from any thread.
unsafe impl Send for Offload {}
// SAFETY: as above.
unsafe impl Sync for Offload {}

/// All devices, or why there are none.
pub(crate) fn devices() -> Result<Vec<Arc<dyn Backend>>, String> {
    let functions = library::load()?;
    let text = |(_, why): (u32, String)| why;
    let mut handles = Vec::<Handle>::new();
    // SAFETY: the callback fits its data.
    unsafe {
        check("olInit", (functions.init)()).map_err(text)?;
        let data = (&raw mut handles).cast();
        check("olIterateDevices", (functions.iterate_devices)(add, data)).map_err(text)?;
    }
    let (mut host, mut found) = (ptr::null_mut(), Vec::new());
    for device in handles {
        let kind: u32 = number(functions.device_info, device, info::DEVICE_TYPE)?;
        let platform: Handle = number(functions.device_info, device, info::DEVICE_PLATFORM)?;
        library::check_version(&string(functions.platform_info, platform, info::PLATFORM_VERSION)?)?;
        match kind {
            HOST => host = device,
            GPU => found
                .push((device, number::<u32>(functions.platform_info, platform, info::PLATFORM_BACKEND)?)),
            _ => {}
        }
    }
    found.retain(|(_, backend)| [CUDA, AMDGPU].contains(backend));
    if found.is_empty() || host.is_null() {
        return Err("LLVM's offload library is there, but finds no GPU".to_owned());
    }
    let open = |(place, (device, backend))| Offload::open(functions, place, device, host, backend);
    found.into_iter().enumerate().map(open).collect()
}

/// Adds a device to the `Vec` that `data` points to.
unsafe extern "C" fn add(device: Handle, data: *mut c_void) -> bool {
    // SAFETY: as above.
    unsafe { (*data.cast::<Vec<Handle>>()).push(device) };
    true
}

type Info = unsafe extern "C" fn(Handle, u32, usize, *mut c_void) -> Option<ptr::NonNull<library::Failure>>;

/// Information of the size of a `T`, any bits of which are a value.
fn number<T: Copy>(get: Info, handle: Handle, what: u32) -> Result<T, String> {
    let mut value = std::mem::MaybeUninit::<T>::zeroed();
    // SAFETY: there is room for it, and the library checks the size.
    unsafe {
        let outcome = get(handle, what, size_of::<T>(), value.as_mut_ptr().cast());
        check("information", outcome).map_err(|(_, why)| why)?;
        Ok(value.assume_init())
    }
}

/// Information that is a text.
fn string(get: Info, handle: Handle, what: u32) -> Result<String, String> {
    let mut text = [0_u8; 256];
    // SAFETY: there is room for so many bytes.
    let outcome = unsafe { get(handle, what, text.len() - 1, text.as_mut_ptr().cast()) };
    check("information", outcome).map_err(|(_, why)| why)?;
    Ok(CStr::from_bytes_until_nul(&text).unwrap_or_default().to_string_lossy().into_owned())
}

impl Offload {
    fn open(
        functions: &'static Functions,
        place: usize,
        device: Handle,
        host: Handle,
        backend: u32,
    ) -> Result<Arc<dyn Backend>, String> {
        let label = string(functions.device_info, device, info::DEVICE_NAME)?;
        let name = format!("`liboffload:{place}`");
        Ok(Arc::new(Self { name, label, functions, device, host, backend, loaded: Mutex::default() }))
    }

    fn checked(
        &self,
        call: &str,
        outcome: Option<ptr::NonNull<library::Failure>>,
    ) -> Result<(), LaunchError> {
        check(call, outcome).map_err(|(code, why)| match code {
            OUT_OF_RESOURCES => LaunchError::OutOfMemory { device: self.name.clone(), bytes: 0 },
            _ => LaunchError::Device { device: self.name.clone(), call: call.to_owned(), why },
        })
    }

    /// The image for the device. What NVIDIA's devices can do is not known here, so it is the oldest: newer ones take it.
    fn choose(&self, all: &'static [Image]) -> Option<&'static Image> {
        let number = |image: &&Image| image.arch().to_str().ok()?.strip_prefix("sm_")?.parse::<u32>().ok();
        match self.backend {
            CUDA => all.iter().filter(|image| image.kind() == kind::PTX).min_by_key(number),
            _ => all
                .iter()
                .find(|image| image.kind() == kind::AMDGPU && self.label == image.arch().to_string_lossy()),
        }
    }

    fn load(&self, record: &'static KernelRecord) -> Result<Loaded, LaunchError> {
        let images = images(&self.name, record)?;
        let image =
            self.choose(images.all()).ok_or_else(|| no_image(&self.name, &self.label, record, images))?;
        let (mut program, mut kernel, mut panic) = (ptr::null_mut(), ptr::null_mut(), ptr::null_mut());
        let (functions, data) = (self.functions, image.data());
        // SAFETY: the image is as long as it says, and there is room for the results.
        unsafe {
            let created =
                (functions.create_program)(self.device, data.as_ptr().cast(), data.len(), &raw mut program);
            self.checked("olCreateProgram", created).map_err(|error| LaunchError::MissingImage {
                kernel: record.place(),
                device: self.name.clone(),
                why: format!("the code for {} is not taken: {error}", image.arch().to_string_lossy()),
            })?;
            let found = (functions.symbol)(program, images.symbol().as_ptr(), KERNEL, &raw mut kernel);
            self.checked("olGetSymbol", found)?;
            let found = (functions.symbol)(program, Report::SYMBOL.as_ptr(), VARIABLE, &raw mut panic);
            // A kernel that cannot panic has no such variable.
            let address = match found {
                None => number::<Address>(functions.symbol_info, panic, info::SYMBOL_ADDRESS).ok(),
                Some(_) => None,
            };
            Ok(Loaded { kernel, panic: address })
        }
    }

    fn panicked(&self, address: Address, record: &'static KernelRecord) -> Result<(), LaunchError> {
        let (mut report, empty) = (Report::default(), Report::default());
        let bytes = size_of::<Report>();
        // SAFETY: the variable has the size of a report.
        unsafe { self.read((&raw mut report).cast(), address, bytes)? };
        if report.id == 0 {
            return Ok(());
        }
        // SAFETY: as above.
        unsafe { self.write(address, (&raw const empty).cast(), bytes)? };
        Err(report.explain(record))
    }
}

impl Backend for Offload {
    fn label(&self) -> String {
        self.label.clone()
    }

    fn limits(&self) -> Limits {
        Limits::COMMON
    }

    fn uses_host_memory(&self) -> bool {
        false
    }

    fn allocate(&self, bytes: usize) -> Result<Address, LaunchError> {
        let mut address = ptr::null_mut();
        // SAFETY: there is room for the result.
        let outcome =
            unsafe { (self.functions.allocate)(self.device, DEVICE_MEMORY, bytes, &raw mut address) };
        match self.checked("olMemAlloc", outcome) {
            Err(LaunchError::OutOfMemory { device, .. }) => Err(LaunchError::OutOfMemory { device, bytes }),
            result => result.map(|()| address.cast()),
        }
    }

    unsafe fn free(&self, address: Address, _: usize) {
        // SAFETY: the caller's. If the device is lost, so is its memory.
        let _ = unsafe { (self.functions.free)(address.cast()) };
    }

    unsafe fn write(&self, to: Address, from: *const u8, bytes: usize) -> Result<(), LaunchError> {
        let copy = self.functions.copy;
        if bytes == 0 {
            return Ok(());
        }
        // SAFETY: the caller's. Without a queue, it waits.
        let outcome = unsafe { copy(ptr::null_mut(), to.cast(), self.device, from.cast(), self.host, bytes) };
        self.checked("olMemcpy", outcome)
    }

    unsafe fn read(&self, to: *mut u8, from: Address, bytes: usize) -> Result<(), LaunchError> {
        let copy = self.functions.copy;
        if bytes == 0 {
            return Ok(());
        }
        // SAFETY: as above.
        let outcome = unsafe { copy(ptr::null_mut(), to.cast(), self.host, from.cast(), self.device, bytes) };
        self.checked("olMemcpy", outcome)
    }

    unsafe fn launch(&self, kernel: &Kernel, shape: &Shape, args: *const u8) -> Result<(), LaunchError> {
        // One launch at a time, so that a panic is that of this one.
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        let found = loaded.get(&ptr::from_ref(kernel.record)).copied();
        let Loaded { kernel: symbol, panic } = match found {
            Some(found) => found,
            None => *loaded.entry(kernel.record).or_insert(self.load(kernel.record)?),
        };
        let size = LaunchSize {
            dimensions: 3,
            groups: shape.grid_size,
            group_size: shape.block_size,
            shared_bytes: shape.dynamic_bytes as usize,
        };
        let (bytes, launch) = (kernel.record.args_size(), self.functions.launch);
        // SAFETY: the arguments are those of the kernel. Without a queue, it waits.
        let outcome =
            unsafe { launch(ptr::null_mut(), self.device, symbol, args.cast(), bytes, &raw const size) };
        self.checked("olLaunchKernel", outcome)?;
        panic.map_or(Ok(()), |address| self.panicked(address, kernel.record))
    }
}
