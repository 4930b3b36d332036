//! The devices of this machine.

use std::fmt;
use std::sync::{Arc, OnceLock};

use super::backend::Backend;
use super::cpu::Cpu;
use super::error::LaunchError;
use super::record::KernelRecord;

/// A device that kernels run on.
///
/// Devices are called `cpu`, `cuda:0`, `cuda:1` and so on, and `liboffload:0` and so on.
#[derive(Clone)]
pub struct Device {
    name: String,
    backend: Arc<dyn Backend>,
}

impl Device {
    /// The processor that the program runs on. It is always there.
    pub fn cpu() -> Self {
        static CPU: OnceLock<Device> = OnceLock::new();
        CPU.get_or_init(|| Self { name: "cpu".to_owned(), backend: Arc::new(Cpu::new()) }).clone()
    }

    /// The device of this name; `cuda` and `liboffload` are the first of their kind.
    pub fn named(name: &str) -> Result<Self, LaunchError> {
        // Looking for others takes time, and loads libraries.
        if name == "cpu" {
            return Ok(Self::cpu());
        }
        let is_it = |device: &&Self| device.name == name || device.name.strip_suffix(":0") == Some(name);
        devices_and_reasons().0.iter().find(is_it).cloned().ok_or_else(|| Self::none(name))
    }

    /// The device that a launch takes if it is not told, and has no buffers: that in the environment variable
    /// `AUTODIFF_DEVICE`; else the first GPU; else the CPU.
    ///
    /// A kernel without code for GPUs, in a program that was not built by `cargo autodiff`, goes to the CPU in place of
    /// the first GPU.
    pub fn preferred() -> Result<Self, LaunchError> {
        match Self::in_environment() {
            Some(device) => device,
            None => Ok(devices_and_reasons().0.get(1).cloned().unwrap_or_else(Self::cpu)),
        }
    }

    pub(crate) fn preferred_for(kernel: &KernelRecord) -> Result<Self, LaunchError> {
        let is_for_cpu = kernel.images().is_none() && Self::in_environment().is_none();
        if is_for_cpu { Ok(Self::cpu()) } else { Self::preferred() }
    }

    /// The device in the environment, looked up once.
    fn in_environment() -> Option<Result<Self, LaunchError>> {
        static ASKED: OnceLock<Option<Result<Device, LaunchError>>> = OnceLock::new();
        let asked = || {
            let name = std::env::var_os("AUTODIFF_DEVICE").filter(|name| !name.is_empty())?;
            Some(Self::named(&name.to_string_lossy()))
        };
        ASKED.get_or_init(asked).clone()
    }

    /// What it is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What kind of device it is, for people.
    pub fn label(&self) -> String {
        self.backend.label()
    }

    pub(crate) fn backend(&self) -> &dyn Backend {
        &*self.backend
    }

    /// There is no device of this name.
    pub(crate) fn none(name: &str) -> LaunchError {
        let (devices, reasons) = devices_and_reasons();
        let names: Vec<_> = devices.iter().map(|device| format!("`{}`", device.name)).collect();
        let kind = name.split(':').next().unwrap_or_default();
        let reason = reasons.iter().find(|(other, _)| *other == kind);
        let reason = reason.map(|(_, why)| format!("{why}; ")).unwrap_or_default();
        let wanted = name.to_owned();
        LaunchError::NoDevice { wanted, why: format!("{reason}there is {}", names.join(", ")) }
    }
}

impl PartialEq for Device {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Device {}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Device").field(&self.name).finish()
    }
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", self.name)
    }
}

/// All devices of this machine; the CPU is the first.
///
/// Which there are is found out once.
pub fn devices() -> Vec<Device> {
    devices_and_reasons().0.clone()
}

/// Why each kind of device that is not there is missing.
pub fn missing_devices() -> Vec<(&'static str, String)> {
    devices_and_reasons().1.clone()
}

type Found = (Vec<Device>, Vec<(&'static str, String)>);

fn devices_and_reasons() -> &'static Found {
    static DEVICES: OnceLock<Found> = OnceLock::new();
    DEVICES.get_or_init(|| {
        let mut devices = vec![Device::cpu()];
        let mut reasons = Vec::new();
        for (kind, found) in [("cuda", cuda()), ("liboffload", liboffload())] {
            match found {
                Ok(found) => devices.extend(
                    found
                        .into_iter()
                        .enumerate()
                        .map(|(number, backend)| Device { name: format!("{kind}:{number}"), backend }),
                ),
                Err(why) => reasons.push((kind, why)),
            }
        }
        (devices, reasons)
    })
}

/// Devices of one kind, or why there are none.
type Backends = Result<Vec<Arc<dyn Backend>>, String>;

#[cfg(feature = "cuda")]
fn cuda() -> Backends {
    super::cuda::devices()
}

#[cfg(not(feature = "cuda"))]
fn cuda() -> Backends {
    Err("the feature `cuda` of `autodiff-runtime` is off".to_owned())
}

#[cfg(feature = "liboffload")]
fn liboffload() -> Backends {
    super::liboffload::devices()
}

#[cfg(not(feature = "liboffload"))]
fn liboffload() -> Backends {
    Err("the feature `liboffload` of `autodiff-runtime` is off".to_owned())
}
