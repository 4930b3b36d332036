use autodiff::offload::{offload, offload_kernel};

#[offload_kernel]
unsafe fn raw(_x: *mut f32) {}

fn main() {
    let mut y = [0.0_f32; 3];
    let _ = offload! { kernel = raw, args = (y.as_mut_ptr(),) };
}
