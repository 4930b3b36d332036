//! A launch: the checks, the copies, and the call of the back end.

use std::sync::Arc;

use super::backend::{Backend, Kernel};
use super::buffer::{Memory, Temporary};
use super::cpu;
use super::device_list::Device;
use super::error::LaunchError;
use super::queue::{Event, Queue};
use super::shape::Shape;
use super::staging::{Prepared, Transfer};

/// Most bytes that the arguments of a kernel can have, on any device.
const MOST_ARGUMENTS: usize = 4096;

/// What `device = ..` takes: a [`Device`], or the number of one in [`devices()`](super::devices()).
pub trait IntoDevice {
    /// The device.
    fn into_device(self) -> Result<Device, LaunchError>;
}

impl IntoDevice for Device {
    fn into_device(self) -> Result<Device, LaunchError> {
        Ok(self)
    }
}

impl IntoDevice for &Device {
    fn into_device(self) -> Result<Device, LaunchError> {
        Ok(self.clone())
    }
}

impl IntoDevice for i32 {
    fn into_device(self) -> Result<Device, LaunchError> {
        usize::try_from(self).map_or_else(|_| Err(Device::none(&self.to_string())), IntoDevice::into_device)
    }
}

impl IntoDevice for usize {
    fn into_device(self) -> Result<Device, LaunchError> {
        super::devices().into_iter().nth(self).ok_or_else(|| Device::none(&self.to_string()))
    }
}

/// Launches a kernel and waits for its end.
pub fn launch(
    mut prepared: Prepared<'_>,
    shape: Shape,
    device: Option<Result<Device, LaunchError>>,
) -> Result<(), LaunchError> {
    let device = choose(&prepared, device.transpose()?)?;
    check(&prepared, &shape, &device)?;
    let memories: Vec<_> = memories(&prepared).cloned().collect();
    Memory::in_turn(memories.iter().map(|memory| &**memory), || run(&mut prepared, &shape, &device))
}

/// Launches a kernel in a queue.
pub fn launch_in(prepared: Prepared<'static>, shape: Shape, queue: &Queue) -> Result<Event, LaunchError> {
    let mut prepared = prepared;
    let device = choose(&prepared, Some(queue.device().clone()))?;
    check(&prepared, &shape, &device)?;
    let event = Event::new();
    let before = Memory::line_up(memories(&prepared).map(|memory| &**memory), &event);
    queue.push(&event, move || {
        before.iter().try_for_each(Event::wait)?;
        run(&mut prepared, &shape, &device)
    });
    Ok(event)
}

/// The buffers among the arguments.
fn memories<'a>(prepared: &'a Prepared<'_>) -> impl Iterator<Item = &'a Arc<Memory>> {
    prepared.transfers.iter().filter_map(|transfer| transfer.memory.as_ref())
}

/// The device that was asked for, that of the buffers, or any.
fn choose(prepared: &Prepared<'_>, asked: Option<Device>) -> Result<Device, LaunchError> {
    let device = match (asked, memories(prepared).next()) {
        (Some(device), _) => device,
        (None, Some(memory)) => memory.device.clone(),
        (None, None) => Device::preferred_for(prepared.record)?,
    };
    match memories(prepared).find(|memory| memory.device != device) {
        None => Ok(device),
        Some(memory) => Err(LaunchError::Argument {
            kernel: prepared.record.place(),
            why: format!(
                "it is launched on {device}, but a buffer is on {}: copy the buffer, or launch it there",
                memory.device
            ),
        }),
    }
}

fn check(prepared: &Prepared<'_>, shape: &Shape, device: &Device) -> Result<(), LaunchError> {
    let kernel = prepared.record.place();
    if cpu::current().is_some() {
        let why = "a kernel cannot launch another: launch it from outside".to_owned();
        return Err(LaunchError::Argument { kernel, why });
    }
    if prepared.record.args_size() > MOST_ARGUMENTS {
        let why = format!(
            "its arguments have {} bytes, and can have {MOST_ARGUMENTS}: pass large arrays as slices",
            prepared.record.args_size()
        );
        return Err(LaunchError::Argument { kernel, why });
    }
    check_apart(prepared)?;
    shape.check(&device.backend().limits(), kernel)?;
    for transfer in &prepared.transfers {
        if let Some(check) = &transfer.check {
            check.passes(shape).map_err(|why| LaunchError::Shape {
                kernel,
                why: format!("argument {}: {why}", transfer.argument + 1),
            })?;
        }
    }
    Ok(())
}

/// A buffer that is divided among the threads must be no other argument as well.
fn check_apart(prepared: &Prepared<'_>) -> Result<(), LaunchError> {
    let is_divided = |transfer: &Transfer| transfer.check.is_some();
    for (place, one) in prepared.transfers.iter().enumerate() {
        for other in &prepared.transfers[..place] {
            let (Some(memory), Some(others)) = (&one.memory, &other.memory) else { continue };
            if Arc::ptr_eq(memory, others) && (is_divided(one) || is_divided(other)) {
                let (first, second) = (other.argument + 1, one.argument + 1);
                let why = format!(
                    "arguments {first} and {second} are the same buffer, which threads would write to while others use it: copy it"
                );
                return Err(LaunchError::Argument { kernel: prepared.record.place(), why });
            }
        }
    }
    Ok(())
}

/// Copies what must be on the device, runs the kernel, and copies back.
fn run(prepared: &mut Prepared<'_>, shape: &Shape, device: &Device) -> Result<(), LaunchError> {
    prepared.set_dynamic_bytes(shape.dynamic_bytes);
    let backend = device.backend();
    let transfers = std::mem::take(&mut prepared.transfers);
    let mut copies = Vec::new();
    if !backend.uses_host_memory() {
        for transfer in transfers.iter().filter(|transfer| transfer.memory.is_none()) {
            let temporary = Temporary::new(device, transfer.bytes)?;
            // SAFETY: both have so many bytes.
            unsafe { backend.write(temporary.address, transfer.first, transfer.bytes)? };
            prepared.place(transfer.offset, temporary.address);
            copies.push((transfer, temporary));
        }
    }
    let kernel = Kernel { record: prepared.record, functions: prepared.functions };
    // SAFETY: the arguments are those of the kernel, slices among them are on the device, and the shape was checked.
    unsafe { backend.launch(&kernel, shape, prepared.args())? };
    copy_back(backend, &copies)
}

fn copy_back(backend: &dyn Backend, copies: &[(&Transfer, Temporary<'_>)]) -> Result<(), LaunchError> {
    for (transfer, temporary) in copies.iter().filter(|(transfer, _)| transfer.is_written) {
        // SAFETY: both have so many bytes, and the launch has ended; the slice was passed as `&mut`, or holds atomic
        // numbers.
        unsafe { backend.read(transfer.first, temporary.address, transfer.bytes)? };
    }
    Ok(())
}
