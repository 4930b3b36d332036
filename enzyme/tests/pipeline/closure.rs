//! What comes into the closure and what must stay outside.

use crate::case::Case;
use crate::check::{check, function};
use crate::sites::of_slice;

/// A shim whose primal calls `helper`, which is in another crate.
const CALLER: &str = r#"
unsafe extern "Rust" { safe fn helper(x: f64) -> f64; }

#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn shim(x: *const f64, _: usize, out: *mut f64) {
    unsafe { *out = helper(*x) }
}
"#;

#[test]
fn bodies_come_from_all_crates() {
    let helper = "unsafe extern \"Rust\" { safe fn deeper(x: f64) -> f64; }
        #[unsafe(no_mangle)] pub fn helper(x: f64) -> f64 { deeper(x) + 1.0 }
        #[unsafe(no_mangle)] pub fn bystander(x: f64) -> f64 { x }";
    let deeper = "#[unsafe(no_mangle)] pub fn deeper(x: f64) -> f64 { x * 3.0 }";
    let outcome = Case::of(CALLER).krate("one", helper).krate("two", deeper).site(of_slice("shim")).run();
    outcome.all_derived();
    let stage = outcome.stage("closure");
    check(function(&stage, "helper"), "CHECK: @deeper(");
    check(function(&stage, "deeper"), "CHECK: fmul double");
    check(&stage, "CHECK-NOT: bystander");
}

#[test]
fn the_first_crate_with_a_body_wins() {
    let body = |factor: &str| format!("#[unsafe(no_mangle)] pub fn helper(x: f64) -> f64 {{ x * {factor} }}");
    let case = Case::of(CALLER).krate("one", &body("3.0")).krate("two", &body("5.0"));
    let outcome = case.site(of_slice("shim")).run();
    check(function(&outcome.stage("closure"), "helper"), "CHECK: 3.0\n CHECK-NOT: 5.0");
}

#[test]
fn mutable_statics_are_the_programs_own() {
    let source = r#"
use std::sync::atomic::{AtomicU64, Ordering};

static LOCAL: AtomicU64 = AtomicU64::new(7);
#[unsafe(no_mangle)]
pub static SHARED: AtomicU64 = AtomicU64::new(8);
static FIXED: [f64; 4] = [1.0, 2.0, 3.0, 4.0];

pub fn set(value: u64) { LOCAL.store(value, Ordering::Relaxed); }

#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn shim(x: *const f64, n: usize, out: *mut f64) {
    let scale = LOCAL.load(Ordering::Relaxed) + SHARED.load(Ordering::Relaxed);
    unsafe { *out = *x * FIXED[n % 4] * scale as f64 }
}
"#;
    let outcome = Case::of(source).site(of_slice("shim")).run();
    let [local] = &outcome.all_derived().externals[..] else {
        panic!("not one local static: {:?}", outcome.response());
    };
    assert!(local.ends_with("5LOCAL"), "{local}");
    for stage in ["closure", "prepared", "optimised"] {
        let text = outcome.stage(stage);
        let line = |name: &str| text.lines().find(|it| it.starts_with('@') && it.contains(name)).unwrap();
        for name in ["5LOCAL", "SHARED"] {
            assert!(line(name).contains(" = external "), "{stage}: {}", line(name));
        }
        let fixed = text.lines().find(|it| it.starts_with('@') && it.contains("5FIXED"));
        assert!(fixed.is_some_and(|line| !line.contains(" external ")), "{stage}: {fixed:?}");
    }
    let undefined = crate::rust::undefined_symbols(&outcome.response().objects[0]);
    assert!(undefined.contains(local) && undefined.contains(&"SHARED".to_owned()), "{undefined:?}");
}

#[test]
fn thread_locals_are_the_programs_own() {
    let source = r#"
use std::cell::Cell;

thread_local! { static SCALE: Cell<f64> = const { Cell::new(2.0) }; }

pub fn set(value: f64) { SCALE.set(value); }

#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn shim(x: *const f64, _: usize, out: *mut f64) {
    unsafe { *out = *x * SCALE.get() }
}
"#;
    let outcome = Case::of(source).site(of_slice("shim")).run();
    outcome.all_derived();
    check(&outcome.stage("prepared"), "CHECK: = external\n CHECK: thread_local");
}

#[test]
fn panics_of_the_standard_library_are_not_copied() {
    let fail = "#[unsafe(no_mangle)] #[inline(never)] pub fn fail() -> ! { loop { std::thread::yield_now(); } }
        #[unsafe(no_mangle)] #[inline(never)] pub fn helper(x: f64) -> f64 { if x < 0.0 { fail() } else { x } }";
    // Code of the user's is copied whether it returns or not.
    let own = Case::of(CALLER).krate("one", fail).site(of_slice("shim")).run();
    check(&own.stage("closure"), "CHECK: define\n CHECK: @fail()");
    let std = Case::of(CALLER).std_krate("one", fail).site(of_slice("shim")).run();
    let stage = std.stage("closure");
    assert!(stage.lines().any(|line| line.starts_with("declare ") && line.contains("@fail()")), "{stage}");
    function(&stage, "helper");
}

#[test]
fn bodies_come_from_the_real_standard_library() {
    let source = r#"
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn shim(x: *const f64, n: usize, out: *mut f64) {
    let x = unsafe { std::slice::from_raw_parts(x, n) };
    let mut grown = Vec::new();
    for v in x { grown.push(v * x[1]); }
    unsafe { *out = grown.iter().sum() }
}
"#;
    let outcome = Case::of(source).with_std().site(of_slice("shim")).run();
    outcome.all_derived();
    let stage = outcome.stage("closure");
    let line =
        |start: &str, name: &str| stage.lines().any(|line| line.starts_with(start) && line.contains(name));
    assert!(line("define ", "11finish_grow"), "{stage}");
    assert!(line("declare ", "18panic_bounds_check("), "{stage}");
    assert!(line("declare ", "12handle_error("), "{stage}");
    assert!(line("declare ", "@rust_eh_personality("), "{stage}");
    assert!(!stage.contains("define internal i32 @rust_eh_personality"));
}

#[test]
fn allocator_of_the_user_stays_outside() {
    let source = r#"
use std::alloc::{GlobalAlloc, Layout, System};

struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 { unsafe { System.alloc(layout) } }
    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) { unsafe { System.dealloc(at, layout) } }
}

#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn shim(x: *const f64, n: usize, out: *mut f64) {
    let copy = vec![unsafe { *x }; n];
    std::hint::black_box(&copy);
    unsafe { *out = copy[0] }
}
"#;
    let outcome = Case::of(source).site(of_slice("shim")).run();
    outcome.all_derived();
    let stage = outcome.stage("closure");
    for name in ["7___rustc12___rust_alloc(", "7___rustc14___rust_dealloc("] {
        let declared = stage.lines().any(|line| line.starts_with("declare ") && line.contains(name));
        assert!(declared, "{name} in {stage}");
    }
    check(&outcome.stage("prepared"), "CHECK-NOT: 8Counting");
}

/// What only the allocator or a panic reaches is not differentiated, so nothing of it is refused.
#[test]
fn destructors_of_the_allocator_are_no_reason_to_refuse() {
    let source = r#"
use std::alloc::{GlobalAlloc, Layout, System};

struct Locked;
struct Guard<'a>(&'a std::cell::Cell<usize>);
impl Drop for Guard<'_> {
    fn drop(&mut self) { self.0.set(0) }
}

#[global_allocator]
static ALLOCATOR: Locked = Locked;

#[inline(never)]
fn may_panic(n: usize) { assert!(n < 1 << 40) }

thread_local! { static DEPTH: std::cell::Cell<usize> = const { std::cell::Cell::new(0) }; }

unsafe impl GlobalAlloc for Locked {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        DEPTH.with(|depth| {
            let _guard = Guard(depth);
            may_panic(layout.size());
            unsafe { System.alloc(layout) }
        })
    }
    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) { unsafe { System.dealloc(at, layout) } }
}

#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn shim(x: *const f64, n: usize, out: *mut f64) {
    let copy = vec![unsafe { *x }; n];
    std::hint::black_box(&copy);
    unsafe { *out = copy[0] }
}
"#;
    Case::of(source).site(of_slice("shim")).run().all_derived();
}

#[test]
fn assembly_and_initialisers_stay_behind() {
    let source = r#"
std::arch::global_asm!(".globl some_symbol", "some_symbol:");

#[used]
#[unsafe(link_section = ".init_array")]
static START: extern "C" fn() = start;
extern "C" fn start() {}

#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn shim(x: *const f64, _: usize, out: *mut f64) {
    unsafe { *out = *x }
}
"#;
    let outcome = Case::of(source).site(of_slice("shim")).run();
    outcome.all_derived();
    check(
        &outcome.stage("closure"),
        "CHECK-NOT: module asm\n CHECK-NOT: some_symbol\n CHECK-NOT: llvm.used
         CHECK-NOT: llvm.compiler.used\n CHECK-NOT: .init_array",
    );
}

#[test]
fn shim_is_found_under_the_name_that_llvm_gave_it() {
    let source = CALLER.replace("helper(*x)", "*x");
    let mut site = of_slice("shim");
    site.shim = "shim.llvm.9616214522146375776".to_owned();
    let outcome = Case::of(&source).site(site).run();
    assert_eq!(outcome.all_derived().derived, ["__autodiff_derivative_shim"]);
}

#[test]
fn shim_without_bitcode_is_refused() {
    let outcome = Case::of(CALLER).site(of_slice("elsewhere")).run();
    let refusal = outcome.refusal();
    assert!(refusal.message.contains("no bitcode was kept"), "{refusal:?}");
    assert!(refusal.help.as_deref().is_some_and(|help| help.contains("cargo autodiff clean")), "{refusal:?}");
}

#[test]
fn bitcode_that_cannot_be_read_is_an_error() {
    let site = of_slice("shim");
    let fails = |case: Case| case.site(site.clone()).run().response.unwrap_err();
    let error = fails(Case::of(CALLER).change_modules(|modules| modules[0].path = "/nowhere/x.bc".into()));
    assert!(error.contains("cannot read /nowhere/x.bc"), "{error}");
    let error = fails(Case::of(CALLER).change_modules(|modules| modules[0].length += 1));
    assert!(error.contains("cannot read"), "{error}");
    let error = fails(Case::of(CALLER).change_modules(|modules| modules[0].length /= 2));
    assert!(error.contains("the bitcode of crate `snippet` cannot be read"), "{error}");
    let error = fails(Case::of(CALLER).change_modules(|modules| modules[0].offset += 4));
    assert!(error.contains("cannot be read") || error.contains("cannot read"), "{error}");
}
