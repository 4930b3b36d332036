static mut LAST: [f64; 4] = [0.0; 4];

fn f(x: &[f64]) -> f64 {
    for (index, x) in x.iter().enumerate() {
        unsafe { LAST[index % 4] += x * x }
    }
    unsafe { LAST[0] * LAST[1] }
}

fn main() {
    println!("{:?}", autodiff::gradient(f, &[1.0, 2.0, 3.0, 4.0, 5.0][..]));
}
