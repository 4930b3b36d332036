//! The classes of refusal: the code and the words of each, and what `cargo autodiff explain` prints.
//!
//! To add one: a variant of [`Class`], and a row in [`ROWS`]. `docs/errors.md` is made from the rows,
//! and a test builds what they show: `wrong` must be refused with this code, `right` must run.

/// A class of refusal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Class {
    NoBody,
    Indirect,
    StoresInConstant,
    MutableStatic,
    Bytes,
    Integers,
    Address,
    Atomic,
    Catches,
    Cleanup,
    LeavesMemory,
    Nested,
    Endless,
    Prints,
    NoBitcode,
    Refused,
    Failed,
    Threads,
    Initialises,
    Mixes,
    TooManyTargets,
}

/// One class, in words.
///
/// In these words `{it}` is the user's function that is nearest to the place, and `{its}` is the
/// same with the function of a library that it calls, where the place is in that. `{function}` is
/// the function that the reason is about, and `{what}` whatever else.
#[derive(Debug)]
pub struct Row {
    pub(crate) class: Class,
    /// `AD0001` and so on.
    pub code: &'static str,
    /// The class in a few words.
    pub title: &'static str,
    /// Follows `cannot differentiate ...: `.
    pub(crate) why: &'static str,
    /// What the place in the source is marked with.
    pub(crate) label: &'static str,
    /// What to do about it, in one line.
    pub(crate) help: &'static str,
    /// What it means and what to do about it, in Markdown.
    pub explanation: &'static str,
    /// A program that is refused, and the same as it can be differentiated.
    pub example: Option<Example>,
}

/// A program that is refused, and one that is not.
#[derive(Debug, Clone, Copy)]
pub struct Example {
    /// What is refused.
    pub wrong: &'static str,
    /// How to write it instead.
    pub right: &'static str,
}

impl Class {
    /// What there is to say.
    pub(crate) fn row(self) -> &'static Row {
        ROWS.iter().find(|row| row.class == self).unwrap_or(&ROWS[0])
    }
}

/// All classes, by code.
pub const ROWS: &[Row] = &[
    Row {
        class: Class::NoBody,
        code: "AD0001",
        title: "a function whose code is out of reach",
        why: "{it} calls {function}, whose code is out of reach",
        label: "what this computes is unknown",
        help: "compute in Rust whatever depends on the arguments",
        explanation: r"
Enzyme makes a derivative from the code of a function and of everything it calls. Functions of other
languages and of the operating system have no such code here, and to take them for constant would
give a wrong derivative. The functions of the C math library (`sin`, `pow`, ...) are known.

Compute in Rust whatever depends on the arguments that are differentiated. What does not depend on
them can be computed before, and be captured or passed as a `Const` argument.
",
        example: Some(Example {
            wrong: r#"
unsafe extern "C" {
    safe fn drag(speed: f64) -> f64;
}

fn power(speed: f64) -> f64 {
    drag(speed) * speed
}

fn main() {
    println!("{}", autodiff::derivative(power, 3.0));
}
"#,
            right: r"
fn drag(speed: f64) -> f64 {
    0.5 * speed * speed
}

fn power(speed: f64) -> f64 {
    drag(speed) * speed
}

fn main() {
    assert_eq!(autodiff::derivative(power, 2.0), 6.0);
}
",
        }),
    },
    Row {
        class: Class::Indirect,
        code: "AD0002",
        title: "a function that is chosen at run time",
        why: "{its} calls a function that is chosen at run time",
        label: "what this calls is known at run time only",
        help: "pass the function as a generic parameter (`impl Fn`), so that it is known",
        explanation: r"
A function pointer or a trait object (`dyn Trait`) comes from where the derivative cannot follow it:
a captured value, a `Const` argument or a static. The functions that may be meant are known all the
same: those of the program that have such a signature and whose address is taken somewhere. Here
none of them has code that can be differentiated.

Write such a function in Rust, or pass it as a generic parameter.
",
        example: Some(Example {
            wrong: r#"
fn main() {
    let wave: extern "C" fn(f64) -> f64 = [j0, j1][std::env::args().count() - 1];
    let f = |x: f64| wave(x) * x;
    println!("{}", autodiff::derivative(f, 0.0));
}

unsafe extern "C" {
    safe fn j0(x: f64) -> f64;
    safe fn j1(x: f64) -> f64;
}
"#,
            right: r"
fn main() {
    let wave: fn(f64) -> f64 = [f64::cos, f64::sin][std::env::args().count() - 1];
    let f = |x: f64| wave(x) * x;
    assert_eq!(autodiff::derivative(f, 0.0), 1.0);
}
",
        }),
    },
    Row {
        class: Class::StoresInConstant,
        code: "AD0003",
        title: "a number stored in memory without a shadow",
        why: "{it} stores a number in memory without a shadow",
        label: "the derivative of what is stored would be lost",
        help: "keep it in a local variable, or give the argument that holds it a shadow",
        explanation: r"
What a closure captures (a `Cell`, say), what a `Const` argument refers to, and statics have no
shadow: nothing in which the derivative of a number stored there could be kept. What is computed
from the number later would silently lose its derivative.

Keep intermediate results in local variables. Where the memory must outlive the call, pass it as an
argument that has a shadow (`Duplicated`, `Dual`).
",
        example: Some(Example {
            wrong: r#"
use std::cell::Cell;

fn main() {
    let square = Cell::new(0.0);
    let f = |x: f64| {
        square.set(x * x);
        square.get() + x
    };
    println!("{}", autodiff::derivative(f, 3.0));
}
"#,
            right: r"
fn main() {
    let f = |x: f64| {
        let square = x * x;
        square + x
    };
    assert_eq!(autodiff::derivative(f, 3.0), 7.0);
}
",
        }),
    },
    Row {
        class: Class::MutableStatic,
        code: "AD0004",
        title: "a number that passes through a mutable static",
        why: "{it} passes a number that depends on the arguments through the static `{what}`",
        label: "a static has no shadow",
        help: "pass the value as an argument or return it; a local `Cell` or `Mutex` may hold it, too",
        explanation: r"
A static has no shadow: nothing in which the derivative of a number could travel from where it is
stored to where it is read. Statics that only hold what does not depend on the arguments (counters,
tables of constants) are no hindrance.

Pass the value as an argument, or return it. A `Cell`, `RefCell` or `Mutex` that is local to the
function may hold it as well.
",
        example: Some(Example {
            wrong: r#"
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
"#,
            right: r"
fn f(x: &[f64]) -> f64 {
    let mut last = [0.0; 4];
    for (index, x) in x.iter().enumerate() {
        last[index % 4] += x * x;
    }
    last[0] * last[1]
}

fn main() {
    assert_eq!(autodiff::gradient(f, &[1.0, 2.0][..]), [8.0, 4.0]);
}
",
        }),
    },
    Row {
        class: Class::Bytes,
        code: "AD0005",
        title: "bytes that hold a number here and something else there",
        why: "{it} leaves open which bytes are numbers",
        label: "these bytes may be floating-point numbers or something else",
        help: "keep floats and integers out of the same bytes (an enum's variants, a union)",
        explanation: r"
Enzyme must know of all memory which bytes are floating-point numbers. It finds that out from how
the bytes are used, and cannot where the same bytes hold a number here and an integer or an address
there: variants of an enum, unions, buffers of bytes.

Give numbers and other values bytes of their own: a struct with a field for each, or an enum all of
whose variants hold numbers in the same places.
",
        example: None,
    },
    Row {
        class: Class::Integers,
        code: "AD0006",
        title: "integers computed from floating-point numbers",
        why: "{it} computes with the bits of numbers",
        label: "these bits belong to a floating-point number",
        help: "use the methods of `f64` rather than its bits; take hashing out of the function",
        explanation: r"
Arithmetic on the bits of a floating-point number (`to_bits`, hashing, tricks with exponents) has no
derivative that Enzyme knows. Shifts, masks and sign changes that it does know are differentiated.

Use the methods of `f64` and `f32`: `abs`, `copysign`, `floor`, `ln`, ... Take hashing and
formatting out of the differentiated function.
",
        example: Some(Example {
            wrong: r#"
fn f(x: f64) -> f64 {
    f64::from_bits(x.to_bits() / 3 + (1023 << 51)) * x
}

fn main() {
    println!("{}", autodiff::derivative(f, 4.0));
}
"#,
            right: r"
fn f(x: f64) -> f64 {
    x.cbrt() * x
}

fn main() {
    assert_eq!(autodiff::derivative(f, 8.0), 8.0 / 3.0);
}
",
        }),
    },
    Row {
        class: Class::Address,
        code: "AD0007",
        title: "an address or a number that travels as an integer",
        why: "{it} hides an address or a number from Enzyme",
        label: "Enzyme loses track here",
        help: "keep addresses and numbers out of integers (`as usize`, `to_bits`)",
        explanation: r"
Each number has its derivative in shadow memory at an address that Enzyme derives from that of the
number. It cannot where the address passes through inline assembler, or through an integer that is
computed with; sums and differences of addresses and numbers are let through. The same goes for
numbers that pass through there.

Use references, slices and indices.
",
        example: Some(Example {
            wrong: r#"
fn f(x: f64) -> f64 {
    let square = Box::new(x * x);
    let mut address = &raw const *square;
    unsafe {
        std::arch::asm!("/* {0} */", inout(reg) address);
        *address + x
    }
}

fn main() {
    println!("{}", autodiff::derivative(f, 3.0));
}
"#,
            right: r"
fn f(x: f64) -> f64 {
    let square = Box::new(x * x);
    *square + x
}

fn main() {
    assert_eq!(autodiff::derivative(f, 3.0), 7.0);
}
",
        }),
    },
    Row {
        class: Class::Atomic,
        code: "AD0008",
        title: "an atomic operation",
        why: "{its} uses an atomic operation",
        label: "an atomic operation",
        help: "keep counters, locks and other shared state out of the function",
        explanation: r"
Memory that threads share has no derivative here. Counters of integers are let through; atomic
operations on what may be a number are not.

Keep shared state out of the differentiated function: return what is to be shared, and store it
where the derivative is called.
",
        example: Some(Example {
            wrong: r#"
use std::sync::atomic::{AtomicU64, Ordering};

fn f(x: f64) -> f64 {
    let last = AtomicU64::new(x.to_bits());
    f64::from_bits(last.swap((x * x).to_bits(), Ordering::Relaxed)) * x
}

fn main() {
    println!("{}", autodiff::derivative(f, 3.0));
}
"#,
            right: r"
fn f(x: f64, last: f64) -> f64 {
    last * x
}

fn main() {
    assert_eq!(autodiff::derivative(|x| f(x, 2.0), 3.0), 2.0);
}
",
        }),
    },
    Row {
        class: Class::Catches,
        code: "AD0009",
        title: "a caught panic",
        why: "{its} catches panics, which a derivative cannot",
        label: "a panic is caught here",
        help: "move `catch_unwind` out of the differentiated function",
        explanation: r"
A panic passes through a derivative as through the function itself, but cannot be caught inside: a
reverse-mode derivative would have to run backwards through it.

Catch panics where the derivative is called, or return an `Option` or a `Result` instead of
panicking.
",
        example: Some(Example {
            wrong: r#"
fn f(x: f64) -> f64 {
    let root = || if x < 0.0 { panic!("negative") } else { x.sqrt() };
    std::panic::catch_unwind(root).unwrap_or(0.0)
}

fn main() {
    println!("{}", autodiff::derivative(f, 4.0));
}
"#,
            right: r"
fn f(x: f64) -> f64 {
    let root = || if x < 0.0 { None } else { Some(x.sqrt()) };
    root().unwrap_or(0.0)
}

fn main() {
    assert_eq!(autodiff::derivative(f, 4.0), 0.25);
}
",
        }),
    },
    Row {
        class: Class::Cleanup,
        code: "AD0010",
        title: "a destructor that must run when a panic passes through",
        why: "{its} has destructors that cannot be told from other code",
        label: "a panic here would not run them",
        help: "take locks, borrows and other guards outside the differentiated function",
        explanation: r"
A panic that passes through a derivative gives back locks and borrows, and runs the destructors of
your own types. For that the code of the destructors must be told from the rest of the function,
which has failed here.

Take the lock or the borrow where the derivative is called, and pass what is behind it.
",
        example: None,
    },
    Row {
        class: Class::LeavesMemory,
        code: "AD0011",
        title: "memory left in an argument",
        why: "{its} leaves memory that it allocates in an argument",
        label: "what is allocated here stays in an argument, and the derivative frees it",
        help: "let the caller allocate (`vec![0.0; n]`), or return the values",
        explanation: r"
A reverse-mode derivative frees the memory that the function allocates once it has run backwards, so
whatever argument keeps that memory would be left with an address of freed memory.

Let the caller allocate, or return the values. A type that derives `Differentiable` is not refused
beforehand: its derivative looks after the call whether memory was left behind, and then ends the
program with a message.
",
        example: Some(Example {
            wrong: r#"
use autodiff::autodiff_reverse;

struct Path {
    points: Vec<f64>,
}

#[autodiff_reverse(d_extend, Duplicated, Active, Active)]
fn extend(path: &mut Path, x: f64) -> f64 {
    path.points.push(x * x);
    path.points.iter().sum()
}

fn main() {
    let (mut path, mut shadow) = (Path { points: vec![1.0] }, Path { points: vec![0.0] });
    println!("{:?}", d_extend(&mut path, &mut shadow, 2.0, 1.0));
}
"#,
            right: r"
use autodiff::autodiff_reverse;

struct Path {
    points: Vec<f64>,
}

#[autodiff_reverse(d_extend, Duplicated, Active, Active)]
fn extend(path: &mut Path, x: f64) -> f64 {
    path.points[1] = x * x;
    path.points.iter().sum()
}

fn main() {
    let (mut path, mut shadow) = (Path { points: vec![1.0; 2] }, Path { points: vec![0.0; 2] });
    assert_eq!(d_extend(&mut path, &mut shadow, 2.0, 1.0), (5.0, 4.0));
}
",
        }),
    },
    Row {
        class: Class::Nested,
        code: "AD0012",
        title: "a derivative of a function that is chosen at run time",
        why: "{it} takes a derivative of a function that is chosen at run time",
        label: "whose derivative this is, is known at run time only",
        help: "take it where the function is known: as a generic parameter (`impl Fn`), say",
        explanation: r"
A derivative inside a differentiated function is differentiated in its turn, so it must be known
which it is. It is not where the derivative itself is passed as a function pointer and called.

Call the derivative directly, or pass it as a generic parameter.
",
        example: None,
    },
    Row {
        class: Class::Endless,
        code: "AD0013",
        title: "a derivative that would never end",
        why: "the code that Enzyme makes of it would never end",
        label: "Enzyme cannot differentiate this twice",
        help: "of derivatives of derivatives, take forward mode over reverse mode",
        explanation: r"
Where Enzyme differentiates a reverse-mode derivative in reverse once more, it sometimes makes a
loop without a way out.

Take the second derivative in forward mode: the `derivative` of a function that calls `gradient`, or
an `autodiff_forward` function over an `autodiff_reverse` one.
",
        example: Some(Example {
            wrong: r#"
use autodiff::autodiff_reverse;

#[autodiff_reverse(d_energy, Duplicated, Active)]
fn energy(x: &[f64]) -> f64 {
    let steps: Vec<f64> = x.windows(2).map(|pair| pair[1] - pair[0]).collect();
    steps.iter().map(|step| step.powi(4)).sum()
}

#[autodiff_reverse(r_force, Duplicated, Duplicated)]
fn force(x: &[f64], out: &mut [f64]) {
    let mut dx = vec![0.0; x.len()];
    d_energy(x, &mut dx, 1.0);
    out.iter_mut().zip(&dx).for_each(|(out, d)| *out = -d);
}

fn main() {
    let (mut dx, mut out, mut seed) = ([0.0; 3], [0.0; 3], [0.0, 1.0, 0.0]);
    r_force(&[0.0, 1.0, 3.0], &mut dx, &mut out, &mut seed);
    println!("{dx:?}");
}
"#,
            right: r"
fn energy(x: &[f64]) -> f64 {
    let steps: Vec<f64> = x.windows(2).map(|pair| pair[1] - pair[0]).collect();
    steps.iter().map(|step| step.powi(4)).sum()
}

fn main() {
    // How the slope by the second number changes with that number.
    let slope = |t: f64| autodiff::gradient(energy, &[0.0, t, 3.0][..])[1];
    assert_eq!(autodiff::derivative(slope, 1.0), 12.0 * (1.0 + 4.0));
}
",
        }),
    },
    Row {
        class: Class::Prints,
        code: "AD0014",
        title: "printing",
        why: "{it} prints",
        label: "this takes a lock, which a panic would leave locked",
        help: "take printing out of the differentiated function",
        explanation: r"
To print, a function takes a lock, which must be given back when a panic passes through (see
AD0010).

Return what is to be printed, and print it where the derivative is called.
",
        example: None,
    },
    Row {
        class: Class::NoBitcode,
        code: "AD0015",
        title: "a function without bitcode",
        why: "no bitcode was kept for it",
        label: "there is no bitcode of this",
        help: "build its crate again: `cargo autodiff clean`, then the same command",
        explanation: r"
Derivatives are made from the bitcode that is kept of each crate when `cargo autodiff` builds it. Of
this crate there is none: something has removed it from the target directory, or has put a crate
there that another tool has built.
",
        example: None,
    },
    Row {
        class: Class::Refused,
        code: "AD0016",
        title: "another of Enzyme's refusals",
        why: "Enzyme refuses: {what}",
        label: "Enzyme cannot differentiate this",
        help: "write it in another way; a report of it is welcome",
        explanation: r"
Enzyme has given a reason that `cargo autodiff` cannot put in terms of Rust. The message has the
reason in Enzyme's own words, and names a directory with all that is needed to see it again: please
report it with that.

Mostly another way to write the marked code helps: simpler loops, slices rather than pointers, fewer
types that share bytes.
",
        example: None,
    },
    Row {
        class: Class::Failed,
        code: "AD0017",
        title: "a failure of Enzyme's own",
        why: "{what}",
        label: "Enzyme fails when it differentiates this",
        help: "write it in another way; a report of it is welcome",
        explanation: r"
Enzyme has ended without a result: by a failed check of its own, or by a crash. That is an error in
Enzyme or in what it was given, never in your program. The message names a directory with all that
is needed to see it again: please report it with that. `cargo autodiff reduce DIRECTORY` makes it
smaller first, where `llvm-reduce` is installed.

Mostly another way to write the function helps: simpler loops, fewer types that share bytes.
",
        example: None,
    },
    Row {
        class: Class::Threads,
        code: "AD0018",
        title: "threads",
        why: "{it} starts threads (`{what}`)",
        label: "in a derivative the threads would have to work backward as well",
        help: "write it as a sum of parts and let `autodiff::parallel::value_and_gradient` start the threads",
        explanation: r"
A reverse-mode derivative runs backwards through what the function did, and would have to start the
threads once more, in the opposite order, with the memory they share.

Mostly the work of the threads is added up. Then write one part of the sum as a function, and let
`autodiff::parallel` compute the gradient of the sum: it runs the parts on several threads, forward
and backward. A derivative may be taken *in* a thread as anywhere.
",
        example: Some(Example {
            wrong: r#"
fn f(x: &[f64; 4]) -> f64 {
    std::thread::scope(|scope| {
        let parts: Vec<_> =
            x.chunks(2).map(|part| scope.spawn(|| part.iter().map(|x| x * x).sum::<f64>())).collect();
        parts.into_iter().map(|part| part.join().unwrap()).sum()
    })
}

fn main() {
    println!("{:?}", autodiff::gradient(f, &[1.0, 2.0, 3.0, 4.0]));
}
"#,
            right: r"
fn f(x: &[f64; 4], part: usize) -> f64 {
    x.chunks(2).nth(part).unwrap().iter().map(|x| x * x).sum()
}

fn main() {
    assert_eq!(autodiff::parallel::gradient(f, &[1.0, 2.0, 3.0, 4.0], 2), [2.0, 4.0, 6.0, 8.0]);
}
",
        }),
    },
    Row {
        class: Class::Initialises,
        code: "AD0019",
        title: "what is initialised once, with what depends on the arguments",
        why: "{it} initialises a `OnceLock`, a `LazyLock` or a thread-local with what depends on the arguments",
        label: "the derivative of what it is initialised with would be lost",
        help: "initialise it with constants, or compute the value in a local variable",
        explanation: r"
What is initialised on first use has a value from then on, whatever the arguments of later calls
are. The code that initialises it runs as it is, without a derivative.

Initialise it with what does not depend on the arguments, or use a local variable.
",
        example: Some(Example {
            wrong: r#"
use std::sync::LazyLock;

fn f(x: f64) -> f64 {
    let square = LazyLock::new(|| x * x);
    *square * x
}

fn main() {
    println!("{}", autodiff::derivative(f, 3.0));
}
"#,
            right: r"
use std::sync::LazyLock;

static SQUARES: LazyLock<Vec<f64>> = LazyLock::new(|| (0..5).map(|n| f64::from(n * n)).collect());

fn f(x: f64) -> f64 {
    SQUARES[2] * x
}

fn main() {
    assert_eq!(autodiff::derivative(f, 3.0), 4.0);
}
",
        }),
    },
    Row {
        class: Class::Mixes,
        code: "AD0020",
        title: "a reference to constant data or to other data",
        why: "{it} chooses between a reference to constant data and one to data that depends on the arguments",
        label: "what this refers to has a shadow in one case and none in the other",
        help: "choose between the numbers, or copy the constant data first (`to_vec()`)",
        explanation: r"
What a closure captures, `Const` arguments and statics have no shadow; local data and other
arguments have one. A reference that is now to the one and now to the other is taken for one to data
with a shadow, and the derivative would be wrong.

Choose between the numbers rather than between references to them (`copied()`), or copy the constant
data into a local variable first.
",
        example: Some(Example {
            wrong: r#"
fn f(x: &[f64]) -> f64 {
    x.get(5).unwrap_or(&3.0) * x[0]
}

fn main() {
    println!("{:?}", autodiff::gradient(f, &[1.0, 2.0][..]));
}
"#,
            right: r"
fn f(x: &[f64]) -> f64 {
    x.get(5).copied().unwrap_or(3.0) * x[0]
}

fn main() {
    assert_eq!(autodiff::gradient(f, &[1.0, 2.0][..]), [3.0, 0.0]);
}
",
        }),
    },
    Row {
        class: Class::TooManyTargets,
        code: "AD0021",
        title: "a function that may be too many",
        why: "{its} calls a function that is chosen at run time among {what}",
        label: "what this calls is known at run time only",
        help: "pass the function as a generic parameter (`impl Fn`), so that it is known",
        explanation: r"
A call through a function pointer or a trait object becomes a choice among all functions of the
program that have the signature in question and whose address is taken somewhere. That is done for
up to 64 functions.

Pass the function as a generic parameter, or give such functions a signature of their own.
",
        example: None,
    },
];
