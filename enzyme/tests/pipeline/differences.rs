//! Gradients of many small functions, against differences of their values.

use std::fmt::Write as _;

use crate::case::Case;
use crate::real;
use crate::sites::{derivative, of_slice};

/// Bodies of functions of a slice `x`, which is `[3.0, 1.0, -2.0, 5.0]`.
const BODIES: &[&str] = &[
    "x.iter().product()",
    // Moves within a vector, where places overlap.
    "let mut v = x.to_vec(); v.remove(1); weigh(&v, x)",
    "let mut v = x.to_vec(); v.insert(1, x[0] * x[2]); weigh(&v, x)",
    "let mut v = x.to_vec(); v.rotate_left(1); weigh(&v, x)",
    "let mut v = x.to_vec(); v.rotate_right(1); weigh(&v, x)",
    "let mut v = x.to_vec(); v.copy_within(1..3, 0); weigh(&v, x)",
    "let mut v = x.to_vec(); v.copy_within(0..3, 1); weigh(&v, x)",
    "let mut v = x.to_vec(); v.copy_within(4.., 0); v.remove(3); weigh(&v, x)",
    "let mut v = [x[0], x[1], x[2], x[3], x[0] * x[1]]; v.copy_within(1.., 0); weigh(&v, x)",
    "let mut v: Vec<f64> = Vec::new();
     for a in x { let at = v.partition_point(|b| b < a); v.insert(at, *a); }
     weigh(&v, x)",
    "let mut v: Vec<Box<f64>> = x.iter().map(|v| Box::new(v * v)).collect();
     v.remove(1);
     v.iter().zip(x).map(|(a, b)| **a * b).sum()",
    "let mut v: Vec<(f64, usize)> = x.iter().enumerate().map(|(i, v)| (*v, i)).collect();
     v.copy_within(1..3, 0);
     v.iter().zip(x).map(|(a, b)| a.0 * a.1 as f64 * b).sum()",
    "let mut v = x.to_vec(); let w: Vec<f64> = v.drain(1..3).collect(); v.extend(w.iter().map(|v| v * v)); weigh(&v, x)",
    "let mut v = x.to_vec(); v.reverse(); v.swap(0, 1); weigh(&v, x)",
    "let mut v = x.to_vec(); v.retain(|v| *v > 0.0); weigh(&v, x)",
    "let mut v = x.to_vec(); let (a, b) = v.split_at_mut(2); a.swap_with_slice(b); weigh(&v, x)",
    "let mut v: std::collections::VecDeque<f64> = x.iter().copied().collect();
     v.push_front(x[1] * x[2]); v.pop_back(); v.rotate_left(2);
     weigh(v.make_contiguous(), x)",
    // Control flow.
    "let mut s = 1.0; for v in x { if *v < 0.0 { return s; } s *= v; } s * s",
    "let mut s = 0.0;
     for (i, v) in x.iter().enumerate() { s += match i % 3 { 0 => v.sin(), 1 => v * v, _ => v.exp() } }
     s",
    "fn f(x: &[f64], depth: usize) -> f64 { if depth == 0 { x[0] } else { f(x, depth - 1) * x[depth % 4] + 1.0 } }
     f(x, 6)",
    "let mut s = 0.0;
     'outer: for a in x { for b in x { if *b < 0.0 { continue 'outer; } if *a > 4.0 { break 'outer; } s += a * b; } }
     s",
    "enum Shape { Square(f64), Box(f64, f64), Nothing }
     let shape = if x[0] > 2.0 { Shape::Box(x[0], x[1]) } else if x[0] > 1.5 { Shape::Square(x[0]) } else { Shape::Nothing };
     match shape { Shape::Square(a) => a, Shape::Box(a, b) => a * b * b, Shape::Nothing => 0.0 }",
    // Functions chosen at run time.
    "static TABLE: [fn(f64) -> f64; 2] = [f64::sin, |v| v * v * v];
     let i = x.iter().filter(|v| **v > 2.5).count();
     TABLE[i % 2](x[3]) * TABLE[(i + 1) % 2](x[0])",
    "trait Curve { fn at(&self, x: f64) -> f64; }
     struct Line(f64);
     struct Wave;
     impl Curve for Line { fn at(&self, x: f64) -> f64 { x * self.0 } }
     impl Curve for Wave { fn at(&self, x: f64) -> f64 { x.sin() } }
     let mut curves: Vec<Box<dyn Curve>> = Vec::new();
     for a in x { if *a > 2.0 { curves.push(Box::new(Line(*a))) } else { curves.push(Box::new(Wave)) } }
     curves.iter().map(|curve| curve.at(x[0])).sum()",
    // Floats in disguise.
    "f64::from_le_bytes(x[0].to_le_bytes()) * f64::from_be_bytes(x[1].to_be_bytes())",
    "let pair: u128 = unsafe { std::mem::transmute([x[0], x[1]]) };
     let pair: [f64; 2] = unsafe { std::mem::transmute(pair) };
     pair[0] * pair[1]",
    "f64::from_bits(x[0].to_bits() ^ (1 << 63)) * x[1]",
    // Numerical code.
    "let mut v = vec![0.0; 16];
     for i in 0..16 { v[i] = x[i % 4] * i as f64; }
     for _ in 0..3 { for i in 1..15 { v[i] = 0.5 * (v[i - 1] + v[i + 1]); } }
     v.iter().map(|a| a * a).sum()",
    "let mut m = vec![vec![0.0; 4]; 4];
     for i in 0..4 { for j in 0..4 { m[i][j] = if i == j { 10.0 + x[i] } else { x[(i + j) % 4] * 0.1 }; } }
     let mut determinant = 1.0;
     for i in 0..4 {
         let pivot = m[i][i];
         determinant *= pivot;
         for r in i + 1..4 {
             let f = m[r][i] / pivot;
             for c in i..4 { let above = m[i][c]; m[r][c] -= f * above; }
         }
     }
     determinant",
    // Memory.
    "let mut v = Vec::new(); for a in x { v.push(a * x[1]); } v.truncate(3); weigh(&v, x)",
    "let m: Vec<Vec<f64>> = x.iter().map(|a| x.iter().map(|b| a * b).collect()).collect();
     m.iter().map(|row| row.iter().sum::<f64>()).sum()",
    "let r = std::rc::Rc::new(std::cell::RefCell::new(x[0]));
     let q = std::rc::Rc::clone(&r);
     *q.borrow_mut() *= x[1];
     let v = *r.borrow();
     v * v",
    "let v: Vec<u64> = x.iter().map(|v| v.to_bits()).collect();
     v.iter().map(|b| f64::from_bits(*b)).map(|v| v * v).sum()",
    "let f: Vec<Box<dyn Fn(f64) -> f64>> = vec![Box::new(|v| v * v), Box::new(f64::sin)];
     f.iter().map(|f| f(x[0])).sum()",
    "let s = \"abc\".repeat(x.len()); x[0] * s.len() as f64 * x[1]",
];

#[test]
fn gradients_agree_with_differences() {
    let Some(engine) = real::engine("gradients_agree_with_differences") else { return };
    let case = Case::of(&snippet()).with_std().engine(engine);
    let case = (0..BODIES.len()).fold(case, |case, number| case.site(of_slice(&format!("shim{number}"))));
    let outcome = case.run();
    let said = outcome.execute(&program());
    for (number, body) in BODIES.iter().enumerate() {
        let line = said.lines().nth(number).unwrap();
        assert!(line.ends_with("agree"), "{body}\n{line}");
    }
}

fn snippet() -> String {
    let mut source =
        "fn weigh(v: &[f64], x: &[f64]) -> f64 { v.iter().zip(x).map(|(v, x)| v * x * x).sum() }\n"
            .to_owned();
    let mut names = String::new();
    for (number, body) in BODIES.iter().enumerate() {
        write!(
            source,
            "fn primal{number}(x: &[f64]) -> f64 {{ {body} }}
            #[unsafe(no_mangle)]
            pub unsafe extern \"C-unwind\" fn shim{number}(x: *const f64, n: usize, out: *mut f64) {{
                unsafe {{ *out = primal{number}(std::slice::from_raw_parts(x, n)) }}
            }}\n"
        )
        .unwrap();
        write!(names, "primal{number}, ").unwrap();
    }
    let count = BODIES.len();
    source + &format!("pub static PRIMALS: [fn(&[f64]) -> f64; {count}] = [{names}];")
}

fn program() -> String {
    let symbols: Vec<_> = (0..BODIES.len()).map(|number| derivative(&format!("shim{number}"))).collect();
    let mut declared = String::new();
    for symbol in &symbols {
        writeln!(declared, "fn {symbol}(args: *mut *mut ());").unwrap();
    }
    format!(
        r#"
type Derivative = unsafe extern "C-unwind" fn(*mut *mut ());
unsafe extern "C-unwind" {{ {declared} }}

const X: [f64; 4] = [3.0, 1.0, -2.0, 5.0];

fn gradient(derivative: Derivative) -> [f64; 4] {{
    let (x, mut dx, mut out, mut dout) = (X, [0.0; 4], 0.0, 1.0);
    let mut slots: [*mut (); 5] = [
        x.as_ptr().cast_mut().cast(),
        dx.as_mut_ptr().cast(),
        4 as *mut (),
        (&raw mut out).cast(),
        (&raw mut dout).cast(),
    ];
    unsafe {{ derivative(slots.as_mut_ptr()) }};
    dx
}}

fn difference(primal: fn(&[f64]) -> f64, index: usize) -> f64 {{
    const STEP: f64 = 1e-5;
    let at = |step: f64| {{
        let mut x = X;
        x[index] += step;
        primal(&x)
    }};
    (at(STEP) - at(-STEP)) / (2.0 * STEP)
}}

fn main() {{
    let derivatives: [Derivative; {count}] = [{names}];
    for (derivative, primal) in derivatives.into_iter().zip(snippet::PRIMALS) {{
        let gradient = gradient(derivative);
        let differences: [f64; 4] = std::array::from_fn(|index| difference(primal, index));
        let close = |(a, b): (&f64, &f64)| (a - b).abs() < 1e-5 * (1.0 + b.abs());
        let agree = gradient.iter().zip(&differences).all(close);
        println!("{{gradient:?}} {{differences:?}} {{}}", if agree {{ "agree" }} else {{ "differ" }});
    }}
}}
"#,
        count = symbols.len(),
        names = symbols.join(", "),
    )
}
