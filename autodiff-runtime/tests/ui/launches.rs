use autodiff::offload::offload;

fn main() {
    let args = (1, 2);
    let f = 1;
    let _ = offload! { args = () };
    let _ = offload! { kernel = k };
    let _ = offload! { kernel = k, args = (), blocks = [1, 1, 1] };
    let _ = offload! { kernel = k, args = (), kernel = k };
    let _ = offload! { kernel = |x| x, args = () };
    let _ = offload! { kernel = k, args = args };
    let _ = offload! { kernel = k, args = (1) };
    let _ = offload! { kernel = k, args = (), device = 0, queue = &f };
    let _ = offload! { kernel = k args = () };
}
