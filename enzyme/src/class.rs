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
    ThroughText,
    NoBitcode,
    Refused,
    Failed,
    Threads,
    Initialises,
    Mixes,
    Table,
    NoRule,
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
            wrong: include_str!("class/ad0001/wrong.rs"),
            right: include_str!("class/ad0001/right.rs"),
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
            wrong: include_str!("class/ad0002/wrong.rs"),
            right: include_str!("class/ad0002/right.rs"),
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
            wrong: include_str!("class/ad0003/wrong.rs"),
            right: include_str!("class/ad0003/right.rs"),
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
            wrong: include_str!("class/ad0004/wrong.rs"),
            right: include_str!("class/ad0004/right.rs"),
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
            wrong: include_str!("class/ad0006/wrong.rs"),
            right: include_str!("class/ad0006/right.rs"),
        }),
    },
    Row {
        class: Class::Address,
        code: "AD0007",
        title: "an address or a number that travels as an integer",
        why: "{it} hides an address or a number from Enzyme",
        label: "Enzyme loses track here",
        help: "keep addresses and numbers out of inline assembler and of integers (`as usize`, `to_bits`)",
        explanation: r"
Each number has its derivative in shadow memory at an address that Enzyme derives from that of the
number. It cannot where the address passes through inline assembler, nor through an integer that is
computed with. The same goes for numbers that pass through there.

Use references, slices and indices in differentiated functions.
",
        example: Some(Example {
            wrong: include_str!("class/ad0007/wrong.rs"),
            right: include_str!("class/ad0007/right.rs"),
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
            wrong: include_str!("class/ad0008/wrong.rs"),
            right: include_str!("class/ad0008/right.rs"),
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
            wrong: include_str!("class/ad0009/wrong.rs"),
            right: include_str!("class/ad0009/right.rs"),
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
            wrong: include_str!("class/ad0011/wrong.rs"),
            right: include_str!("class/ad0011/right.rs"),
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
        example: None,
    },
    Row {
        class: Class::ThroughText,
        code: "AD0014",
        title: "a number that is read from text made of numbers",
        why: "{it} reads a number from text that may have been made of numbers",
        label: "the derivative of what the text was made of would be lost",
        help: "pass the number itself; read numbers from text before the differentiated function",
        explanation: r"
Text has no derivative: a number that is written to it and read from it again would silently lose
its own. Reading numbers from text that does not depend on the arguments is let through.

Pass the number itself. To round it as printing would, compute: `(x * 100.0).round() / 100.0`.
",
        example: Some(Example {
            wrong: include_str!("class/ad0014/wrong.rs"),
            right: include_str!("class/ad0014/right.rs"),
        }),
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
            wrong: include_str!("class/ad0018/wrong.rs"),
            right: include_str!("class/ad0018/right.rs"),
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
            wrong: include_str!("class/ad0019/wrong.rs"),
            right: include_str!("class/ad0019/right.rs"),
        }),
    },
    Row {
        class: Class::Mixes,
        code: "AD0020",
        title: "a reference to constant data or to other data",
        why: "{it} chooses between a reference to constant data and one to data that depends on the arguments, which forward mode cannot tell apart",
        label: "what this refers to has a shadow in one case and none in the other",
        help: "choose between the numbers, or copy the constant data first (`to_vec()`)",
        explanation: r"
What a closure captures, `Const` arguments and statics have no shadow; local data and other
arguments have one. In a gradient, a reference may be now to the one and now to the other: it looks
which it is. Forward mode (`derivative`, `jvp`, `hvp`, `#[autodiff_forward]`) does not, and would
take constants for tangents.

Choose between the numbers rather than between references to them (`copied()`), or copy the constant
data into a local variable first.
",
        example: Some(Example {
            wrong: include_str!("class/ad0020/wrong.rs"),
            right: include_str!("class/ad0020/right.rs"),
        }),
    },
    Row {
        class: Class::Table,
        code: "AD0021",
        title: "a hash map that numbers are put in",
        why: "{it} puts numbers in a hash map",
        label: "this hash map holds numbers",
        help: "keep the numbers in a `Vec`, and where they are in the map",
        explanation: r"
A `HashMap` keeps its entries and bytes of its own in one piece of memory, in which Enzyme cannot
tell the numbers apart. Reading a map that was made before is fine, and so are maps and sets of
integers and text.

Put the numbers in a `Vec` and the places where they are in the map.
",
        example: Some(Example {
            wrong: include_str!("class/ad0021/wrong.rs"),
            right: include_str!("class/ad0021/right.rs"),
        }),
    },
    Row {
        class: Class::NoRule,
        code: "AD0022",
        title: "a function with rules, but none that fits",
        why: "{what}",
        label: "this function is differentiated by its rules only",
        help: "add `forward = ...` or `reverse = ...` to its `#[custom_rule]`, or call it where nothing is differentiated",
        explanation: r"
A function with `#[custom_rule]` is differentiated by the functions that the attribute names, and
never by its body. If only `reverse` is given, the function has no derivative in forward mode, and
the other way round. `derivative` and `#[autodiff_forward]` are forward mode, `gradient` and
`#[autodiff_reverse]` are reverse mode.

In forward mode, rules take one direction at a time: not with a width. `checkpoint` and
`checkpoint::repeat` have rules for reverse mode, and refuse functions that capture what depends on
the arguments.
",
        example: Some(Example {
            wrong: include_str!("class/ad0022/wrong.rs"),
            right: include_str!("class/ad0022/right.rs"),
        }),
    },
    Row {
        class: Class::TooManyTargets,
        code: "AD0023",
        title: "a function that may be too many",
        why: "{its} calls a function that is chosen at run time among {what}",
        label: "what this calls is known at run time only",
        help: "pass the function as a generic parameter (`impl Fn`), so that it is known",
        explanation: r"
A call through a function pointer or a trait object becomes a choice among all functions with that
signature whose address is taken somewhere in the program. That is done for up to 64 functions.

Pass the function as a generic parameter, or a number that says what it is to do, or give such
functions a signature of their own.
",
        example: Some(Example {
            wrong: include_str!("class/ad0023/wrong.rs"),
            right: include_str!("class/ad0023/right.rs"),
        }),
    },
];
