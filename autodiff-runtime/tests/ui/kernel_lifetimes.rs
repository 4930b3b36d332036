use std::cell::Cell;

use autodiff::offload::{
    Device, Disjoint, Queue, Shared, Thread, offload, offload_kernel, shared,
};

thread_local! {
    static KEPT: Cell<Option<Shared<'static, f32>>> = const { Cell::new(None) };
}

#[offload_kernel]
fn keeps_shared() {
    let tile = shared!([f32; 4]);
    KEPT.set(Some(tile));
}

#[offload_kernel]
fn keeps_dynamic(thread: Thread) {
    KEPT.set(Some(thread.dynamic_shared()));
}

#[offload_kernel]
fn forever(x: &'static [f32]) {}

#[offload_kernel]
fn forever_disjoint(x: Disjoint<'static, f32>) {}

#[offload_kernel]
fn forever_thread(thread: Thread<'static>) {}

#[offload_kernel]
fn scale(a: f32, x: &[f32], y: Disjoint<'_, f32>) {}

#[offload_kernel]
fn apply(f: impl Fn(f32) -> f32) {}

#[offload_kernel]
unsafe fn raw(x: *mut f32) {}

fn main() {
    let (x, mut y) = (vec![1.0_f32; 3], vec![0.0_f32; 3]);
    let _ = offload! { kernel = apply, args = (|a| a * x[0],) };
    let _ = offload! { kernel = scale, args = (1.0, &y, &mut y) };
    let queue = Queue::new(&Device::cpu());
    let _ = offload! { kernel = scale, args = (1.0, &x, &mut y), queue = &queue };
}
