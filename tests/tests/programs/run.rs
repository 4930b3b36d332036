//! The reference: runs a program on numbers with derivatives.

use std::cell::Cell;
use std::collections::HashMap;

use crate::dual::Dual;
use crate::tree::{
    Bound, Condition, Counting, Function, Number, Pieces, Program, Source, Statement, Type, Unary, Var,
    Variant,
};

#[derive(Debug, Clone)]
enum Value {
    Number(Dual),
    Pair([Dual; 2]),
    None,
    Many(Vec<Dual>),
    Count(usize),
}

/// Why a block ended.
enum End {
    Running,
    Broken,
    Returned(Dual),
}

struct Frame<'p> {
    program: &'p Program,
    inputs: &'p [Dual],
    /// How much may still be done.
    steps: &'p Cell<usize>,
    variables: HashMap<Var, Value>,
}

/// More than this, and a program is not worth running.
const STEPS: usize = 3000;

/// The value and slopes of a program at its inputs; no number if it takes too long.
pub(crate) fn run(program: &Program) -> Dual {
    let inputs: Vec<Dual> = program.inputs.iter().enumerate().map(|(i, x)| Dual::input(*x, i)).collect();
    let steps = Cell::new(STEPS);
    let frame = Frame { program, inputs: &inputs, steps: &steps, variables: HashMap::new() };
    frame.call(program.functions.len() - 1, inputs[0], inputs[1], inputs.clone())
}

impl Frame<'_> {
    fn call(&self, number: usize, a: Dual, b: Dual, list: Vec<Dual>) -> Dual {
        let variables = [(0, Value::Number(a)), (1, Value::Number(b)), (2, Value::Many(list))];
        let mut frame = Frame { variables: HashMap::from(variables), ..*self };
        let Function { body, result } = &self.program.functions[number];
        match frame.block(body) {
            End::Returned(value) => value,
            _ => frame.number(result),
        }
    }

    /// Whether there is still time.
    fn goes_on(&self) -> bool {
        self.steps.set(self.steps.get().saturating_sub(1));
        self.steps.get() > 0
    }

    fn set(&mut self, var: Var, value: Value) {
        self.variables.insert(var, value);
    }

    fn variable(&self, var: Var) -> Dual {
        match self.variables[&var] {
            Value::Number(number) => number,
            _ => unreachable!("v{var} is a number"),
        }
    }

    fn count(&self, var: Var) -> usize {
        match self.variables[&var] {
            Value::Count(count) => count,
            _ => unreachable!("v{var} is a counter"),
        }
    }

    fn pair(&mut self, var: Var) -> &mut [Dual; 2] {
        match self.variables.get_mut(&var) {
            Some(Value::Pair(pair)) => pair,
            _ => unreachable!("v{var} is of two numbers"),
        }
    }

    fn list(&mut self, var: Var) -> &mut Vec<Dual> {
        match self.variables.get_mut(&var) {
            Some(Value::Many(list)) => list,
            _ => unreachable!("v{var} is a list"),
        }
    }

    fn block(&mut self, block: &[Statement]) -> End {
        for statement in block {
            match self.statement(statement) {
                End::Running => {}
                end => return end,
            }
        }
        End::Running
    }

    fn statement(&mut self, statement: &Statement) -> End {
        if !self.goes_on() {
            return End::Returned(Dual::constant(f64::NAN));
        }
        match statement {
            Statement::If(condition, yes, no) => {
                return if self.condition(condition) { self.block(yes) } else { self.block(no) };
            }
            Statement::Break(condition) if self.condition(condition) => return End::Broken,
            Statement::Return(condition, number) if self.condition(condition) => {
                return End::Returned(self.number(number));
            }
            Statement::Each { element, count, of, body } => {
                let of = match of {
                    Source::Inputs => self.inputs.to_vec(),
                    Source::List(list) => self.list(*list).clone(),
                };
                for (index, value) in of.into_iter().enumerate() {
                    self.set(*element, Value::Number(value));
                    self.set(*count, Value::Count(index));
                    match self.block(body) {
                        End::Running => {}
                        End::Broken => break,
                        end @ End::Returned(_) => return end,
                    }
                }
            }
            Statement::Repeat { count, times, body } => {
                for index in 0..*times {
                    self.set(*count, Value::Count(index));
                    match self.block(body) {
                        End::Running => {}
                        End::Broken => break,
                        end @ End::Returned(_) => return end,
                    }
                }
            }
            Statement::While { count, condition, times, body } => {
                let mut index = 0;
                while index < *times && self.condition(condition) {
                    index += 1;
                    self.set(*count, Value::Count(index));
                    match self.block(body) {
                        End::Running => {}
                        End::Broken => break,
                        end @ End::Returned(_) => return end,
                    }
                }
            }
            Statement::Span { count, low, high, counting, body } => {
                return self.span(*count, [*low, *high], *counting, body);
            }
            Statement::Pieces { product, of, size, pieces, body } => {
                let (of, size) = (self.list(*of).clone(), self.bound(*size).max(1));
                let pieces: Vec<&[Dual]> = match pieces {
                    Pieces::Chunks => of.chunks(size).collect(),
                    Pieces::Exact => of.chunks_exact(size).collect(),
                    Pieces::Windows => of.windows(size).collect(),
                };
                for piece in pieces {
                    self.set(*product, Value::Number(self.product(piece)));
                    match self.block(body) {
                        End::Running => {}
                        End::Broken => break,
                        end @ End::Returned(_) => return end,
                    }
                }
            }
            _ => self.simple(statement),
        }
        End::Running
    }

    /// Counts as the loop does: its bounds may change while it turns, where they are read anew.
    fn span(&mut self, count: Var, bounds: [Bound; 2], counting: Counting, body: &[Statement]) -> End {
        let [low, high] = bounds.map(|bound| self.bound(bound).cast_signed());
        let (mut at, step, given) = match counting {
            Counting::Range | Counting::Inclusive => (low, 1, true),
            Counting::Steps(step) => (low, step.cast_signed(), true),
            Counting::Reversed => (high - 1, -1, true),
            Counting::Below(step) => (low, step.cast_signed(), false),
            Counting::AtMost => (low, 1, false),
            Counting::Above | Counting::AtLeast => (high, -1, false),
            Counting::SignedAtLeast(step) => (high, -step.cast_signed(), false),
        };
        loop {
            let [low, high] =
                if given { [low, high] } else { bounds.map(|bound| self.bound(bound).cast_signed()) };
            let goes_on = match counting {
                Counting::Range | Counting::Steps(_) | Counting::Below(_) => at < high,
                Counting::Inclusive | Counting::AtMost => at <= high,
                Counting::Reversed | Counting::SignedAtLeast(_) => at >= low,
                Counting::Above => at > low,
                Counting::AtLeast => at >= low.max(1),
            };
            if !goes_on {
                return End::Running;
            } else if !self.goes_on() {
                return End::Returned(Dual::constant(f64::NAN));
            }
            self.set(count, Value::Count(at.cast_unsigned()));
            match self.block(body) {
                End::Running => at += step,
                End::Broken => return End::Running,
                end @ End::Returned(_) => return end,
            }
        }
    }

    fn bound(&mut self, bound: Bound) -> usize {
        match bound {
            Bound::Constant(it) => it,
            Bound::Length(list) => self.list(list).len().min(9),
            Bound::Count(count) => self.count(count),
        }
    }

    fn simple(&mut self, statement: &Statement) {
        match statement {
            Statement::Let(var, number) | Statement::Assign(var, number) => {
                let value = self.number(number);
                self.set(*var, Value::Number(value));
            }
            Statement::AddTo(var, number) => {
                let value = self.number(number);
                self.set(*var, Value::Number(self.variable(*var).plus(value)));
            }
            Statement::Pair(var, a, b) | Statement::Record(var, a, b) => {
                let pair = [self.number(a), self.number(b)];
                self.set(*var, Value::Pair(pair));
            }
            Statement::SetField(var, field, number) => {
                let value = self.number(number);
                self.pair(*var)[*field] = value;
            }
            Statement::Choice(var, condition, yes, no) => {
                let variant = if self.condition(condition) { yes } else { no };
                let value = self.variant(variant);
                self.set(*var, value);
            }
            Statement::SetChoice(var, variant) => {
                let value = self.variant(variant);
                self.set(*var, value);
            }
            Statement::Maybe(var, condition, number) => {
                let value =
                    if self.condition(condition) { Value::Number(self.number(number)) } else { Value::None };
                self.set(*var, value);
            }
            _ => self.of_list(statement),
        }
    }

    fn of_list(&mut self, statement: &Statement) {
        match statement {
            Statement::Collect(var, element, number) => {
                let collected = self.map(*element, number);
                self.set(*var, Value::Many(collected));
            }
            Statement::Empty(var) => self.set(*var, Value::Many(Vec::new())),
            Statement::Push(list, number) => {
                let value = self.number(number);
                self.list(*list).push(value);
            }
            Statement::Extend(list, element, number) => {
                let extension = self.map(*element, number);
                self.list(*list).extend(extension);
            }
            Statement::Pop(var, list) => {
                let value = self.list(*list).pop().map_or(Value::None, Value::Number);
                self.set(*var, value);
            }
            Statement::Truncate(list, length) => self.list(*list).truncate(*length),
            Statement::Sort(list) => self.list(*list).sort_by(|a, b| a.value.total_cmp(&b.value)),
            Statement::Reverse(list) => self.list(*list).reverse(),
            Statement::Swap(list) => {
                let list = self.list(*list);
                if let last @ 1.. = list.len().saturating_sub(1) {
                    list.swap(0, last);
                }
            }
            Statement::SetElement(list, index, number) if self.list(*list).len() > *index => {
                let value = self.number(number);
                self.list(*list)[*index] = value;
            }
            _ => {}
        }
    }

    fn map(&mut self, element: Var, number: &Number) -> Vec<Dual> {
        let mut mapped = Vec::new();
        for value in self.inputs {
            let value = *value;
            self.set(element, Value::Number(value));
            self.goes_on();
            mapped.push(self.number(number));
        }
        mapped
    }

    fn variant(&mut self, variant: &Variant) -> Value {
        match variant {
            Variant::None => Value::None,
            Variant::One(a) => Value::Number(self.number(a)),
            Variant::Two(a, b) => Value::Pair([self.number(a), self.number(b)]),
            Variant::Many(list) => Value::Many(self.list(*list).clone()),
        }
    }

    fn condition(&mut self, condition: &Condition) -> bool {
        match condition {
            Condition::Less(a, b) => self.number(a).value < self.number(b).value,
            Condition::Turn(count, turn) => self.count(*count) % 3 == *turn,
            Condition::Longer(list, length) => self.list(*list).len() > *length,
            Condition::Is(maybe) => matches!(self.variables[maybe], Value::Number(_)),
        }
    }

    fn number(&mut self, number: &Number) -> Dual {
        match number {
            Number::Constant(value) => Dual::constant(*value),
            Number::Input(index) => self.inputs[*index],
            Number::Variable(var) => self.variable(*var),
            Number::Count(var) => Dual::constant(self.count(*var) as f64),
            Number::Field(var, Type::Pair | Type::Record, field) => self.pair(*var)[*field],
            Number::Field(..) => unreachable!("only these have fields"),
            Number::Unary(unary, a) => self.number(a).unary(*unary),
            Number::Binary(binary, a, b) => {
                let a = self.number(a);
                a.binary(*binary, self.number(b))
            }
            Number::If(condition, a, b) => {
                if self.condition(condition) {
                    self.number(a)
                } else {
                    self.number(b)
                }
            }
            Number::Call(callee, a, b, list) => {
                let (a, b) = (self.number(a), self.number(b));
                let list = list.map_or(self.inputs.to_vec(), |list| self.list(list).clone());
                self.call(*callee, a, b, list)
            }
            Number::Or(maybe, other) => match self.variables[maybe] {
                Value::Number(value) => {
                    // Evaluated all the same, as an argument.
                    self.number(other);
                    value
                }
                _ => self.number(other),
            },
            Number::Match { of, none, one, two, many } => match self.variables[of].clone() {
                Value::Number(value) => self.with(&[(one.0, Value::Number(value))], &one.1),
                Value::Pair([a, b]) => {
                    self.with(&[(two.0[0], Value::Number(a)), (two.0[1], Value::Number(b))], &two.1)
                }
                Value::Many(list) => self.with(&[(many.0, Value::Many(list))], &many.1),
                _ => self.number(none),
            },
            Number::Sum(_)
            | Number::Largest(_)
            | Number::Element(..)
            | Number::At(..)
            | Number::Product(_)
            | Number::Length(_) => self.number_of_list(number),
        }
    }

    fn with(&mut self, bound: &[(Var, Value)], number: &Number) -> Dual {
        for (var, value) in bound {
            self.set(*var, value.clone());
        }
        self.number(number)
    }

    fn number_of_list(&mut self, number: &Number) -> Dual {
        let zero = Dual::constant(0.0);
        match number {
            Number::Sum(list) => {
                self.list(*list).iter().fold(zero.unary(Unary::Negate), |sum, a| sum.plus(*a))
            }
            Number::Largest(list) => self.list(*list).iter().fold(zero, |max, a| max.max(*a)),
            Number::Element(list, index) => {
                let list = self.list(*list);
                if list.is_empty() { zero } else { list[index % list.len()] }
            }
            Number::At(list, count) => {
                let count = self.count(*count);
                let list = self.list(*list);
                if list.is_empty() { zero } else { list[count % list.len()] }
            }
            Number::Product(list) => {
                let list = self.list(*list).clone();
                self.product(&list)
            }
            Number::Length(list) => Dual::constant(self.list(*list).len() as f64),
            _ => unreachable!("not of a list"),
        }
    }

    /// Element by element times the inputs.
    fn product(&self, list: &[Dual]) -> Dual {
        let products = list.iter().zip(self.inputs).map(|(a, b)| a.times(*b));
        products.fold(Dual::constant(0.0).unary(Unary::Negate), Dual::plus)
    }
}
