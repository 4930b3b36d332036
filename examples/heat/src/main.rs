//! Heat that spreads in a plate: one thread for each cell of a field, and a picture of it.
//!
//! ```console
//! $ cargo autodiff run --release -p heat -- heat.png
//! ```

mod picture;
mod plain;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use autodiff::offload::{Buffer, Cells, Device, Disjoint, offload, offload_kernel};

const WIDTH: usize = 2048;
const HEIGHT: usize = 1024;
/// Runs, of which the best is shown.
const ROUNDS: usize = 3;
const STEPS: usize = 100;
/// Diffusivity times the time step, by the square of a cell's side: stable below 1/4.
const RATE: f64 = 0.2;
const BLOCK: [u32; 3] = [256, 1, 1];

/// One step: each inner cell comes closer to the mean of its neighbours; those at the edge keep their heat.
#[offload_kernel]
fn step(old: &[f64], new: Disjoint<'_, f64, Cells>) {
    if let Some(([x, y], new)) = new.part() {
        let own = y * WIDTH + x;
        *new = if x == 0 || y == 0 || x == WIDTH - 1 || y == HEIGHT - 1 {
            old[own]
        } else {
            let sum = old[own - 1] + old[own + 1] + old[own - WIDTH] + old[own + WIDTH];
            old[own] + RATE * (sum - 4.0 * old[own])
        };
    }
}

/// A cold plate with a hot edge and some hot spots.
fn plate() -> Vec<f64> {
    let mut field = vec![0.0; WIDTH * HEIGHT];
    field[..WIDTH].fill(1.0);
    for (x, y) in [(300, 400), (900, 700), (1500, 300)] {
        for row in field.chunks_mut(WIDTH).skip(y).take(60) {
            row[x..x + 60].fill(1.0);
        }
    }
    field
}

/// Lets the heat spread on the device, and says how long it took.
fn run(device: &Device, start: &[f64], steps: usize) -> Result<(Vec<f64>, Duration)> {
    let mut old = Buffer::from_slice(device, start)?;
    let mut new = Buffer::from_slice(device, start)?;
    let blocks = [(WIDTH as u32).div_ceil(BLOCK[0]), HEIGHT as u32, 1];
    let begin = Instant::now();
    for _ in 0..steps {
        offload! {
            kernel = step,
            args = (&old, Cells::new(WIDTH, HEIGHT).of(&mut new)),
            workgroup_dim = blocks,
            thread_dim = BLOCK,
        }?;
        std::mem::swap(&mut old, &mut new);
    }
    let time = begin.elapsed();
    Ok((old.to_vec()?, time))
}

fn main() -> Result<()> {
    let path = std::env::args_os().nth(1).map_or_else(|| PathBuf::from("heat.png"), PathBuf::from);
    let device = Device::preferred()?;
    let start = plate();
    // Once to start threads and, on a GPU, to load the kernel.
    run(&device, &start, 3)?;
    plain::run(&start, 3);
    let (mut field, mut time) = run(&device, &start, STEPS)?;
    let (expected, mut plain_time) = plain::run(&start, STEPS);
    // The best of some: whatever else runs makes times longer, never shorter.
    for _ in 1..ROUNDS {
        let again = run(&device, &start, STEPS)?;
        (field, time) = (again.0, time.min(again.1));
        plain_time = plain_time.min(plain::run(&start, STEPS).1);
    }

    println!("device: {device} ({})", device.label());
    println!("time: {:.1} ms for {STEPS} steps of {WIDTH} x {HEIGHT} cells", 1e3 * time.as_secs_f64());
    let ratio = time.as_secs_f64() / plain_time.as_secs_f64();
    println!("plain Rust with rayon: {:.1} ms; ratio {ratio:.2}", 1e3 * plain_time.as_secs_f64());
    let error = field.iter().zip(&expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    println!("largest difference from plain Rust: {error:.1e}");
    ensure!(error < 1e-12, "the kernel's result differs from plain Rust");
    picture::write(&path, &field, WIDTH).with_context(|| format!("cannot write {}", path.display()))?;
    println!("picture: {}", path.display());
    Ok(())
}
