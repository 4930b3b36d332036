//! Functions with attributes: the types of their derivatives, and what those do in a program built
//! without the tool.

#![deny(warnings, missing_docs, unreachable_pub)]
#![forbid(unsafe_code)]
// The functions are what people write, not what would be best here.
#![allow(clippy::needless_pass_by_value, clippy::trivially_copy_pass_by_ref, clippy::type_complexity)]

use autodiff::{autodiff_forward, autodiff_reverse};

#[autodiff_reverse(d_poly, Active, Active)]
#[autodiff_reverse(g_poly, Active, ActiveOnly)]
#[autodiff_reverse(c_poly, Active, Const)]
#[autodiff_forward(t_poly, Dual, Dual)]
#[autodiff_forward(o_poly, Dual, DualOnly)]
#[autodiff_forward(b_poly, 2, Dual, Dual)]
fn poly(t: f64) -> f64 {
    t * t * t - 2.0 * t
}

#[autodiff_reverse(d_mix, Const, Active, Duplicated, Active)]
#[autodiff_forward(t_mix, Const, Dual, Const, Dual)]
fn mix(k: u32, t: f32, w: &[f32]) -> f32 {
    w.iter().map(|w| w * t).sum::<f32>() * f32::from(k as u8)
}

#[autodiff_reverse(d_out, Active, Active, Duplicated)]
fn out(a: f64, b: f64, r: &mut f64) {
    *r = a * b;
}

#[allow(clippy::unused_unit)]
#[autodiff_reverse(d_unit, Active, Duplicated)]
fn unit(a: f64, r: &mut f64) -> () {
    *r = a;
}

#[autodiff_reverse(d_only, Duplicated, ActiveOnly)]
fn only(p: &f64) -> f64 {
    p * p
}

#[autodiff_forward(t3, 3, Dual, DualOnly)]
#[autodiff_forward(t3p, 3, Dual, Dual)]
#[autodiff_forward(c3, Const, Const)]
fn e(p: &[f64; 2]) -> f64 {
    p[0] * p[1]
}

#[autodiff_forward(tv, 3, Dualv, Dualv)]
#[autodiff_forward(t2, 2, Dual, Dual)]
#[autodiff_reverse(r2, 2, Duplicated, Duplicated)]
fn m(p: &[f32], q: &mut [f32]) {
    q.copy_from_slice(p);
}

#[autodiff_forward(dn)]
fn n() {}

#[autodiff_reverse(d_array, Active, Const, Const, Active)]
fn array(mut x: [f64; 3], _unit: (), name: &str) -> f64 {
    x[0] += name.len() as f64;
    x[0] * x[1]
}

#[autodiff_reverse(b_poly_reverse, 2, Active, Active)]
fn polynomial(t: f64) -> f64 {
    poly(t)
}

#[autodiff_reverse(d_rows, Duplicated, Duplicated, Active)]
#[allow(clippy::ptr_arg)]
fn rows(x: &Vec<Vec<f64>>, scale: &(u8, Option<f64>)) -> f64 {
    x.iter().flatten().sum::<f64>() * scale.1.unwrap_or(1.0)
}

#[autodiff_forward(t_moved, Dual, Dual)]
fn moved(x: Vec<f64>) -> f64 {
    x.iter().sum()
}

#[autodiff_reverse(d_pointers, Duplicated, Duplicated, Const)]
fn pointers(p: *const f64, q: *mut f64, _empty: *mut ()) {
    assert_ne!(p, q.cast_const());
}

#[autodiff_forward(t_pointers, Dual, Dual)]
fn forward_pointers(p: *const f64, q: *mut f64) {
    assert_ne!(p, q.cast_const());
}

#[autodiff_reverse(d_patterns, Const, Active, Active)]
fn patterns((a, _): (f64, f64), [b, c]: [f64; 2]) -> f64 {
    a * b * c
}

#[autodiff_reverse(d_twice, Active, Active)]
fn twice<T: Copy>(x: T) -> T {
    x
}

#[autodiff_reverse(d_apply, Const, Active, Active)]
fn apply(f: impl Fn(f64) -> f64, x: f64) -> f64 {
    f(x)
}

#[autodiff_reverse(dsq, Duplicated, Active)]
fn sq<T: std::ops::Mul<Output = T> + Copy>(x: &T) -> T {
    *x * *x
}

#[autodiff_reverse(dnorm, Duplicated, Active)]
fn norm<const N: usize>(x: &[f64; N]) -> f64 {
    x.iter().map(|x| x * x).sum()
}

#[autodiff_reverse(dlife, Duplicated, Const, Active)]
fn life<'a, 'b: 'a>(x: &'a [f64], y: &'b [&'a f64]) -> f64 {
    x[0] * y[0]
}

#[autodiff_reverse(dap, Const, Active, Active)]
fn ap(f: fn(f64) -> f64, x: f64) -> f64 {
    f(x)
}

#[autodiff_reverse(downed, Const, Active, Active)]
fn owned(v: Vec<f64>, x: f64) -> f64 {
    v[0] * x
}

/// A module of a library.
pub mod library {
    /// A public function.
    #[autodiff::autodiff_reverse(d_public, Active, Active)]
    pub fn public(x: f64) -> f64 {
        x
    }
}

/// A struct with methods.
pub struct P {
    a: f64,
    b: f64,
}

impl P {
    /// A method.
    #[autodiff_reverse(de, Duplicated, Active, Active)]
    #[autodiff_reverse(dc, Const, Active, Active)]
    #[autodiff_forward(te, Dual, Dual, Dual)]
    pub fn e(&self, x: f64) -> f64 {
        self.a * x * x + self.b
    }
}

#[autodiff_reverse(d_same_name, Active, Active)]
fn same_name(same_name: f64) -> f64 {
    same_name * same_name
}

macro_rules! make {
    ($name:ident, $derivative:ident, $ty:ty) => {
        #[::autodiff::autodiff_reverse($derivative, Active, Active)]
        fn $name(x: $ty) -> $ty {
            x * x
        }
    };
}

make!(made, d_made, f64);

mod hostile {
    #![no_implicit_prelude]
    #![allow(dead_code, unused_macros, non_camel_case_types)]

    struct usize;
    struct Probe;
    macro_rules! concat {
        () => {};
    }
    trait Nuisance: ::core::marker::Sized {
        fn as_ptr(&self) {}
        fn len(&self) {}
    }
    impl<T> Nuisance for T {}

    #[::autodiff::autodiff_reverse(d_place_0, Duplicated, Active, Const, Active)]
    pub(crate) fn f(site: &[f64], out: f64, seed: u8) -> f64 {
        if seed == 0 { site[0] * out } else { out }
    }
}

mod renamed {
    use autodiff as derivatives;
    #[derivatives::autodiff_reverse(d, Active, Active, crate = derivatives)]
    pub(crate) fn f(x: f64) -> f64 {
        x
    }
}

#[test]
fn signatures() {
    #[autodiff_reverse(d_nested, Active, Active)]
    fn nested(x: f64) -> f64 {
        x
    }

    let _: fn(f64, f64) -> (f64, f64) = d_poly;
    let _: fn(f64, f64) -> f64 = g_poly;
    let _: fn(f64) -> (f64, f64) = c_poly;
    let _: fn(f64, f64) -> (f64, f64) = t_poly;
    let _: fn(f64, f64) -> f64 = o_poly;
    let _: fn(f64, f64, f64) -> [f64; 3] = b_poly;
    let _: fn(u32, f32, &[f32], &mut [f32], f32) -> (f32, f32) = d_mix;
    let _: fn(u32, f32, f32, &[f32]) -> (f32, f32) = t_mix;
    let _: fn(f64, f64, &mut f64, &mut f64) -> (f64, f64) = d_out;
    let _: fn(f64, &mut f64, &mut f64) -> ((), f64) = d_unit;
    let _: fn(&f64, &mut f64, f64) = d_only;
    let _: fn(&[f64; 2], &[f64; 2], &[f64; 2], &[f64; 2]) -> [f64; 3] = t3;
    let _: fn(&[f64; 2], &[f64; 2], &[f64; 2], &[f64; 2]) -> [f64; 4] = t3p;
    let _: fn(&[f64; 2]) -> f64 = c3;
    let _: fn(&[f32], &[f32], &mut [f32], &mut [f32]) = tv;
    let _: fn(&[f32], &[f32], &[f32], &mut [f32], &mut [f32], &mut [f32]) = t2;
    let _: fn(&[f32], &mut [f32], &mut [f32], &mut [f32], &mut [f32], &mut [f32]) = r2;
    let _: fn() = dn;
    let _: fn(f64, [f64; 2]) -> (f64, [f64; 2]) = b_poly_reverse;
    let _: fn((f64, f64), [f64; 2], f64) -> (f64, [f64; 2]) = d_patterns;
    let _: fn(fn(f64) -> f64, f64, f64) -> (f64, f64) = d_apply;
    let _: fn(&f32, &mut f32, f32) -> f32 = dsq;
    let _: fn(&[f64; 3], &mut [f64; 3], f64) -> f64 = dnorm;
    let _: fn([f64; 3], (), &str, f64) -> (f64, [f64; 3]) = d_array;
    let _: fn(fn(f64) -> f64, f64, f64) -> (f64, f64) = dap;
    let _: fn(Vec<f64>, f64, f64) -> (f64, f64) = downed;
    let _: fn(f64, f64) -> (f64, f64) = library::d_public;
    let _: fn(&P, &mut P, f64, f64) -> (f64, f64) = P::de;
    let _: fn(&P, f64, f64) -> (f64, f64) = P::dc;
    let _: fn(&P, &P, f64, f64) -> (f64, f64) = P::te;
    let _: fn(f64, f64) -> (f64, f64) = d_made;
    let _: fn(f64, f64) -> (f64, f64) = d_same_name;
    let _: fn(&[f64], &mut [f64], f64, u8, f64) -> (f64, f64) = hostile::d_place_0;
    let _: fn(f64, f64) -> (f64, f64) = renamed::d;
    let _: fn(f64, f64) -> (f64, f64) = d_nested;
}

/// Runs a derivative call and returns the text of its panic.
fn message(call: impl FnOnce()) -> String {
    let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(call)).expect_err("derivatives panic");
    panic.downcast_ref::<String>().expect("formatted text").clone()
}

#[test]
fn without_the_tool_derivatives_panic() {
    let text = message(|| {
        d_poly(1.0, 1.0);
    });
    assert_eq!(
        text,
        "`attributes::poly` was not differentiated: build with `cargo autodiff` (for example `cargo autodiff run`)"
    );
    message(|| {
        dsq(&1.0, &mut 0.0, 1.0);
    });
    message(|| tv(&[], &[], &mut [], &mut []));
    message(dn);
    message(|| {
        dlife(&[1.0], &mut [0.0], &[&1.0], 1.0);
    });
    message(|| {
        downed(vec![1.0], 1.0, 1.0);
    });
    assert!(
        message(|| {
            library::d_public(1.0, 1.0);
        })
        .starts_with("`attributes::library::public` ")
    );
}

#[test]
fn shadows_of_slices_must_have_the_right_length() {
    let text = message(|| {
        d_mix(1, 1.0, &[1.0, 2.0], &mut [0.0], 1.0);
    });
    assert_eq!(text, "`attributes::d_mix`: the shadow `dw_0` of `w` must have length 2, but has length 1");
    let text = message(|| tv(&[1.0], &[1.0; 3], &mut [1.0], &mut [1.0]));
    assert_eq!(text, "`attributes::tv`: the shadow `bq_0` of `q` must have length 3, but has length 1");
}

#[test]
fn shadows_must_have_the_shape_of_their_argument() {
    let x = vec![vec![1.0], vec![1.0, 2.0]];
    let call = |mut dx: Vec<Vec<f64>>, mut dscale: (u8, Option<f64>)| {
        message(|| {
            d_rows(&x, &mut dx, &(0, Some(2.0)), &mut dscale, 1.0);
        })
    };
    let text = call(vec![vec![0.0]], (0, Some(0.0)));
    assert_eq!(text, "`attributes::d_rows`: the shadow `dx_0` of `x` must have length 2, but has length 1");
    let text = call(vec![vec![0.0], vec![]], (0, Some(0.0)));
    assert_eq!(text, "`attributes::d_rows`: the shadow `dx_0` of `x` must have length 2, but has length 0");
    let text = call(vec![vec![0.0], vec![0.0; 2]], (0, None));
    assert_eq!(text, "`attributes::d_rows`: the shadow `dscale_0` of `scale` must be of the same variant");
    let text = call(vec![vec![0.0], vec![0.0; 2]], (0, Some(0.0)));
    assert!(text.contains("was not differentiated"), "{text}");
    let text = message(|| {
        t_moved(vec![1.0], vec![]);
    });
    assert_eq!(text, "`attributes::t_moved`: the shadow `bx_0` of `x` must have length 1, but has length 0");
}

#[test]
fn type_parameters_that_are_active_must_be_floats() {
    fn local<'a>(x: &'a f64) -> String {
        message(|| {
            d_twice::<&'a f64>(x, x);
        })
    }
    let text = message(|| {
        d_twice(1u32, 1);
    });
    assert_eq!(text, "`attributes::d_twice`: `x` is Active, so it must be `f32` or `f64`, not `u32`");
    assert!(local(&1.0).contains("not `&f64`"));
    assert!(
        message(|| {
            d_twice(1f32, 1.0);
        })
        .contains("was not differentiated")
    );
}

#[test]
fn shadows_must_not_be_their_argument() {
    let (mut p, mut q, mut dp, mut dq) = (1.0, 2.0, 0.0, 1.0);
    let (p, q, dp, dq) = (&raw mut p, &raw mut q, &raw mut dp, &raw mut dq);
    let empty = std::ptr::null_mut();
    assert_eq!(
        message(|| d_pointers(p, p, q, dq, empty)),
        "`attributes::d_pointers`: the shadow `dp_0` of `p` is `p` itself: it must have memory of its own"
    );
    assert_eq!(
        message(|| d_pointers(p, dp, q, q, empty)),
        "`attributes::d_pointers`: the shadow `dq_0` of `q` is `q` itself: it must have memory of its own"
    );
    assert!(message(|| d_pointers(p, dp, q, dq, empty)).contains("was not differentiated"));
    // What is only read may be its own tangent.
    assert!(message(|| t_pointers(p, p, q, dq)).contains("was not differentiated"));
    assert!(message(|| t_pointers(p, p, q, q)).contains("the shadow `bq_0` of `q` is `q` itself"));
}
