use autodiff::offload::{Disjoint, KernelArgument, offload, offload_kernel};

#[offload_kernel]
fn mutable_slice(x: &mut [f32]) {}

#[offload_kernel]
fn mutable_reference(x: &mut f32) {}

#[offload_kernel]
fn reference(x: &f32, y: &[f32; 3]) {}

#[offload_kernel]
fn pointer(x: *mut f32) {}

#[offload_kernel]
unsafe fn unsafe_mutable_slice(x: &mut [f32]) {}

#[offload_kernel]
fn function_pointer(f: fn(f32) -> f32) {}

#[offload_kernel]
fn returns(x: &[f32]) -> f32 {
    x[0]
}

#[offload_kernel]
async fn asynchronous() {}

#[offload_kernel]
const fn constant() {}

#[offload_kernel]
extern "C" fn foreign() {}

struct Model(f32);

impl Model {
    #[offload_kernel]
    fn method(&self) {}

    #[offload_kernel]
    fn associated(model: &[Self]) {}
}

#[offload_kernel]
struct NoFunction;

#[offload_kernel(fast)]
fn argument() {}

#[offload_kernel]
fn text(text: String, other: &[String], y: Disjoint<'_, &'static str>) {}

#[derive(Clone, Copy, KernelArgument)]
enum Kind {
    First,
}

fn main() {}
