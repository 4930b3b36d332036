//! What is done before Enzyme, and undone after it. The engine copies, so what is undone is seen in
//! the primal itself.

use crate::case::{Case, Outcome};
use crate::check::{check, function};
use crate::sites::{constant, derivative, float, of_slice, reverse};

/// A request for the derivative of `shim`, whose body is given. `x` is a slice there.
fn case_of(body: &str, items: &str) -> Case {
    let source = format!(
        r#"
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn shim(x: *mut f64, n: usize, out: *mut f64) {{
    let x = unsafe {{ std::slice::from_raw_parts_mut(x, n) }};
    unsafe {{ *out = primal(x) }}
}}

fn primal(x: &mut [f64]) -> f64 {{
    {body}
}}

{items}"#
    );
    Case::of(&source).site(of_slice("shim"))
}

fn prepared(body: &str, items: &str) -> Outcome {
    let outcome = case_of(body, items).run();
    outcome.all_derived();
    outcome
}

#[test]
fn stages_are_dumped_in_order() {
    let outcome = prepared("x[0]", "");
    let stages = ["000-closure.ll", "001-prepared.ll", "002-differentiated.ll", "003-optimised.ll"];
    assert_eq!(outcome.stages(), stages);
    let names: Vec<_> = outcome.response().timings.iter().map(|(name, _)| name.as_str()).collect();
    for stage in ["index", "closure", "prepare", "engine", "emit"] {
        assert!(names.contains(&stage), "{stage} in {names:?}");
    }
}

#[test]
fn allocator_has_plain_names_for_enzyme_only() {
    let outcome = prepared("let copy = vec![x[0]; x.len()]; std::hint::black_box(&copy); copy[0]", "");
    let mangled = ["7___rustc12___rust_alloc(", "7___rustc14___rust_dealloc("];
    let (closure, stage) = (outcome.stage("closure"), outcome.stage("prepared"));
    for name in mangled {
        check(&closure, &format!("CHECK: {name}"));
        check(&stage, &format!("CHECK-NOT: {name}"));
    }
    check(function(&stage, "shim"), "CHECK: @__rust_alloc(\n CHECK: @__rust_dealloc(");
    let stage = outcome.stage("optimised");
    check(function(&stage, "shim"), &format!("CHECK: {}\n CHECK: {}", mangled[0], mangled[1]));
    check(&stage, "CHECK-NOT: @__rust_");
}

#[test]
fn zeroing_allocation_that_llvm_makes_up_gets_its_name() {
    let body = "let mut zeros = Vec::with_capacity(x.len());
        zeros.resize(x.len(), 0.0);
        std::hint::black_box(&zeros);
        zeros.iter().sum::<f64>() + x[0]";
    let outcome = case_of(body, "").with_std().run();
    outcome.all_derived();
    check(&outcome.stage("closure"), "CHECK: 7___rustc12___rust_alloc(");
    check(&outcome.stage("optimised"), "CHECK: 7___rustc\n CHECK-NOT: @__rust_");
}

#[test]
fn realloc_becomes_alloc_copy_dealloc() {
    let body = "use std::alloc::{Layout, alloc, realloc, dealloc};
        let (small, large) = (Layout::array::<f64>(2).unwrap(), Layout::array::<f64>(4).unwrap());
        unsafe {
            let first = alloc(small).cast::<f64>();
            first.write(x[0]);
            std::hint::black_box(first);
            let second = realloc(first.cast(), small, large.size()).cast::<f64>();
            let value = *second;
            dealloc(second.cast(), large);
            value
        }";
    let outcome = prepared(body, "");
    check(&outcome.stage("closure"), "CHECK: 7___rustc14___rust_realloc(");
    let stage = outcome.stage("prepared");
    let shim = "CHECK: @__rust_alloc(\n CHECK-NOT: realloc
        CHECK: @__rust_alloc(\n CHECK: @llvm.memcpy\n CHECK: @__rust_dealloc(\n CHECK: @__rust_dealloc(";
    check(function(&stage, "shim"), shim);
    check(function(&outcome.stage("optimised"), "shim"), "CHECK-NOT: realloc\n CHECK-NOT: @__rust_");
}

#[test]
fn entry_points_that_only_realloc_needs_are_mangled_as_it_is() {
    // The shim frees nothing and allocates nothing itself.
    let body = "use std::alloc::{Layout, realloc};
        let at = x.as_mut_ptr().cast::<*mut f64>();
        unsafe { *realloc((*at).cast(), Layout::array::<f64>(2).unwrap(), 32).cast::<f64>() }";
    let outcome = case_of(body, "").run();
    let stage = outcome.stage("optimised");
    check(function(&stage, "shim"), "CHECK: 7___rustc12___rust_alloc(\n CHECK: 7___rustc14___rust_dealloc(");
    check(&stage, "CHECK-NOT: @__rust_");
}

#[test]
fn panic_becomes_a_guard_and_a_panic_again() {
    let outcome = prepared("x[3] * x[3]", "");
    let stage = outcome.stage("prepared");
    let shim = function(&stage, "shim");
    check(shim, "CHECK: call void @__autodiff_outlined_guard_1(i1\n CHECK-NOT: panic_bounds_check");
    check(
        function(&stage, "__autodiff_outlined_guard_1"),
        "CHECK: br i1 %0\n CHECK: panic_bounds_check\n CHECK: unreachable",
    );
    check(
        &stage,
        r#"CHECK: memory(inaccessiblemem: write)
        CHECK: "enzyme_inactive""#,
    );
    let stage = outcome.stage("optimised");
    check(&stage, "CHECK-NOT: @__autodiff_outlined");
    check(function(&stage, "shim"), "CHECK: br i1\n CHECK: panic_bounds_check\n CHECK: unreachable");
}

#[test]
fn guard_in_a_loop_leaves_one_exit() {
    let outcome = prepared("let mut sum = 0.0; for i in 0..x.len() { sum += x[x[i] as usize]; } sum", "");
    let stage = outcome.stage("prepared");
    // The branch that is left leads to a dead end, never to a panic.
    check(
        function(&stage, "shim"),
        "CHECK: phi double\n CHECK: @__autodiff_outlined_guard_\n CHECK: panicked:\n CHECK: unreachable",
    );
    check(function(&stage, "shim"), "CHECK-NOT: core9panicking");
    check(function(&outcome.stage("optimised"), "shim"), "CHECK: panic_bounds_check");
}

#[test]
fn messages_of_panics_are_kept() {
    let outcome = prepared("assert!(x[0] > 0.0, \"{} is not positive\", x[0]); x[0].sqrt()", "");
    check(
        function(&outcome.stage("prepared"), "shim"),
        "CHECK: @__autodiff_outlined_guard_\n CHECK-NOT: panic_fmt",
    );
    check(function(&outcome.stage("optimised"), "shim"), "CHECK: panic_fmt");
    check(&outcome.stage("optimised"), "CHECK: is not positive");
}

#[test]
fn memory_operations_say_what_they_move() {
    let outcome = prepared("x[1..].fill(0.0); x[0]", "");
    let stage = outcome.stage("prepared");
    check(function(&stage, "shim"), "CHECK: @llvm.memset\n CHECK: !enzyme_truetype");
    check(&stage, r#"CHECK: !{!"Float@double", i64 0}"#);

    let outcome = prepared("let (a, b) = x.split_at_mut(8); a.copy_from_slice(&b[..8]); x[0]", "");
    check(function(&outcome.stage("prepared"), "shim"), "CHECK: @llvm.memcpy\n CHECK: !enzyme_truetype");
}

#[test]
fn floats_move_through_a_copy_and_addresses_do_not() {
    let outcome = prepared("x.copy_within(1.., 0); x[0]", "");
    check(&outcome.stage("closure"), "CHECK: @llvm.memmove");
    let shim = "CHECK: @malloc(\n CHECK: @llvm.memcpy\n CHECK: @llvm.memcpy\n CHECK: @free(";
    check(function(&outcome.stage("prepared"), "shim"), shim);
    check(function(&outcome.stage("prepared"), "shim"), "CHECK-NOT: memmove");

    let body = "let mut v: Vec<Box<f64>> = x.iter().map(|v| Box::new(*v)).collect(); v.remove(1); *v[1]";
    let outcome = case_of(body, "").with_std().run();
    outcome.all_derived();
    check(function(&outcome.stage("prepared"), "shim"), "CHECK-NOT: @malloc(\n CHECK: @llvm.memmove");
}

#[test]
fn loads_and_stores_of_floats_are_tagged() {
    let outcome = prepared("x[0] * 2.0", "");
    let stage = outcome.stage("prepared");
    check(function(&stage, "shim"), "CHECK: load double\n CHECK: !tbaa\n CHECK: store double\n CHECK: !tbaa");
    check(&stage, r#"CHECK: !{!"double", "#);

    let outcome = prepared("let p = x.as_ptr().cast::<f32>(); f64::from(unsafe { *p } * 2.0)", "");
    check(function(&outcome.stage("prepared"), "shim"), "CHECK: load float\n CHECK: !tbaa");
    check(&outcome.stage("prepared"), r#"CHECK: !{!"float", "#);
}

#[test]
fn loops_are_neither_vectorised_nor_unrolled_before_enzyme() {
    let body = "let mut sum = 0.0; for v in x.iter_mut() { *v *= 2.0; } for v in &*x { sum += v; } sum";
    let outcome = prepared(body, "");
    check(&outcome.stage("prepared"), "CHECK: fmul afn double\n CHECK-NOT: x double>");
    check(&outcome.stage("optimised"), "CHECK: x double>");

    // LLVM does it here even if told not to, and Enzyme has no rule for what comes of `powi`.
    let body = "let mut out = [0.0; 3];
        let (y, z) = x.split_at(x.len() / 2);
        for ((out, y), z) in out.iter_mut().zip(y).zip(z) { *out = y * z.powi(3); }
        out.iter().sum()";
    let outcome = prepared(body, "");
    check(
        &outcome.stage("prepared"),
        "CHECK: @llvm.powi.f64\n CHECK-NOT: x double>\n CHECK-NOT: noimplicitfloat",
    );
}

#[test]
fn landing_pads_that_free_memory_are_dropped() {
    let items = "#[inline(never)] fn may_panic(x: &mut [f64]) { x[0] += x[7]; }";
    let body = "let keep = vec![x[0]; x.len()]; may_panic(x); std::hint::black_box(&keep); keep[0]";
    let outcome = prepared(body, items);
    check(&outcome.stage("closure"), "CHECK: invoke\n CHECK: landingpad");
    check(&outcome.stage("prepared"), "CHECK-NOT: invoke\n CHECK-NOT: landingpad");
}

#[test]
fn only_the_derivative_is_seen_from_outside() {
    let items =
        "#[unsafe(no_mangle)] #[inline(never)] pub fn helper(x: f64) -> f64 { TABLE[x as usize % 3] * x }
        #[unsafe(no_mangle)] pub static TABLE: [f64; 3] = [1.0, 2.0, 3.0];";
    let outcome = prepared("helper(x[0])", items);
    for stage in ["prepared", "optimised"] {
        let text = outcome.stage(stage);
        let defined = text.lines().filter(|line| line.starts_with("define ") && !line.contains(" internal "));
        let defined: Vec<_> = defined.collect();
        assert!(matches!(defined[..], [one] if one.contains(&derivative("shim"))), "{stage}: {defined:?}");
        let outside = |line: &&str| line.starts_with('@') && line.contains(" constant ");
        for constant in text.lines().filter(outside) {
            assert!(constant.contains(" internal ") || constant.contains(" private "), "{stage}: {constant}");
        }
    }
    assert_eq!(crate::rust::defined_symbols(&outcome.response().objects[0]), [derivative("shim")]);
}

#[test]
fn counters_are_inactive_and_so_are_statics_that_hold_constants() {
    let items = "use std::sync::atomic::{AtomicUsize, Ordering};
        #[unsafe(no_mangle)] pub static CALLS: AtomicUsize = AtomicUsize::new(0);
        #[unsafe(no_mangle)] pub static mut TABLE: [f64; 4] = [0.0; 4];";
    let body = "CALLS.store(x.len(), Ordering::Relaxed);
        unsafe { (&raw mut TABLE[1]).write_volatile(x.len() as f64); TABLE[2] * x[0] }";
    let stage = prepared(body, items).stage("prepared");
    for name in ["CALLS", "TABLE"] {
        let line = stage.lines().find(|line| line.starts_with(&format!("@{name} "))).unwrap();
        assert!(line.contains("!enzyme_inactive"), "{line}");
    }
}

#[test]
fn statics_that_hold_what_depends_on_the_arguments_are_refused_by_name() {
    let behind = "struct Address(*mut f64); unsafe impl Sync for Address {}
        #[unsafe(no_mangle)] pub static mut SEEN: [f64; 4] = [0.0; 4];
        static ADDRESS: Address = Address((&raw mut SEEN).cast());";
    let cases = [
        ("unsafe { SEEN = x[0]; SEEN }", "#[unsafe(no_mangle)] pub static mut SEEN: f64 = 0.0;"),
        (
            "unsafe { (&raw mut SEEN[1]).write_volatile(x[0]); SEEN[1] }",
            "#[unsafe(no_mangle)] pub static mut SEEN: [f64; 4] = [0.0; 4];",
        ),
        ("unsafe { std::ptr::read_volatile(&ADDRESS.0).add(1).write_volatile(x[0]); SEEN[1] }", behind),
        (
            "SEEN.store(x[0].to_bits(), Ordering::Relaxed); f64::from_bits(SEEN.load(Ordering::Relaxed))",
            "use std::sync::atomic::{AtomicU64, Ordering};
             #[unsafe(no_mangle)] pub static SEEN: AtomicU64 = AtomicU64::new(0);",
        ),
    ];
    for (body, items) in cases {
        let outcome = case_of(body, items).run();
        let refusal = outcome.refusal();
        assert!(
            refusal.message.contains("depends on the arguments through the static `SEEN`"),
            "{refusal:?}"
        );
        assert!(refusal.help.as_deref().is_some_and(|help| help.contains("return it")), "{refusal:?}");
        assert!(!outcome.stages().iter().any(|stage| stage.contains("differentiated")), "{body}");
    }
}

#[test]
fn what_a_panic_must_do_becomes_a_cleanup() {
    let items = "use std::sync::atomic::{AtomicUsize, Ordering};
        #[unsafe(no_mangle)] pub static COUNT: AtomicUsize = AtomicUsize::new(0);
        struct Count; impl Drop for Count { fn drop(&mut self) { COUNT.store(1, Ordering::Relaxed); } }
        #[inline(never)] fn may_panic(x: &mut [f64]) { x[0] += x[7]; }";
    let outcome = prepared("let _count = Count; may_panic(x); x[0]", items);
    let stage = outcome.stage("prepared");
    check(function(&stage, "__autodiff_outlined_cleanup_1"), "CHECK: store atomic i64 1, ptr @COUNT");
    let panic = function(&stage, "__autodiff_outlined_guard_1_panic");
    check(panic, "CHECK: call void @__autodiff_outlined_cleanup_push_1(\n CHECK: panic_bounds_check");
    // The panic runs it before it goes on.
    let guard = function(&stage, "__autodiff_outlined_guard_1");
    check(guard, "CHECK: landingpad\n CHECK: call void @__autodiff_outlined_cleanup_run(\n CHECK: resume");
    // An earlier panic leaves nothing to the next derivative.
    let stage = outcome.stage("optimised");
    check(function(&stage, &derivative("shim")), "CHECK: store ptr null, ptr");
}

#[test]
fn what_a_derivative_would_get_wrong_is_refused() {
    let catch = "#[inline(never)] fn may_panic(x: &mut [f64]) { x[0] += x[7]; }";
    let nested = "#[inline(never)] pub fn __autodiff_call(x: &mut [f64]) { x[0] += 1.0; }";
    let cases = [
        (
            "let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| may_panic(x)));
             if caught.is_ok() { x[0] } else { 0.0 }",
            catch,
            "catches panics",
        ),
        ("__autodiff_call(x); x[0]", nested, "takes a derivative"),
    ];
    for (body, items, expected) in cases {
        let outcome = case_of(body, items).with_std().run();
        let refusal = outcome.refusal();
        assert!(refusal.message.contains(expected), "{body}\nbecame {refusal:?}");
        assert!(refusal.help.is_some(), "{refusal:?}");
        assert!(!outcome.stages().iter().any(|stage| stage.contains("differentiated")));
    }
}

#[test]
fn function_pointer_from_constant_data_is_refused() {
    let source = r#"
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn shim(f: *const fn(f64) -> f64, x: *const f64, out: *mut f64) {
    unsafe { *out = (*f)(*x) }
}"#;
    let outcome = Case::of(source).site(reverse("shim", [constant(), float(), float()])).run();
    let refusal = outcome.refusal();
    assert!(refusal.message.contains("a function that is chosen at run time"), "{refusal:?}");
    assert!(refusal.help.as_deref().is_some_and(|help| help.contains("impl Fn")), "{refusal:?}");
}

/// A shim whose first argument is constant: a pointer to what a closure has captured.
fn with_captured(ty: &str, body: &str) -> Outcome {
    let source = format!(
        r#"
#[unsafe(no_mangle)]
pub unsafe extern "C-unwind" fn shim(f: *const {ty}, x: *const f64, out: *mut f64) {{
    let (f, x) = unsafe {{ (&*f, *x) }};
    let value: f64 = {{ {body} }};
    unsafe {{ *out = value }}
}}"#
    );
    Case::of(&source).with_std().site(reverse("shim", [constant(), float(), float()])).run()
}

#[test]
fn floats_stored_in_constant_memory_are_refused() {
    for (ty, body) in [
        ("std::cell::Cell<f64>", "f.set(x * x); f.get() * x"),
        ("&std::cell::Cell<f64>", "f.set(x * x); f.get() * x"),
        ("[std::cell::Cell<f64>; 2]", "f[1].set(x); x"),
        (
            "(usize, Box<[std::cell::Cell<f64>]>)",
            "for cell in &f.1 { cell.set(cell.get() * x) } f.1[f.0].get()",
        ),
    ] {
        let outcome = with_captured(ty, body);
        let refusal = outcome.refusal();
        assert!(refusal.message.contains("in memory without a shadow"), "{ty}: {refusal:?}");
        assert!(refusal.help.as_deref().is_some_and(|help| help.contains("local variable")), "{refusal:?}");
        assert!(!outcome.stages().iter().any(|stage| stage.contains("differentiated")), "{ty}");
    }
}

#[test]
fn what_only_reads_constant_memory_is_not_refused() {
    for (ty, body) in [
        ("std::cell::Cell<usize>", "f.set(f.get() + 1); x * f.get() as f64"),
        ("std::cell::Cell<f64>", "f.set(1.0); x"),
        ("Vec<f64>", "let mut own = f.clone(); for v in &mut own { *v *= x } own.iter().sum()"),
        (
            "(Vec<f64>, Vec<f64>)",
            "let mut own = f.clone(); own.0[0] *= x; own.1.push(x); own.0[0] * own.1[0]",
        ),
    ] {
        with_captured(ty, body).all_derived();
    }
}

#[test]
fn nothing_is_allocated_like_anything_else() {
    let body = "let squares: Vec<f64> = x.iter().map(|v| v * v).collect(); let mut sum = vec![0.0; x.len()];
        for (s, q) in sum.iter_mut().zip(&squares) { *s += q; }
        sum.iter().sum()";
    let outcome = case_of(body, "").with_std().run();
    outcome.all_derived();
    // No choice between memory and the address of no memory.
    let prepared = outcome.stage("prepared");
    check(function(&prepared, "shim"), "CHECK: @__rust_alloc\n CHECK-NOT: inttoptr (i64 8 to ptr)");
    // Afterwards, a size of zero allocates nothing.
    check(&outcome.stage("optimised"), "CHECK: icmp eq i64\n CHECK: ___rust_alloc");
}

#[test]
fn costly_functions_are_kept_on_the_tape() {
    let outcome = prepared("x[0].tanh() * x[1].exp() / x[2] + x[0]", "");
    let stage = outcome.stage("prepared");
    let shim = function(&stage, "shim");
    check(
        shim,
        "CHECK: @tanh(\n CHECK: !enzyme_mustcache\n CHECK: @llvm.exp.f64(\n CHECK: !enzyme_mustcache",
    );
    check(shim, "CHECK: fdiv\n CHECK: !enzyme_mustcache\n CHECK: fadd\n CHECK-NOT: !enzyme_mustcache");
}
