//! Programs as Rust sources.

use std::fmt::Write as _;

use crate::tree::{
    Binary, Bound, Condition, Counting, Function, Number, Pieces, Program, Source, Statement, Type, Unary,
    Variant,
};

/// What every crate of programs has.
pub(crate) const COMMON: &str = r"
#[derive(Clone)]
pub struct Record { pub a: f64, pub k: u32, pub b: f64 }

#[derive(Clone)]
pub enum Choice { None, One(f64), Two { k: u8, a: f64, b: f64 }, Many(Vec<f64>) }

pub fn root(x: f64) -> f64 { (1.0 + x * x).sqrt() }
pub fn log(x: f64) -> f64 { (1.0 + x * x).ln() }
pub fn inverse(x: f64) -> f64 { (1.0 + x * x).recip() }
pub fn divide(x: f64, y: f64) -> f64 { x / (1.0 + y * y) }
pub fn largest(v: &[f64]) -> f64 { v.iter().copied().fold(0.0, f64::max) }
pub fn element(v: &[f64], i: usize) -> f64 { if v.is_empty() { 0.0 } else { v[i % v.len()] } }
pub fn product(v: &[f64], x: &[f64]) -> f64 { v.iter().zip(x).map(|(a, b)| a * b).sum() }
";

/// The module of a program: `f` is its main function.
pub(crate) fn module(name: &str, program: &Program) -> String {
    let mut text = format!("pub mod {name} {{\n#![allow(warnings)]\nuse super::*;\n");
    let last = program.functions.len() - 1;
    for (number, function) in program.functions.iter().enumerate() {
        if number == last {
            text +=
                "pub fn f(x: &[f64]) -> f64 {\nlet (mut v0, mut v1, mut v2) = (x[0], x[1], x.to_vec());\n";
        } else {
            writeln!(text, "fn f{number}(mut v0: f64, mut v1: f64, list: &[f64], x: &[f64]) -> f64 {{")
                .unwrap();
            text += "let mut v2 = list.to_vec();\n";
        }
        text += &body(function);
        text += "}\n";
    }
    text + "}\n"
}

fn body(function: &Function) -> String {
    format!("{}{}\n", block(&function.body), number(&function.result))
}

fn block(statements: &[Statement]) -> String {
    statements.iter().map(|it| statement(it) + "\n").collect()
}

fn statement(statement: &Statement) -> String {
    match statement {
        Statement::Let(var, it) => format!("let mut v{var}: f64 = {};", number(it)),
        Statement::Assign(var, it) => format!("v{var} = {};", number(it)),
        Statement::AddTo(var, it) => format!("v{var} += {};", number(it)),
        Statement::Pair(var, a, b) => format!("let v{var}: (f64, f64) = ({}, {});", number(a), number(b)),
        Statement::Record(var, a, b) => {
            format!("let mut v{var} = Record {{ a: {}, k: 7, b: {} }};", number(a), number(b))
        }
        Statement::SetField(var, field, it) => format!("v{var}.{} = {};", ["a", "b"][*field], number(it)),
        Statement::Choice(var, on, yes, no) => {
            format!(
                "let mut v{var} = if {} {{ {} }} else {{ {} }};",
                condition(on),
                variant(yes),
                variant(no)
            )
        }
        Statement::SetChoice(var, it) => format!("v{var} = {};", variant(it)),
        Statement::Maybe(var, on, it) => {
            format!(
                "let v{var}: Option<f64> = if {} {{ Some({}) }} else {{ None }};",
                condition(on),
                number(it)
            )
        }
        Statement::Collect(var, element, it) => {
            format!("let mut v{var}: Vec<f64> = x.iter().map(|&v{element}| {}).collect();", number(it))
        }
        Statement::Empty(var) => format!("let mut v{var}: Vec<f64> = Vec::new();"),
        Statement::Push(list, it) => format!("let pushed = {}; v{list}.push(pushed);", number(it)),
        Statement::Extend(list, element, it) => format!(
            "let extension: Vec<f64> = x.iter().map(|&v{element}| {}).collect(); v{list}.extend(extension);",
            number(it)
        ),
        Statement::Pop(var, list) => format!("let v{var}: Option<f64> = v{list}.pop();"),
        Statement::Truncate(list, length) => format!("v{list}.truncate({length});"),
        Statement::Sort(list) => format!("v{list}.sort_by(f64::total_cmp);"),
        Statement::Reverse(list) => format!("v{list}.reverse();"),
        Statement::Swap(list) => {
            format!("if v{list}.len() > 1 {{ let last = v{list}.len() - 1; v{list}.swap(0, last); }}")
        }
        Statement::SetElement(list, index, it) => {
            format!("if v{list}.len() > {index} {{ v{list}[{index}] = {}; }}", number(it))
        }
        _ => compound(statement),
    }
}

fn compound(statement: &Statement) -> String {
    match statement {
        Statement::Each { element, count, of: Source::Inputs, body } => {
            format!("for (v{count}, &(mut v{element})) in x.iter().enumerate() {{\n{}}}", block(body))
        }
        Statement::Each { element, count, of: Source::List(list), body } => {
            format!(
                "for (v{count}, mut v{element}) in v{list}.clone().into_iter().enumerate() {{\n{}}}",
                block(body)
            )
        }
        Statement::Repeat { count, times, body } => {
            format!("for v{count} in 0..{times} {{\n{}}}", block(body))
        }
        Statement::While { count, condition: on, times, body } => format!(
            "let mut v{count} = 0;\nwhile v{count} < {times} && {} {{\nv{count} += 1;\n{}}}",
            condition(on),
            block(body)
        ),
        Statement::Span { count, low, high, counting, body } => {
            span(*count, *low, *high, *counting, &block(body))
        }
        Statement::Pieces { product, of, size, pieces, body } => {
            let pieces = match pieces {
                Pieces::Chunks => "chunks",
                Pieces::Exact => "chunks_exact",
                Pieces::Windows => "windows",
            };
            format!(
                "let pieces = v{of}.clone();\nfor piece in pieces.{pieces}({}.max(1)) {{\nlet mut v{product} = product(piece, x);\n{}}}",
                bound(*size),
                block(body)
            )
        }
        Statement::If(on, yes, no) => {
            format!("if {} {{\n{}}} else {{\n{}}}", condition(on), block(yes), block(no))
        }
        Statement::Break(on) => format!("if {} {{ break; }}", condition(on)),
        Statement::Return(on, it) => format!("if {} {{ return {}; }}", condition(on), number(it)),
        _ => unreachable!("written as one line"),
    }
}

fn span(count: usize, low: Bound, high: Bound, counting: Counting, body: &str) -> String {
    let (low, high) = (bound(low), bound(high));
    let declare = |first: &str| format!("let mut v{count}: usize = {first};\n");
    match counting {
        Counting::Range => format!("for v{count} in {low}..{high} {{\n{body}}}"),
        Counting::Reversed => format!("for v{count} in ({low}..{high}).rev() {{\n{body}}}"),
        Counting::Inclusive => format!("for v{count} in {low}..={high} {{\n{body}}}"),
        Counting::Steps(step) => format!("for v{count} in ({low}..{high}).step_by({step}) {{\n{body}}}"),
        Counting::Below(step) => {
            format!("{}while v{count} < {high} {{\n{body}v{count} += {step};\n}}", declare(&low))
        }
        Counting::AtMost => format!("{}while v{count} <= {high} {{\n{body}v{count} += 1;\n}}", declare(&low)),
        Counting::Above => format!("{}while v{count} > {low} {{\n{body}v{count} -= 1;\n}}", declare(&high)),
        Counting::AtLeast => {
            format!("{}while v{count} >= {low}.max(1) {{\n{body}v{count} -= 1;\n}}", declare(&high))
        }
        Counting::SignedAtLeast(step) => format!(
            "let mut signed = {high} as i64;\nwhile signed >= {low} as i64 {{\nlet v{count} = signed as usize;\n\
             signed -= {step};\nlet kept = signed;\n{body}signed = kept;\n}}"
        ),
    }
}

fn bound(bound: Bound) -> String {
    match bound {
        Bound::Constant(it) => format!("{it}_usize"),
        Bound::Length(list) => format!("v{list}.len().min(9)"),
        Bound::Count(count) => format!("v{count}"),
    }
}

fn variant(variant: &Variant) -> String {
    match variant {
        Variant::None => "Choice::None".to_owned(),
        Variant::One(a) => format!("Choice::One({})", number(a)),
        Variant::Two(a, b) => format!("Choice::Two {{ k: 3, a: {}, b: {} }}", number(a), number(b)),
        Variant::Many(list) => format!("Choice::Many(v{list}.clone())"),
    }
}

fn condition(condition: &Condition) -> String {
    match condition {
        Condition::Less(a, b) => format!("({} < {})", number(a), number(b)),
        Condition::Turn(count, turn) => format!("v{count} % 3 == {turn}"),
        Condition::Longer(list, length) => format!("v{list}.len() > {length}"),
        Condition::Is(maybe) => format!("v{maybe}.is_some()"),
    }
}

fn number(it: &Number) -> String {
    match it {
        Number::Constant(value) => format!("({value:?}_f64)"),
        Number::Input(index) => format!("x[{index}]"),
        Number::Variable(var) => format!("v{var}"),
        Number::Count(var) => format!("(v{var} as f64)"),
        Number::Field(var, Type::Pair, field) => format!("v{var}.{field}"),
        Number::Field(var, _, field) => format!("v{var}.{}", ["a", "b"][*field]),
        Number::Unary(unary, a) => self::unary(*unary, &number(a)),
        Number::Binary(binary, a, b) => self::binary(*binary, &number(a), &number(b)),
        Number::If(on, a, b) => {
            format!("(if {} {{ {} }} else {{ {} }})", condition(on), number(a), number(b))
        }
        Number::Call(callee, a, b, list) => {
            let list = list.map_or("x".to_owned(), |list| format!("&v{list}"));
            format!("f{callee}({}, {}, {list}, x)", number(a), number(b))
        }
        Number::Match { of, none, one, two: ([first, second], two), many } => format!(
            "(match &v{of} {{ Choice::None => {}, Choice::One(v{o}) => {{ let v{o} = *v{o}; {} }} \
             Choice::Two {{ a: v{first}, b: v{second}, .. }} => {{ let (v{first}, v{second}) = (*v{first}, *v{second}); \
             {} }} Choice::Many(v{m}) => {} }})",
            number(none),
            number(&one.1),
            number(two),
            number(&many.1),
            o = one.0,
            m = many.0,
        ),
        Number::Or(maybe, other) => format!("v{maybe}.unwrap_or({})", number(other)),
        Number::Sum(list) => format!("v{list}.iter().sum::<f64>()"),
        Number::Largest(list) => format!("largest(&v{list})"),
        Number::Element(list, index) => format!("element(&v{list}, {index})"),
        Number::At(list, count) => format!("element(&v{list}, v{count})"),
        Number::Product(list) => format!("product(&v{list}, x)"),
        Number::Length(list) => format!("(v{list}.len() as f64)"),
    }
}

fn unary(unary: Unary, a: &str) -> String {
    match unary {
        Unary::Negate => format!("(-{a})"),
        Unary::Sin => format!("({a}).sin()"),
        Unary::Cos => format!("({a}).cos()"),
        Unary::Tanh => format!("({a}).tanh()"),
        Unary::Exp => format!("({a}).exp()"),
        Unary::Abs => format!("({a}).abs()"),
        Unary::Square => format!("({a}).powi(2)"),
        Unary::Cube => format!("({a}).powi(3)"),
        Unary::Root => format!("root({a})"),
        Unary::Log => format!("log({a})"),
        Unary::Inverse => format!("inverse({a})"),
    }
}

fn binary(binary: Binary, a: &str, b: &str) -> String {
    match binary {
        Binary::Add => format!("({a} + {b})"),
        Binary::Subtract => format!("({a} - {b})"),
        Binary::Multiply => format!("({a} * {b})"),
        Binary::Divide => format!("divide({a}, {b})"),
        Binary::Max => format!("f64::max({a}, {b})"),
        Binary::Min => format!("f64::min({a}, {b})"),
    }
}
