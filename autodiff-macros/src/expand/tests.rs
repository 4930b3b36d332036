use proc_macro2::TokenStream;

use super::*;

fn tokens(text: &str) -> TokenStream {
    text.parse().expect("tokens")
}

/// Text that does not depend on how tokens are spaced.
fn squeeze(text: &str) -> String {
    tokens(text).to_string().replace(",)", ")").replace(", )", ")").replace(' ', "")
}

/// The header of the derivative, or the messages of the errors.
fn expand(mode: Mode, args: &str, item: &str) -> Result<String, Vec<String>> {
    let mut errors = Errors::default();
    let item = tokens(item);
    let written = derivative(mode, tokens(args), &item, &mut errors);
    if !errors.is_empty() {
        return Err(errors.messages());
    }
    let function: syn::ItemFn = syn::parse2(written.expect("a derivative")).expect("a function");
    let (visibility, signature) = (function.vis, function.sig);
    Ok(squeeze(&quote!(#visibility #signature).to_string()))
}

#[track_caller]
fn signature(mode: Mode, args: &str, item: &str, expected: &str) {
    assert_eq!(expand(mode, args, item), Ok(squeeze(expected)));
}

#[track_caller]
fn messages(mode: Mode, args: &str, item: &str, expected: &[&str]) {
    let messages = expand(mode, args, item).expect_err("errors");
    assert_eq!(messages.len(), expected.len(), "{messages:#?}");
    for (message, expected) in messages.iter().zip(expected) {
        assert!(message.contains(expected), "{message:?} lacks {expected:?}");
    }
}

use Mode::{Forward, Reverse};

const POLY: &str = "fn poly(t: f64) -> f64 {}";
const MIX: &str = "fn mix(k: u32, t: f32, w: &[f32]) -> f32 {}";
const OUT: &str = "fn out(a: f64, b: f64, r: &mut f64) {}";
const ARRAY: &str = "fn e(p: &[f64; 2]) -> f64 {}";
const SLICES: &str = "fn m(p: &[f32], q: &mut [f32]) {}";

#[test]
fn reverse_signatures() {
    signature(Reverse, "d, Active, Active", POLY, "fn d(t: f64, dret: f64) -> (f64, f64)");
    signature(Reverse, "d, Active, ActiveOnly", POLY, "fn d(t: f64, dret: f64) -> f64");
    signature(Reverse, "d, Active, Const", POLY, "fn d(t: f64) -> (f64, f64)");
    signature(Reverse, "d, Const, Const", POLY, "fn d(t: f64) -> f64");
    signature(Reverse, "d, Const, Active", POLY, "fn d(t: f64, dret: f64) -> f64");
    signature(
        Reverse,
        "d, Const, Active, Duplicated, Active,",
        MIX,
        "fn d(k: u32, t: f32, w: &[f32], dw_0: &mut [f32], dret: f32) -> (f32, f32)",
    );
    signature(
        Reverse,
        "d, Active, Active, Duplicated",
        OUT,
        "fn d(a: f64, b: f64, r: &mut f64, dr_0: &mut f64) -> (f64, f64)",
    );
    signature(
        Reverse,
        "d, Active, Const, Duplicated",
        OUT,
        "fn d(a: f64, b: f64, r: &mut f64, dr_0: &mut f64) -> f64",
    );
    signature(
        Reverse,
        "d, Duplicated, ActiveOnly",
        "fn only(p: &f64) -> f64 {}",
        "fn d(p: &f64, dp_0: &mut f64, dret: f64)",
    );
    signature(
        Reverse,
        "d, Duplicated, DuplicatedOnly",
        "fn raw(p: *const f64, q: *mut f64) {}",
        "unsafe fn d(p: *const f64, dp_0: *mut f64, q: *mut f64, dq_0: *mut f64)",
    );
    signature(
        Reverse,
        "d, 2, Duplicated",
        "fn f(x: &[&f64]) {}",
        "fn d(x: &[&f64], dx_0: &mut [&f64], dx_1: &mut [&f64])",
    );
}

#[test]
fn a_written_unit_counts_beside_gradients() {
    let item = "fn f(a: f64, b: f64) -> () {}";
    signature(Reverse, "d, Const, Const", item, "fn d(a: f64, b: f64)");
    signature(Reverse, "d, Active, Const", item, "fn d(a: f64, b: f64) -> ((), f64)");
    signature(Reverse, "d, Active, Active", item, "fn d(a: f64, b: f64) -> ((), f64, f64)");
    signature(Forward, "d, Const, Const", item, "fn d(a: f64, b: f64)");
}

#[test]
fn forward_signatures() {
    signature(
        Forward,
        "t, Const, Dual, Const, Dual",
        MIX,
        "fn t(k: u32, t: f32, bt_0: f32, w: &[f32]) -> (f32, f32)",
    );
    signature(Forward, "t, Dual, DualOnly", POLY, "fn t(t: f64, bt_0: f64) -> f64");
    signature(Forward, "t, Dual, Const", POLY, "fn t(t: f64, bt_0: f64) -> f64");
    signature(Forward, "t, Dual, Dualv", POLY, "fn t(t: f64, bt_0: f64) -> (f64, f64)");
    signature(Forward, "t, DualOnly, DualvOnly", POLY, "unsafe fn t(t: f64, bt_0: f64) -> f64");
    signature(
        Forward,
        "t3, 3, Dual, DualOnly",
        ARRAY,
        "fn t3(p: &[f64; 2], bp_0: &[f64; 2], bp_1: &[f64; 2], bp_2: &[f64; 2]) -> [f64; 3usize]",
    );
    signature(
        Forward,
        "t3p, 3, Dual, Dual",
        ARRAY,
        "fn t3p(p: &[f64; 2], bp_0: &[f64; 2], bp_1: &[f64; 2], bp_2: &[f64; 2]) -> [f64; 4usize]",
    );
    signature(
        Forward,
        "tv, 3, Dualv, Dualv",
        SLICES,
        "fn tv(p: &[f32], bp_0: &[f32], q: &mut [f32], bq_0: &mut [f32])",
    );
    signature(Forward, "dn", "fn n() {}", "fn dn()");
}

#[test]
fn batched_gradients_and_seeds_are_arrays() {
    signature(
        Reverse,
        "d, 2, Active, Active",
        POLY,
        "fn d(t: f64, dret: [f64; 2usize]) -> (f64, [f64; 2usize])",
    );
    signature(
        Reverse,
        "d, 3, Duplicated, ActiveOnly",
        ARRAY,
        "fn d(p: &[f64; 2], dp_0: &mut [f64; 2], dp_1: &mut [f64; 2], dp_2: &mut [f64; 2], dret: [f64; 3usize])",
    );
    signature(Reverse, "d, 2, Active, Const", POLY, "fn d(t: f64) -> (f64, [f64; 2usize])");
}

#[test]
fn patterns_get_names() {
    signature(
        Forward,
        "d, Dual, Const, Dual",
        "fn f((a, b): (f64, f64), _: u8, ref x @ y: f64) {}",
        "fn d(arg_0: (f64, f64), barg_0_0: (f64, f64), arg_1: u8, x: f64, bx_0: f64)",
    );
}

#[test]
fn names_do_not_clash() {
    signature(
        Reverse,
        "d, Duplicated, Active, Active, Const, Active",
        "fn f(x: &f64, dx_0: f64, dret: f64, (a, _): (u8, u8)) -> f64 {}",
        "fn d(x: &f64, dx_0_: &mut f64, dx_0: f64, dret: f64, arg_3: (u8, u8), dret_: f64) -> (f64, f64, f64)",
    );
    signature(Reverse, "d, Const, Const", "fn f(_: u8, arg_0: u8) {}", "fn d(arg_0_: u8, arg_0: u8)");
    messages(Reverse, "d, Active", "fn f(__x: f64) {}", &["does not begin with `__`"]);
}

#[test]
fn impl_traits_get_names() {
    signature(
        Reverse,
        "d, Const, Duplicated, Active",
        "fn f<T>(f: impl Fn(f64) -> f64, x: &[impl Copy]) -> f64 {}",
        "fn d<T, __Impl0: Fn(f64) -> f64, __Impl1: Copy>(f: __Impl0, x: &[__Impl1], dx_0: &mut [__Impl1], dret: f64) -> f64",
    );
}

#[test]
fn headers_are_copied() {
    signature(
        Reverse,
        "d, Duplicated, Active",
        "/// Text.\n#[inline] pub(crate) unsafe extern \"C\" fn f<'a, T: Copy, const N: usize>(x: &'a [T; N]) -> T where T: Clone {}",
        "pub(crate) unsafe extern \"C\" fn d<'a, T: Copy, const N: usize>(x: &'a [T; N], dx_0: &'a mut [T; N], dret: T) -> T where T: Clone",
    );
    signature(Reverse, "d, Const", "const fn f(mut x: u8) {}", "fn d(x: u8)");
    signature(
        Reverse,
        "d, Duplicated, Active, Active",
        "pub fn e(&self, x: f64) -> f64 {}",
        "pub fn d(&self, dself_0: &mut Self, x: f64, dret: f64) -> (f64, f64)",
    );
    signature(Reverse, "d, Const", "fn f(r#in: u8) {}", "fn d(r#in: u8)");
}

#[test]
fn mistakes_in_the_attribute() {
    messages(Reverse, "", POLY, &["missing name"]);
    messages(Reverse, "\"d\", Active, Active", POLY, &["expected the name"]);
    messages(Reverse, "d::e, Active, Active", POLY, &["found `d :: e`"]);
    messages(Reverse, "d, Constant, Aktive", POLY, &["`Constant`; it is called `Const`", "`Aktive`"]);
    messages(Reverse, "d, 1.5, Active, Active", POLY, &["expected a width, an integer"]);
    messages(Reverse, "d, Active, 2, Active", POLY, &["a width stands right after the name"]);
    messages(Reverse, "d, 5000, Active, Active", POLY, &["at most 1024"]);
    messages(Reverse, "d, 4294967296, Active, Active", POLY, &["must fit u32"]);
    messages(Reverse, "d, 0, Const, Const", POLY, &["at least 1"]);
    messages(Reverse, "d, a::b, Active", POLY, &["expected an activity, found `a :: b`"]);
    messages(Reverse, "Active, Active", POLY, &["`Active` is taken for the name of the derivative"]);
    messages(Reverse, "d, , Active, Active", POLY, &["before this comma"]);
    messages(Reverse, "d, Active, Active, crate = 1", POLY, &["expected `crate = "]);
}

#[test]
fn wrong_numbers_of_activities() {
    messages(Reverse, "d", POLY, &["expected 2 activities but found 0: none is left for `t`"]);
    messages(Reverse, "d, Active", POLY, &["none is left for the return value"]);
    messages(Reverse, "d, Active, Active, Const", POLY, &["`Const` belongs to no parameter"]);
    messages(Reverse, "d, Const, Active", "fn f(x: u8) {}", &["function returns nothing"]);
}

#[test]
fn wrong_activities() {
    messages(Reverse, "d, Dual, Active", POLY, &["`Dual` cannot be used in reverse mode"]);
    messages(Reverse, "d, ActiveOnly, Active", POLY, &["`ActiveOnly` cannot be used in reverse mode"]);
    messages(Reverse, "d, Duplicated, Active", POLY, &["`t` is passed by value"]);
    messages(
        Forward,
        "d, Duplicated, Dual",
        POLY,
        &["`Duplicated` cannot be used in forward mode", "cannot be used for this type"],
    );
    messages(Forward, "d, Dual, Active", POLY, &["`Active` cannot be used for a return value in forward"]);
    messages(Reverse, "d, Active, Dual", POLY, &["`Dual` cannot be used for a return value in reverse"]);
    messages(Reverse, "d, Active, Active", ARRAY, &["for `p` write `Duplicated`"]);
    messages(Reverse, "d, Duplicated, Active", "fn f(x: &[f64]) -> &f64 {}", &["of a reference cannot be"]);
    signature(Reverse, "d, Const, Const", "fn f(x: &[f64]) -> &f64 {}", "fn d(x: &[f64]) -> &f64");
    messages(Forward, "d, Dualv, Dual", POLY, &["packs the directions of a slice"]);
    messages(Forward, "d, 2, Dual, Dualv", POLY, &["a return value is no slice"]);
}

#[test]
fn functions_that_cannot_be_differentiated() {
    messages(Reverse, "d, Const", "async fn f(x: u8) {}", &["`async`"]);
    messages(Reverse, "d, Const", "unsafe extern \"C\" fn f(x: u8, ...) {}", &["variadic"]);
    messages(Reverse, "d, Const, Const", "fn f(x: u8) -> impl Copy {}", &["cannot be returned"]);
    messages(Reverse, "d, Const", "fn f() -> ! {}", &["never returns"]);
    messages(Reverse, "d, Const", "fn f(x: u8);", &["without a body"]);
    messages(Reverse, "d, Const", "struct S;", &["must be applied to a function"]);
    messages(Reverse, "d, Const", "let x = 1;", &["must be applied to a function"]);
    let many = "x: &[f64],".repeat(17);
    let activities = "Const,".repeat(17);
    messages(Reverse, &format!("d, {activities}"), &format!("fn f({many}) {{}}"), &["too many parameters"]);
}

#[test]
fn all_mistakes_at_once() {
    messages(
        Reverse,
        "d, 0, Aktive, Dual, Active",
        "async fn f(x: f64, y: f64) -> ! {}",
        &["at least 1", "`Aktive`", "`async`", "never returns", "`Dual` cannot be used"],
    );
}

#[test]
fn the_function_survives_mistakes_with_half_typed_bodies() {
    let item = tokens("fn f(x: f64) -> f64 { let y = ; x. }");
    let output = attribute(Reverse, tokens("d, Aktive"), &item).to_string();
    assert!(output.starts_with(&item.to_string()), "{output}");
    assert!(output.contains("compile_error"), "{output}");
}

#[test]
fn a_wrong_activity_leaves_a_function_of_that_name() {
    let output = attribute(Reverse, tokens("d, Dual, Active"), &tokens(POLY)).to_string();
    assert!(output.contains("fn d (t : f64) -> f64"), "{output}");
}

/// Whatever stands there, people get errors: a macro that panics would hide the function.
#[test]
fn no_input_makes_the_macro_panic() {
    let args = [
        "",
        ",",
        "d",
        "d,",
        "d, 2",
        "2",
        "d, 2, 2",
        "d =",
        "crate = ",
        "d, crate =",
        "d, crate = a::b",
        "(d)",
        "d, (Active)",
        "d, Active Active",
        "d, -1, Dual",
        "Active",
        "d, Dual, Active",
        "r#d, Const",
        "d, \"Active\"",
        "#[a]",
        "d, Dualv",
        "d, 3, Dualv, Dual",
    ];
    let items = [
        "",
        ";",
        "fn",
        "fn f",
        "fn f()",
        "fn f();",
        "fn f() {}",
        "pub fn f(x: f64) -> f64",
        "fn f(x) {}",
        "fn f(&self);",
        "fn f(self: Box<Self>) {}",
        "fn f(x: struct) {}",
        "fn f(x: [f64; 2) {}",
        "fn f(x: &[f64]) -> {}",
        "fn f<T, const N: usize>(x: &T, ..) where {}",
        "impl",
        "|x| x",
        "let x = 1",
        "mod m { fn f() {} }",
        "macro_rules! m { () => {} }",
        "async unsafe extern fn f(_: (), [a, ..]: &[f64], x: impl Fn()) -> impl Fn() {}",
        "fn f(self, x: !) -> ! {}",
    ];
    for args in args {
        for item in items.iter().filter_map(|item| item.parse::<TokenStream>().ok()) {
            for mode in [Forward, Reverse] {
                let written = attribute(mode, tokens(args), &item).to_string();
                assert!(written.starts_with(&item.to_string()), "{written}");
            }
        }
    }
}
