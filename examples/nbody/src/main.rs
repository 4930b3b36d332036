//! Bodies that attract each other: each thread has one body, and the threads of a block read the others together,
//! a tile at a time, into memory that they share.
//!
//! ```console
//! $ cargo autodiff run --release -p nbody
//! ```

mod plain;

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use autodiff::offload::{Buffer, Device, Disjoint, KernelArgument, Thread, offload, offload_kernel, shared};

const BODIES: usize = 8192;
/// Runs, of which the best is shown.
const ROUNDS: usize = 3;
const STEPS: usize = 3;
/// Threads of a block, and bodies of a tile.
const TILE: usize = 256;
const TIME_STEP: f32 = 1e-3;
/// Keeps the force finite where bodies meet; squared.
const SOFTENING: f32 = 1e-3;

#[derive(Clone, Copy, Debug, KernelArgument)]
struct Body {
    position: [f32; 3],
    velocity: [f32; 3],
    mass: f32,
}

impl Body {
    fn random(random: &mut fastrand::Rng) -> Self {
        let mut number = || random.f32() - 0.5;
        let (position, velocity) =
            (std::array::from_fn(|_| number()), std::array::from_fn(|_| 0.1 * number()));
        Self { position, velocity, mass: 1.0 / BODIES as f32 }
    }

    /// Moves it for one step.
    fn moved(mut self, acceleration: [f32; 3]) -> Self {
        for (axis, acceleration) in acceleration.into_iter().enumerate() {
            self.velocity[axis] += TIME_STEP * acceleration;
            self.position[axis] += TIME_STEP * self.velocity[axis];
        }
        self
    }
}

/// Adds what a mass at `other` does to a body at `position`.
fn attract(acceleration: &mut [f32; 3], position: [f32; 3], other: [f32; 3], mass: f32) {
    let [x, y, z] = [other[0] - position[0], other[1] - position[1], other[2] - position[2]];
    let square = x * x + y * y + z * z + SOFTENING;
    let pull = mass / (square * square.sqrt());
    acceleration[0] += pull * x;
    acceleration[1] += pull * y;
    acceleration[2] += pull * z;
}

#[offload_kernel]
fn step(thread: Thread, bodies: &[Body], moved: Disjoint<'_, Body>) {
    let (x, y, z) = (shared!([f32; TILE]), shared!([f32; TILE]), shared!([f32; TILE]));
    let mass = shared!([f32; TILE]);
    let place = thread.linear();
    let own = bodies[thread.global()[0].min(bodies.len() - 1)];
    let mut acceleration = [0.0; 3];
    for first in (0..bodies.len()).step_by(TILE) {
        // Each thread brings one body; where there is none, one without mass.
        let body = bodies[(first + place).min(bodies.len() - 1)];
        x.set(place, body.position[0]);
        y.set(place, body.position[1]);
        z.set(place, body.position[2]);
        mass.set(place, if first + place < bodies.len() { body.mass } else { 0.0 });
        thread.sync();
        for other in 0..TILE {
            attract(
                &mut acceleration,
                own.position,
                [x.get(other), y.get(other), z.get(other)],
                mass.get(other),
            );
        }
        thread.sync();
    }
    if let Some((_, body)) = moved.part() {
        *body = own.moved(acceleration);
    }
}

/// Moves the bodies on the device, and says how long it took.
fn run(device: &Device, start: &[Body]) -> Result<(Vec<Body>, Duration)> {
    let mut bodies = Buffer::from_slice(device, start)?;
    let mut moved = Buffer::from_slice(device, start)?;
    let blocks = start.len().div_ceil(TILE) as u32;
    let begin = Instant::now();
    for _ in 0..STEPS {
        offload! {
            kernel = step,
            args = (&bodies, &mut moved),
            workgroup_dim = [blocks, 1, 1],
            thread_dim = [TILE as u32, 1, 1],
        }?;
        std::mem::swap(&mut bodies, &mut moved);
    }
    let time = begin.elapsed();
    Ok((bodies.to_vec()?, time))
}

fn main() -> Result<()> {
    let device = Device::preferred()?;
    let mut random = fastrand::Rng::with_seed(1);
    let start: Vec<_> = (0..BODIES).map(|_| Body::random(&mut random)).collect();
    // Once to start threads and, on a GPU, to load the kernel.
    run(&device, &start[..TILE])?;
    plain::run(&start[..TILE]);
    let (mut bodies, mut time) = run(&device, &start)?;
    let (expected, mut plain_time) = plain::run(&start);
    // The best of some: whatever else runs makes times longer, never shorter.
    for _ in 1..ROUNDS {
        let again = run(&device, &start)?;
        (bodies, time) = (again.0, time.min(again.1));
        plain_time = plain_time.min(plain::run(&start).1);
    }

    println!("device: {device} ({})", device.label());
    println!("time: {:.1} ms for {STEPS} steps of {BODIES} bodies", 1e3 * time.as_secs_f64());
    let ratio = time.as_secs_f64() / plain_time.as_secs_f64();
    println!("plain Rust with rayon: {:.1} ms; ratio {ratio:.2}", 1e3 * plain_time.as_secs_f64());
    let distance = |(a, b): (&Body, &Body)| {
        (0..3).map(|axis| (a.position[axis] - b.position[axis]).abs()).fold(0.0, f32::max)
    };
    let error = bodies.iter().zip(&expected).map(distance).fold(0.0, f32::max);
    println!("largest difference from plain Rust: {error:.1e}");
    ensure!(error < 1e-5, "the kernel's result differs from plain Rust");
    Ok(())
}
