use autodiff::offload::KernelArgument;

#[derive(Clone, Copy, KernelArgument)]
struct Pointer {
    number: f32,
    text: &'static str,
}

#[derive(KernelArgument)]
struct NotCopy(f32);

fn main() {}
