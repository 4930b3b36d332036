//! tmp
use crate::case::Case;
use crate::sites::of_slice;
fn go(name: &str, body: &str) {
    let source = format!(
        r#"
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn shim(x: *const f64, n: usize, out: *mut f64) {{
    let x = unsafe {{ std::slice::from_raw_parts(x, n) }};
    unsafe {{ *out = {name}(x) }}
}}
{body}"#
    );
    let cat = std::env::var("HOME").unwrap() + "/.cache/cargo-autodiff/catalyst-0.15.0-9254b59d/catalyst";
    let case = Case::of(&source).with_std().site(of_slice("shim"));
    let case = case.script(&format!("{cat} \"$@\" 2>/tmp/engtexts/{name}.txt; rc=$?; cat /tmp/engtexts/{name}.txt >&2; echo rc $rc >> /tmp/engtexts/{name}.txt;  exit $rc"));
    let case = case.as_catalyst();
    let outcome = case.run();
    println!("== {name} {:?}", outcome.response);
}
#[test]
fn first() {
    go(
        "missing",
        "unsafe extern \"C\" { fn mystery(x: f64) -> f64; } fn missing(x: &[f64]) -> f64 { unsafe { mystery(x[0]) } }",
    );
    go(
        "statik",
        "static mut S: [f64; 9] = [0.0; 9]; #[unsafe(no_mangle)] pub fn get() -> f64 { unsafe { S[2] } } fn statik(x: &[f64]) -> f64 { unsafe { S[x.len() % 9] = x[0] * 2.0; S[2] + S[3] } }",
    );
    go("bits", "fn bits(x: &[f64]) -> f64 { f64::from_bits(x[0].to_bits().wrapping_mul(3).rotate_left(7)) }");
    go("bits2", "fn bits2(x: &[f64]) -> f64 { f64::from_bits(x[0].to_bits() / 3) * x[1] }");
    go(
        "atomic",
        "static A: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0); fn atomic(x: &[f64]) -> f64 { f64::from_bits(A.fetch_add(x[0].to_bits(), std::sync::atomic::Ordering::SeqCst)) + x[0] }",
    );
    go(
        "enu",
        "#[derive(Clone,Copy)] enum E { I(u64), F(f64) } #[inline(never)] fn mk(x: &[f64], i: usize) -> E { if i % 2 == 0 { E::I(i as u64) } else { E::F(x[i]) } } fn enu(x: &[f64]) -> f64 { let v: Vec<E> = (0..x.len()).map(|i| mk(x, i)).collect(); v.iter().map(|e| match e { E::I(i) => *i as f64, E::F(f) => f * f}).sum() }",
    );
    go(
        "dynf",
        "fn a(x: f64) -> f64 { x * x } fn b(x: f64) -> f64 { x + x } fn dynf(x: &[f64]) -> f64 { let f = std::hint::black_box(if x.len() > 3 { a as fn(f64) -> f64 } else { b }); f(x[0]) }",
    );
    go(
        "i128",
        "fn i128(x: &[f64]) -> f64 { let mut a = 0i128; for v in x { a += *v as i128; } a as f64 + x[0] }",
    );
    go("fmt", "fn fmt(x: &[f64]) -> f64 { let s = format!(\"{}\", x[0]); s.parse::<f64>().unwrap() * x[0] }");
    go(
        "hash",
        "fn hash(x: &[f64]) -> f64 { use std::hash::{Hash,Hasher}; let mut h = std::collections::hash_map::DefaultHasher::new(); x[0].to_bits().hash(&mut h); h.finish() as f64 * x[0] }",
    );
    go(
        "i2p",
        "fn i2p(x: &[f64]) -> f64 { let p = x.as_ptr() as usize; let q = std::hint::black_box(p) as *const f64; unsafe { *q * *q } }",
    );
    go(
        "union",
        "#[repr(C)] union U { i: u64, f: f64 } fn union(x: &[f64]) -> f64 { let mut v: Vec<U> = x.iter().map(|f| U { f: *f }).collect(); for u in &mut v { unsafe { u.i = u.i / 3 + 1; } } v.iter().map(|u| unsafe { u.f * u.f }).sum() }",
    );
}
