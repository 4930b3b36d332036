//! The memory that the worker and the engine may use. Of some functions Enzyme takes all there is, and the machine
//! stands still.

/// Limits the address space of this process and of those that it starts to most of the machine's memory.
#[cfg(target_os = "linux")]
pub(crate) fn limit() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    use rustix::system::sysinfo;

    let machine = sysinfo();
    let total = u64::from(machine.mem_unit) * machine.totalram;
    let most = total / 4 * 3;
    let now = getrlimit(Resource::As);
    let current = now.current.map_or(most, |current| current.min(most));
    // Without the limit it works as well.
    let _ = setrlimit(Resource::As, Rlimit { current: Some(current), ..now });
}

/// Elsewhere address space is no measure of memory.
#[cfg(not(target_os = "linux"))]
pub(crate) fn limit() {}
