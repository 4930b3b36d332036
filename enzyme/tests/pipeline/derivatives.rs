//! Derivatives by real Enzyme, called as programs call them.

use autodiff_enzyme::protocol::Activity;

use crate::case::Case;
use crate::sites::{derivative, floats, forward, length, of_slice, reverse};
use crate::{check, real, sites};

/// Shims of several functions of a slice.
const SNIPPET: &str = r#"
use std::slice::from_raw_parts;
use std::sync::atomic::{AtomicU64, Ordering};

#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn product(x: *const f64, n: usize, out: *mut f64) {
    unsafe { *out = from_raw_parts(x, n).iter().product() }
}

/// Grows a vector, copies it, and looks at one element of the argument by number.
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn grown(x: *const f64, n: usize, out: *mut f64) {
    let x = unsafe { from_raw_parts(x, n) };
    let mut squares = Vec::new();
    for v in x { squares.push(v * v); }
    let copy = squares.clone();
    unsafe { *out = copy.iter().sum::<f64>() * x[2] }
}

static SCALE: AtomicU64 = AtomicU64::new(1);

pub fn set_scale(scale: u64) { SCALE.store(scale, Ordering::Relaxed); }

#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn scaled(x: *const f64, _: usize, out: *mut f64) {
    unsafe { *out = *x * SCALE.load(Ordering::Relaxed) as f64 }
}
"#;

/// What programs that call derivatives begin with.
const MAIN: &str = r#"
extern crate snippet;

/// The gradient, from one call of a derivative.
fn gradient(derivative: unsafe extern "C-unwind" fn(*mut *mut ()), x: &[f64]) -> Vec<f64> {
    let (mut dx, mut out, mut dout) = (vec![0.0; x.len()], 0.0, 1.0);
    let mut slots: [*mut (); 5] = [
        x.as_ptr().cast_mut().cast(),
        dx.as_mut_ptr().cast(),
        x.len() as *mut (),
        (&raw mut out).cast(),
        (&raw mut dout).cast(),
    ];
    unsafe { derivative(slots.as_mut_ptr()) };
    dx
}
"#;

#[test]
fn gradients_are_right() {
    let Some(engine) = real::engine("gradients_are_right") else { return };
    let outcome =
        Case::of(SNIPPET).with_std().site(of_slice("product")).site(of_slice("grown")).engine(engine).run();
    let main = format!(
        r#"{MAIN}
unsafe extern "C-unwind" {{ fn {product}(args: *mut *mut ()); fn {grown}(args: *mut *mut ()); }}

fn main() {{
    println!("{{:?}}", gradient({product}, &[2.0, 3.0, 4.0]));
    println!("{{:?}}", gradient({grown}, &[1.0, 2.0, 3.0]));
    // The check inside survived, and its panic can be caught.
    println!("{{}}", std::panic::catch_unwind(|| gradient({grown}, &[1.0, 2.0])).is_err());
}}
"#,
        product = derivative("product"),
        grown = derivative("grown"),
    );
    assert_eq!(outcome.execute(&main), "[12.0, 8.0, 6.0]\n[6.0, 12.0, 32.0]\ntrue\n");
}

#[test]
fn tangents_come_in_several_directions() {
    let Some(engine) = real::engine("tangents_come_in_several_directions") else { return };
    let site = forward("product", 2, [floats(), length(), sites::float()]);
    let outcome = Case::of(SNIPPET).site(site).engine(engine).run();
    let main = format!(
        r#"
extern crate snippet;
unsafe extern "C-unwind" {{ fn {product}(args: *mut *mut ()); }}

fn main() {{
    let (x, one, two) = ([2.0, 3.0, 4.0], [1.0, 0.0, 0.0], [0.0, 1.0, 1.0]);
    let (mut out, mut done, mut dtwo) = (0.0, 0.0, 0.0);
    let slot = |values: &[f64; 3]| values.as_ptr().cast_mut().cast::<()>();
    let number = |value: *mut f64| value.cast::<()>();
    let mut slots = [
        slot(&x), slot(&one), slot(&two), 3 as *mut (),
        number(&raw mut out), number(&raw mut done), number(&raw mut dtwo),
    ];
    unsafe {{ {product}(slots.as_mut_ptr()) }};
    println!("{{out}} {{done}} {{dtwo}}");
}}
"#,
        product = derivative("product"),
    );
    assert_eq!(outcome.execute(&main), "24 12 14\n");
}

#[test]
fn derivative_reads_the_programs_statics() {
    let Some(engine) = real::engine("derivative_reads_the_programs_statics") else { return };
    // A static that others see, so that nothing has to be made global first.
    let snippet = SNIPPET.replace("static SCALE", "#[unsafe(no_mangle)] pub static SCALE");
    let outcome = Case::of(&snippet).site(of_slice("scaled")).engine(engine).run();
    assert!(outcome.all_derived().externals.is_empty());
    let main = format!(
        r#"{MAIN}
unsafe extern "C-unwind" {{ fn {scaled}(args: *mut *mut ()); }}

fn main() {{
    snippet::set_scale(7);
    println!("{{:?}}", gradient({scaled}, &[1.0]));
}}
"#,
        scaled = derivative("scaled"),
    );
    assert_eq!(outcome.execute(&main), "[7.0]\n");
}

#[test]
fn refusal_names_the_way_to_a_function_without_a_body() {
    let Some(engine) = real::engine("refusal_names_the_way_to_a_function_without_a_body") else { return };
    let source = r#"
unsafe extern "C" { safe fn mystery(x: f64) -> f64; }

#[inline(never)]
fn outer(x: f64) -> f64 { inner(x) * 2.0 }

#[inline(never)]
fn inner(x: f64) -> f64 { mystery(x) + x }

#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn shim(x: *const f64, _: usize, out: *mut f64) {
    unsafe { *out = outer(*x) }
}
"#;
    let outcome = Case::of(source).site(of_slice("shim")).engine(engine).run();
    let refusal = outcome.refusal();
    assert!(refusal.message.contains("`mystery`"), "{refusal:?}");
    assert!(
        refusal.chain.ends_with(&["`snippet::outer`", "`snippet::inner`", "`mystery`"].map(str::to_owned)),
        "{refusal:?}"
    );
    let location = refusal.location.as_ref().unwrap();
    assert!(location.file.ends_with("lib.rs") && location.line > 0, "{location:?}");
}

#[test]
fn no_reason_of_enzymes_is_passed_on_raw() {
    let Some(engine) = real::engine("no_reason_of_enzymes_is_passed_on_raw") else { return };
    let bodies = [
        "f64::from_bits(x[0].to_bits() / 3) * x[1]",
        "f64::from_bits(x[0].to_bits().wrapping_mul(3).rotate_left(7))",
        "let at = std::hint::black_box(x.as_ptr() as usize) as *const f64; unsafe { *at * *at }",
    ];
    for body in bodies {
        let source = format!(
            r#"
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn shim(x: *const f64, n: usize, out: *mut f64) {{
    let x = unsafe {{ std::slice::from_raw_parts(x, n) }};
    unsafe {{ *out = {{ {body} }} }}
}}"#
        );
        let outcome = Case::of(&source).site(of_slice("shim")).engine(engine.clone()).run();
        // Should a later Enzyme differentiate it, all the better.
        for refusal in &outcome.response().refusals {
            let words = ["Enzyme refuses", "; Function", "%", "Assertion", ".cpp", "gave no reason"];
            let raw = words.into_iter().find(|word| refusal.message.contains(word));
            assert_eq!(raw, None, "{body}\nbecame {refusal:?}");
        }
    }
}

#[test]
fn shadow_only_parameters_are_accepted() {
    let Some(engine) = real::engine("shadow_only_parameters_are_accepted") else { return };
    let mut out = sites::float();
    out.activity = Activity::DuplicatedOnly;
    let site = reverse("product", [floats(), length(), out]);
    let outcome = Case::of(SNIPPET).site(site).engine(engine).run();
    outcome.all_derived();
    check::check(&outcome.stage("prepared"), "CHECK: @enzyme_dupnoneed");
    check::check(&outcome.stage("optimised"), "CHECK-NOT: @__enzyme_\n CHECK-NOT: @enzyme_");
}

#[test]
fn code_of_derivatives_unwinds_and_probes_the_stack() {
    let Some(engine) = real::engine("code_of_derivatives_unwinds_and_probes_the_stack") else { return };
    // Recursive, so that it is not inlined, with a frame of many pages.
    let source = r#"
#[inline(never)]
fn tree(x: &[f64], seed: usize) -> f64 {
    if x.len() < 2 { return x[seed]; }
    let mut buffer = [0.0; 4096];
    for (i, slot) in buffer.iter_mut().enumerate() { *slot = x[(i * seed) % x.len()]; }
    let (left, right) = x.split_at(x.len() / 2);
    tree(left, seed / 2) * tree(right, seed / 2) + buffer[seed]
}

#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn shim(x: *const f64, n: usize, out: *mut f64) {
    unsafe { *out = tree(std::slice::from_raw_parts(x, n), n) }
}
"#;
    let outcome = Case::of(source).site(of_slice("shim")).engine(engine).run();
    outcome.all_derived();
    let stage = outcome.stage("optimised");
    let defined: Vec<_> = stage.lines().filter(|line| line.starts_with("define ")).collect();
    assert!(defined.iter().any(|line| line.contains("4tree")), "nothing but {defined:?}");
    for line in defined {
        let number = line.rsplit_once('#').unwrap().1.split(' ').next().unwrap();
        let attributes = format!("attributes #{number} = ");
        let attributes = stage.lines().find(|line| line.starts_with(&attributes)).unwrap();
        for wanted in ["uwtable", r#""probe-stack"="inline-asm""#] {
            assert!(attributes.contains(wanted), "no {wanted} in {attributes}\nof {line}");
        }
    }
}

/// What goes through memory that only the program has keeps its derivative or is refused.
#[test]
fn nothing_is_lost_in_a_static() {
    let Some(engine) = real::engine("nothing_is_lost_in_a_static") else { return };
    let source = r#"
use std::sync::atomic::{AtomicU64, Ordering};

#[unsafe(no_mangle)]
pub static BITS: AtomicU64 = AtomicU64::new(0);
#[unsafe(no_mangle)]
pub static mut BUFFER: [f64; 4] = [0.0; 4];

#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn bits(x: *const f64, _: usize, out: *mut f64) {
    unsafe {
        BITS.store((*x).to_bits(), Ordering::Relaxed);
        *out = f64::from_bits(BITS.load(Ordering::Relaxed)) * 3.0;
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn buffer(x: *const f64, _: usize, out: *mut f64) {
    unsafe {
        (&raw mut BUFFER[1]).write_volatile(*x);
        *out = (&raw const BUFFER[1]).read_volatile() * 3.0;
    }
}
"#;
    for shim in ["bits", "buffer"] {
        let outcome = Case::of(source).site(of_slice(shim)).engine(engine.clone()).run();
        if let [refusal] = &outcome.response().refusals[..] {
            assert!(refusal.message.contains("static"), "{refusal:?}");
            continue;
        }
        let main = format!(
            r#"{MAIN}
unsafe extern "C-unwind" {{ fn {symbol}(args: *mut *mut ()); }}

fn main() {{
    println!("{{:?}}", gradient({symbol}, &[2.0]));
}}
"#,
            symbol = derivative(shim),
        );
        assert_eq!(outcome.execute(&main), "[3.0]\n", "{shim}");
    }
}
