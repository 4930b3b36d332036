use autodiff::{autodiff_forward, autodiff_reverse};

#[autodiff_reverse(d_raw, Duplicated, DuplicatedOnly)]
fn raw(p: *const f64, q: *mut f64) {
    unsafe { *q = *p }
}

#[autodiff_forward(d_square, Dual, DualOnly)]
fn square(x: &f64, y: &mut f64) {
    *y = x * x;
}

fn main() {
    // What `q` and `y` point to is lost, so the caller must agree.
    let (p, mut dp, mut q, mut dq) = (1.0, 0.0, 0.0, 1.0);
    d_raw(&p, &mut dp, &mut q, &mut dq);
    d_square(&1.0, &1.0, &mut q, &mut dq);
}
