//! What is done before Enzyme, and undone after it.

use crate::case::Case;
use crate::sites::of_slice;

const SUM: &str = r#"
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn sum(x: *const f64, n: usize, out: *mut f64) {
    let x = unsafe { std::slice::from_raw_parts(x, n) };
    let mut v: Vec<f64> = Vec::new();
    for i in 0..4 { v.push(x[i] * 2.0); }
    unsafe { *out = v.iter().sum() }
}
"#;

#[test]
fn first() {
    let outcome = Case::of(SUM).with_std().site(of_slice("sum")).run();
    println!("{:?}", outcome.response);
    println!("{}", outcome.stage("prepared"));
    println!("{}", outcome.stage("optimised"));
    println!("{:?}", outcome.stages());
}
