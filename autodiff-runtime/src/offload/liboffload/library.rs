//! The functions of `libLLVMOffload.so.22.1`. Later versions have others of the same names, so it is only loaded under
//! this one.

use std::error::Error as _;
use std::ffi::{CStr, c_char, c_void};
use std::ptr::NonNull;

use libloading::Library;

/// What the library calls its version 22.1.
const VERSION: &str = "v0.0.1";
const NAME: &str = "libLLVMOffload.so.22.1";
/// Where Debian and LLVM's own packages put it, if the loader does not find it.
const FOLDERS: [&str; 3] = ["", "/usr/lib/llvm-22/lib/", "/usr/local/lib/"];

pub(super) type Handle = *mut c_void;

/// An error; null if there is none.
type Outcome = Option<NonNull<Failure>>;

#[repr(C)]
pub(super) struct Failure {
    code: u32,
    details: *const c_char,
}

/// Code of `Failure` where there is not enough memory.
pub(super) const OUT_OF_RESOURCES: u32 = 7;

/// The shape of a launch.
#[repr(C)]
pub(super) struct LaunchSize {
    pub(super) dimensions: usize,
    pub(super) groups: [u32; 3],
    pub(super) group_size: [u32; 3],
    pub(super) shared_bytes: usize,
}

macro_rules! functions {
    ($($field:ident = $symbol:ident($($ty:ty),*);)*) => {
        /// The functions that are used.
        pub(super) struct Functions {
            $(pub(super) $field: unsafe extern "C" fn($($ty),*) -> Outcome,)*
        }

        impl Functions {
            fn find(library: &Library) -> Result<Self, String> {
                Ok(Self {
                    // SAFETY: these are the types that version 22.1 declares.
                    $($field: unsafe { *library.get(concat!(stringify!($symbol), "\0").as_bytes()).map_err(|error| error.to_string())? },)*
                })
            }
        }
    };
}

functions! {
    init = olInit();
    iterate_devices = olIterateDevices(unsafe extern "C" fn(Handle, *mut c_void) -> bool, *mut c_void);
    device_info = olGetDeviceInfo(Handle, u32, usize, *mut c_void);
    platform_info = olGetPlatformInfo(Handle, u32, usize, *mut c_void);
    allocate = olMemAlloc(Handle, u32, usize, *mut *mut c_void);
    free = olMemFree(*mut c_void);
    copy = olMemcpy(Handle, *mut c_void, Handle, *const c_void, Handle, usize);
    create_program = olCreateProgram(Handle, *const c_void, usize, *mut Handle);
    symbol = olGetSymbol(Handle, *const c_char, u32, *mut Handle);
    symbol_info = olGetSymbolInfo(Handle, u32, usize, *mut c_void);
    launch = olLaunchKernel(Handle, Handle, Handle, *const c_void, usize, *const LaunchSize);
}

/// Which information of a device, a platform and a symbol is asked for.
pub(super) mod info {
    pub(in super::super) const DEVICE_TYPE: u32 = 0;
    pub(in super::super) const DEVICE_PLATFORM: u32 = 1;
    pub(in super::super) const DEVICE_NAME: u32 = 2;
    pub(in super::super) const PLATFORM_VERSION: u32 = 2;
    pub(in super::super) const PLATFORM_BACKEND: u32 = 3;
    pub(in super::super) const SYMBOL_ADDRESS: u32 = 1;
}

/// Loads the library, which stays.
pub(super) fn load() -> Result<&'static Functions, String> {
    let mut errors = Vec::new();
    for folder in FOLDERS {
        // SAFETY: LLVM's library has constructors of its own, as any has.
        match unsafe { Library::new(format!("{folder}{NAME}")) } {
            Ok(library) => {
                let library = Box::leak(Box::new(library));
                let functions = Functions::find(library).map_err(|why| format!("`{NAME}`: {why}"))?;
                return Ok(Box::leak(Box::new(functions)));
            }
            Err(error) => errors.push(error.source().map_or_else(|| error.to_string(), ToString::to_string)),
        }
    }
    // The most telling error is that of a file that is there, but lacks something.
    let there = errors.iter().find(|error| !error.contains(&format!("{NAME}: cannot open")));
    let why = there.map(|error| format!(" ({error})")).unwrap_or_default();
    Err(format!("LLVM's `{NAME}` is not installed{why}: Debian has it in the package `liboffload-22`"))
}

/// What the library says of a call.
pub(super) fn check(call: &str, outcome: Outcome) -> Result<(), (u32, String)> {
    let Some(failure) = outcome else { return Ok(()) };
    // SAFETY: the library's constant, whose text is null or ends in a zero.
    let (code, details) = unsafe {
        let Failure { code, details } = *failure.as_ptr();
        let details = (!details.is_null()).then(|| CStr::from_ptr(details).to_string_lossy());
        (code, details.unwrap_or_default())
    };
    Err((code, format!("{call}: error {code}: {details}")))
}

/// Whether it is the version that the types are of.
pub(super) fn check_version(found: &str) -> Result<(), String> {
    if found == VERSION {
        return Ok(());
    }
    Err(format!("`{NAME}` calls itself version {found}, and only {VERSION} is known"))
}
