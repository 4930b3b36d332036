use autodiff::offload::{Cells, Disjoint, Rows, offload, offload_kernel};

fn plain(x: f32) {}

#[offload_kernel]
fn scale(a: f32, x: &[f32], y: Disjoint<'_, f32>) {}

#[offload_kernel]
fn cells(y: Disjoint<'_, f32, Cells>) {}

fn main() {
    let (x, mut y) = (vec![1.0_f32; 3], vec![0.0_f32; 3]);
    let _ = offload! { kernel = plain, args = (1.0,) };
    let _ = offload! { kernel = scale, args = (1.0, &x) };
    let _ = offload! { kernel = scale, args = (1.0, x, &mut y) };
    let _ = offload! { kernel = scale, args = (1.0, &x, &y) };
    let _ = offload! { kernel = cells, args = (&mut y,) };
    let _ = offload! { kernel = cells, args = (Rows::new(3).of(&mut y),) };
    let _ = offload! { kernel = scale, args = (1.0, &x, &mut y), thread_dim = [1, 2] };
}
