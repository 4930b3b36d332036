//! The smallest kernel: `y += a x`, on a GPU or on the CPU.
//!
//! ```console
//! $ cargo autodiff run --release -p saxpy
//! $ AUTODIFF_DEVICE=cpu cargo autodiff run --release -p saxpy
//! ```

use std::time::Instant;

use anyhow::{Result, ensure};
use autodiff::offload::{Buffer, Device, Disjoint, offload, offload_kernel};

const LEN: usize = 1 << 24;
const THREADS: u32 = 256;

/// Each thread has one element of `y`.
#[offload_kernel]
fn saxpy(a: f32, x: &[f32], y: Disjoint<'_, f32>) {
    if let Some((i, y)) = y.part() {
        *y += a * x[i];
    }
}

fn main() -> Result<()> {
    let device = Device::preferred()?;
    let x: Vec<f32> = (0..LEN).map(|i| (i % 1000) as f32).collect();
    let mut y: Vec<f32> = (0..LEN).map(|i| (i % 7) as f32).collect();
    let mut expected = y.clone();
    for (y, x) in expected.iter_mut().zip(&x) {
        *y += 2.5 * x;
    }

    // The data stay on the device; slices would be copied there and back by each launch.
    let x = Buffer::from_slice(&device, &x)?;
    let mut y_there = Buffer::from_slice(&device, &y)?;
    let blocks = (LEN as u32).div_ceil(THREADS);
    let start = Instant::now();
    offload! {
        kernel = saxpy,
        args = (2.5, &x, &mut y_there),
        workgroup_dim = [blocks, 1, 1],
        thread_dim = [THREADS, 1, 1],
    }?;
    let time = start.elapsed();
    y_there.copy_to(&mut y)?;

    println!("device: {device} ({})", device.label());
    println!("time: {:.2} ms for {LEN} elements", 1e3 * time.as_secs_f64());
    // A GPU may round once where the CPU rounds twice.
    let error = y.iter().zip(&expected).map(|(y, e)| (y - e).abs() / e.abs().max(1.0)).fold(0.0, f32::max);
    println!("largest relative difference from plain Rust: {error:.1e}");
    ensure!(error <= f32::EPSILON, "the kernel's result differs from plain Rust");
    Ok(())
}
