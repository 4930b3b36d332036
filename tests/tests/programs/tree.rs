//! Programs as trees.

/// A local variable.
pub(crate) type Var = usize;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Type {
    Number,
    Pair,
    Record,
    Choice,
    Maybe,
    List,
    /// A loop's counter.
    Count,
}

/// Functions of one number. The last ones are written with a sum of squares, so that they are smooth everywhere.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Unary {
    Negate,
    Sin,
    Cos,
    Tanh,
    Exp,
    Abs,
    Square,
    Cube,
    Root,
    Log,
    Inverse,
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Binary {
    Add,
    Subtract,
    Multiply,
    /// Divided by one plus a square.
    Divide,
    Max,
    Min,
}

/// What has a number for a value.
#[derive(Debug, Clone)]
pub(crate) enum Number {
    Constant(f64),
    Input(usize),
    Variable(Var),
    /// A counter as a float.
    Count(Var),
    /// The first or second field of a pair or record.
    Field(Var, Type, usize),
    Unary(Unary, Box<Number>),
    Binary(Binary, Box<Number>, Box<Number>),
    If(Box<Condition>, Box<Number>, Box<Number>),
    /// A call of an earlier function, with two numbers and the inputs or a list.
    Call(usize, Box<Number>, Box<Number>, Option<Var>),
    /// By variant: none, one number, two numbers, a list; with the variables that are bound.
    Match {
        of: Var,
        none: Box<Number>,
        one: (Var, Box<Number>),
        two: ([Var; 2], Box<Number>),
        many: (Var, Box<Number>),
    },
    /// The number in an option, or another.
    Or(Var, Box<Number>),
    Sum(Var),
    /// The largest or zero.
    Largest(Var),
    /// An element, counted round; zero of an empty list.
    Element(Var, usize),
    /// The element that a counter counts to, counted round.
    At(Var, Var),
    /// Element by element times the inputs.
    Product(Var),
    Length(Var),
}

#[derive(Debug, Clone)]
pub(crate) enum Condition {
    Less(Number, Number),
    /// A counter's remainder by three is this.
    Turn(Var, usize),
    Longer(Var, usize),
    Is(Var),
}

/// How a value of the enum is made.
#[derive(Debug, Clone)]
pub(crate) enum Variant {
    None,
    One(Number),
    Two(Number, Number),
    Many(Var),
}

/// Where a loop begins or ends: known when it runs.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Bound {
    Constant(usize),
    /// The length of a list, at most 9.
    Length(Var),
    /// A counter.
    Count(Var),
}

/// How a loop counts from a low to a high number, or down from there.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Counting {
    Range,
    Reversed,
    Inclusive,
    Steps(usize),
    Below(usize),
    AtMost,
    Above,
    AtLeast,
    /// With a number that may be negative.
    SignedAtLeast(usize),
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Pieces {
    Chunks,
    Exact,
    Windows,
}

#[derive(Debug, Clone)]
pub(crate) enum Source {
    Inputs,
    List(Var),
}

#[derive(Debug, Clone)]
#[allow(clippy::large_enum_variant, reason = "there are few")]
pub(crate) enum Statement {
    Let(Var, Number),
    Assign(Var, Number),
    AddTo(Var, Number),
    Pair(Var, Number, Number),
    Record(Var, Number, Number),
    SetField(Var, usize, Number),
    Choice(Var, Condition, Variant, Variant),
    SetChoice(Var, Variant),
    Maybe(Var, Condition, Number),
    /// A list of this for each input, with the variable bound to it.
    Collect(Var, Var, Number),
    Empty(Var),
    Push(Var, Number),
    /// Extends the first by this of each input.
    Extend(Var, Var, Number),
    Pop(Var, Var),
    Truncate(Var, usize),
    Sort(Var),
    Reverse(Var),
    Swap(Var),
    SetElement(Var, usize, Number),
    /// Over elements and their counts.
    Each {
        element: Var,
        count: Var,
        of: Source,
        body: Vec<Statement>,
    },
    Repeat {
        count: Var,
        times: usize,
        body: Vec<Statement>,
    },
    While {
        count: Var,
        condition: Condition,
        times: usize,
        body: Vec<Statement>,
    },
    Span {
        count: Var,
        low: Bound,
        high: Bound,
        counting: Counting,
        body: Vec<Statement>,
    },
    /// Over pieces of a list, of which the products with the inputs are taken.
    Pieces {
        product: Var,
        of: Var,
        size: Bound,
        pieces: Pieces,
        body: Vec<Statement>,
    },
    If(Condition, Vec<Statement>, Vec<Statement>),
    Break(Condition),
    Return(Condition, Number),
}

/// A function of two numbers and a list: variables 0, 1 and 2. Of the last, `main`, they are the first two inputs and
/// a copy of all.
#[derive(Debug, Clone)]
pub(crate) struct Function {
    pub(crate) body: Vec<Statement>,
    pub(crate) result: Number,
}

#[derive(Debug, Clone)]
pub(crate) struct Program {
    pub(crate) functions: Vec<Function>,
    pub(crate) inputs: Vec<f64>,
}
