fn f(x: f64) -> f64 {
    let square = Box::new(x * x);
    let mut address = &raw const *square as usize;
    unsafe {
        std::arch::asm!("/* {0} */", inout(reg) address);
        *(address as *const f64) + x
    }
}

fn main() {
    println!("{}", autodiff::derivative(f, 3.0));
}
