//! Random programs.

use crate::random::Random;
use crate::tree::{
    Binary, Bound, Condition, Counting, Function, Number, Pieces, Program, Source, Statement, Type, Unary,
    Var, Variant,
};

/// How many inputs a program has.
pub(crate) const INPUTS: usize = 3;

/// A program in the making: what is in scope, and how much may still be written.
struct Writer<'r> {
    random: &'r mut Random,
    scope: Vec<(Var, Type)>,
    next: Var,
    /// Earlier functions.
    functions: usize,
    budget: usize,
    loops: usize,
}

pub(crate) fn program(random: &mut Random) -> Program {
    let count = 1 + random.below(3);
    let functions = (0..count).map(|functions| function(random, functions)).collect();
    let inputs = (0..INPUTS).map(|_| random.number(-1.5, 1.5)).collect();
    Program { functions, inputs }
}

fn function(random: &mut Random, functions: usize) -> Function {
    let budget = 4 + random.below(9);
    let scope = vec![(0, Type::Number), (1, Type::Number), (2, Type::List)];
    let mut writer = Writer { random, scope, next: 3, functions, budget, loops: 0 };
    let body = writer.block(0);
    // What was computed last comes first in what is returned.
    let numbers = writer.all(Type::Number);
    let mut result = writer.number(2);
    for var in numbers.into_iter().rev().take(3) {
        result = Number::Binary(Binary::Add, Box::new(result), Box::new(Number::Variable(var)));
    }
    for list in writer.all(Type::List).into_iter().rev().take(1) {
        result = Number::Binary(Binary::Add, Box::new(result), Box::new(Number::Product(list)));
    }
    Function { body, result }
}

impl Writer<'_> {
    fn all(&self, ty: Type) -> Vec<Var> {
        self.scope.iter().filter(|(_, has)| *has == ty).map(|(var, _)| *var).collect()
    }

    fn any(&mut self, ty: Type) -> Option<Var> {
        let all = self.all(ty);
        (!all.is_empty()).then(|| self.random.pick(&all))
    }

    fn fresh(&mut self) -> Var {
        self.next += 1;
        self.next - 1
    }

    fn declare(&mut self, ty: Type) -> Var {
        let var = self.fresh();
        self.scope.push((var, ty));
        var
    }

    /// Within, more variables are in scope.
    fn with<T>(&mut self, bound: &[(Var, Type)], write: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.scope.len();
        self.scope.extend_from_slice(bound);
        let written = write(self);
        self.scope.truncate(before);
        written
    }

    fn block(&mut self, depth: usize) -> Vec<Statement> {
        let count = 2 + self.random.below(4);
        let mut block = Vec::new();
        for _ in 0..count {
            if self.budget == 0 {
                break;
            }
            self.budget -= 1;
            let statement = self.statement(depth);
            block.push(statement);
        }
        block
    }

    fn statement(&mut self, depth: usize) -> Statement {
        let choice = self.random.below(if depth < 3 { 35 } else { 20 });
        match choice {
            3..5 => self.assignment(),
            5 => self.pair(),
            6 => self.record(),
            7 => self.field(),
            8..10 => self.choice(),
            10 => self.maybe(),
            11..18 => self.list(),
            18 if self.loops > 0 => Statement::Break(self.condition()),
            19 => Statement::Return(self.condition(), self.number(2)),
            20 | 21 => self.conditional(depth),
            22..25 => self.each(depth),
            25 | 26 => self.repeat(depth),
            27 | 28 => self.while_(depth),
            29..33 => self.span(depth),
            33 | 34 => self.pieces(depth),
            // The first few, too.
            _ => self.binding(),
        }
    }

    fn binding(&mut self) -> Statement {
        let number = self.number(3);
        Statement::Let(self.declare(Type::Number), number)
    }

    fn assignment(&mut self) -> Statement {
        let Some(var) = self.any(Type::Number) else { return self.binding() };
        let number = self.number(2);
        if self.random.chance(50) { Statement::Assign(var, number) } else { Statement::AddTo(var, number) }
    }

    fn pair(&mut self) -> Statement {
        let (first, second) = (self.number(2), self.number(2));
        Statement::Pair(self.declare(Type::Pair), first, second)
    }

    fn record(&mut self) -> Statement {
        let (first, second) = (self.number(2), self.number(2));
        Statement::Record(self.declare(Type::Record), first, second)
    }

    fn field(&mut self) -> Statement {
        let Some(record) = self.any(Type::Record) else { return self.record() };
        let number = self.number(2);
        Statement::SetField(record, self.random.below(2), number)
    }

    fn variant(&mut self) -> Variant {
        match self.random.below(4) {
            0 => Variant::None,
            1 => Variant::One(self.number(2)),
            2 => Variant::Two(self.number(2), self.number(2)),
            _ => self.any(Type::List).map_or(Variant::None, Variant::Many),
        }
    }

    fn choice(&mut self) -> Statement {
        if let Some(var) = self.any(Type::Choice).filter(|_| self.random.chance(40)) {
            return Statement::SetChoice(var, self.variant());
        }
        let (condition, yes, no) = (self.condition(), self.variant(), self.variant());
        Statement::Choice(self.declare(Type::Choice), condition, yes, no)
    }

    fn maybe(&mut self) -> Statement {
        let (condition, number) = (self.condition(), self.number(2));
        Statement::Maybe(self.declare(Type::Maybe), condition, number)
    }

    fn list(&mut self) -> Statement {
        let Some(list) = self.any(Type::List).filter(|_| self.random.chance(80)) else {
            if self.random.chance(30) {
                return Statement::Empty(self.declare(Type::List));
            }
            let element = self.fresh();
            let number = self.with(&[(element, Type::Number)], |writer| writer.number(2));
            return Statement::Collect(self.declare(Type::List), element, number);
        };
        match self.random.below(9) {
            0..3 => Statement::Push(list, self.number(2)),
            3 => {
                let element = self.fresh();
                let number = self.with(&[(element, Type::Number)], |writer| writer.number(2));
                Statement::Extend(list, element, number)
            }
            4 => Statement::Pop(self.declare(Type::Maybe), list),
            5 => Statement::Truncate(list, self.random.below(5)),
            6 => Statement::Sort(list),
            7 => {
                if self.random.chance(50) {
                    Statement::Reverse(list)
                } else {
                    Statement::Swap(list)
                }
            }
            _ => Statement::SetElement(list, self.random.below(4), self.number(2)),
        }
    }

    fn conditional(&mut self, depth: usize) -> Statement {
        let condition = self.condition();
        let yes = self.with(&[], |writer| writer.block(depth + 1));
        let no = if self.random.chance(60) {
            self.with(&[], |writer| writer.block(depth + 1))
        } else {
            Vec::new()
        };
        Statement::If(condition, yes, no)
    }

    fn looped(&mut self, bound: &[(Var, Type)], depth: usize) -> Vec<Statement> {
        self.loops += 1;
        let body = self.with(bound, |writer| writer.block(depth + 1));
        self.loops -= 1;
        body
    }

    fn each(&mut self, depth: usize) -> Statement {
        let list = self.any(Type::List).filter(|_| self.random.chance(50));
        let (element, count) = (self.fresh(), self.fresh());
        let body = self.looped(&[(element, Type::Number), (count, Type::Count)], depth);
        Statement::Each { element, count, of: list.map_or(Source::Inputs, Source::List), body }
    }

    fn repeat(&mut self, depth: usize) -> Statement {
        let (count, times) = (self.fresh(), 1 + self.random.below(5));
        Statement::Repeat { count, times, body: self.looped(&[(count, Type::Count)], depth) }
    }

    fn while_(&mut self, depth: usize) -> Statement {
        let (count, times, condition) = (self.fresh(), 2 + self.random.below(6), self.condition());
        Statement::While { count, condition, times, body: self.looped(&[(count, Type::Count)], depth) }
    }

    fn span(&mut self, depth: usize) -> Statement {
        let (count, low, high) = (self.fresh(), self.bound(3), self.bound(7));
        let counting = match self.random.below(9) {
            0 => Counting::Range,
            1 => Counting::Reversed,
            2 => Counting::Inclusive,
            3 => Counting::Steps(1 + self.random.below(3)),
            4 => Counting::Below(1 + self.random.below(3)),
            5 => Counting::AtMost,
            6 => Counting::Above,
            7 => Counting::AtLeast,
            _ => Counting::SignedAtLeast(1 + self.random.below(3)),
        };
        let body = self.looped(&[(count, Type::Count)], depth);
        Statement::Span { count, low, high, counting, body }
    }

    fn pieces(&mut self, depth: usize) -> Statement {
        let Some(of) = self.any(Type::List) else { return self.span(depth) };
        let (product, size) = (self.fresh(), self.bound(4));
        let pieces = self.random.pick(&[Pieces::Chunks, Pieces::Exact, Pieces::Windows]);
        Statement::Pieces { product, of, size, pieces, body: self.looped(&[(product, Type::Number)], depth) }
    }

    fn bound(&mut self, limit: usize) -> Bound {
        let list = self.any(Type::List).filter(|_| self.random.chance(50));
        let count = self.any(Type::Count).filter(|_| self.random.chance(40));
        match (count, list) {
            (Some(count), _) => Bound::Count(count),
            (_, Some(list)) => Bound::Length(list),
            _ => Bound::Constant(self.random.below(limit)),
        }
    }

    fn condition(&mut self) -> Condition {
        let list = self.any(Type::List).filter(|_| self.random.chance(15));
        let count = self.any(Type::Count).filter(|_| self.random.chance(30));
        let maybe = self.any(Type::Maybe).filter(|_| self.random.chance(15));
        if let Some(list) = list {
            Condition::Longer(list, 1 + self.random.below(5))
        } else if let Some(count) = count {
            Condition::Turn(count, self.random.below(3))
        } else if let Some(maybe) = maybe {
            Condition::Is(maybe)
        } else {
            Condition::Less(self.number(1), self.number(1))
        }
    }

    fn leaf(&mut self) -> Number {
        let kinds =
            [Type::Number, Type::Number, Type::Number, Type::Pair, Type::Record, Type::Count, Type::List];
        let kind = self.random.pick(&kinds);
        let var = self.any(kind);
        match (kind, var) {
            (_, None) => Number::Input(self.random.below(INPUTS)),
            (Type::Count, Some(var)) => Number::Count(var),
            (Type::Pair | Type::Record, Some(var)) => Number::Field(var, kind, self.random.below(2)),
            (Type::List, Some(var)) => self.of_list(var),
            (_, Some(_)) if self.random.chance(15) => Number::Constant(self.random.number(-2.0, 2.0)),
            (_, Some(var)) => Number::Variable(var),
        }
    }

    fn of_list(&mut self, list: Var) -> Number {
        if let Some(count) = self.any(Type::Count).filter(|_| self.random.chance(40)) {
            return Number::At(list, count);
        }
        match self.random.below(5) {
            0 => Number::Sum(list),
            1 => Number::Largest(list),
            2 => Number::Element(list, self.random.below(5)),
            3 => Number::Product(list),
            _ => Number::Length(list),
        }
    }

    fn number(&mut self, depth: usize) -> Number {
        const UNARY: [Unary; 11] = [
            Unary::Negate,
            Unary::Sin,
            Unary::Cos,
            Unary::Tanh,
            Unary::Exp,
            Unary::Abs,
            Unary::Square,
            Unary::Cube,
            Unary::Root,
            Unary::Log,
            Unary::Inverse,
        ];
        const BINARY: [Binary; 8] = [
            Binary::Add,
            Binary::Add,
            Binary::Subtract,
            Binary::Multiply,
            Binary::Multiply,
            Binary::Divide,
            Binary::Max,
            Binary::Min,
        ];
        if depth == 0 || self.random.chance(15) {
            return self.leaf();
        }
        let part = |writer: &mut Self| Box::new(writer.number(depth - 1));
        match self.random.below(16) {
            0..5 => Number::Unary(self.random.pick(&UNARY), part(self)),
            5..11 => Number::Binary(self.random.pick(&BINARY), part(self), part(self)),
            11 => Number::If(Box::new(self.condition()), part(self), part(self)),
            12 if self.functions > 0 => {
                let list = self.any(Type::List).filter(|_| self.random.chance(50));
                Number::Call(self.random.below(self.functions), part(self), part(self), list)
            }
            13 | 14 => self.matched(depth),
            15 => match self.any(Type::Maybe) {
                Some(maybe) => Number::Or(maybe, part(self)),
                None => self.leaf(),
            },
            _ => self.leaf(),
        }
    }

    fn matched(&mut self, depth: usize) -> Number {
        let Some(of) = self.any(Type::Choice) else { return self.leaf() };
        let [one, first, second, many] = [(); 4].map(|()| self.fresh());
        let none = Box::new(self.number(depth - 1));
        let mut arm = |bound: &[(Var, Type)]| Box::new(self.with(bound, |writer| writer.number(depth - 1)));
        Number::Match {
            of,
            none,
            one: (one, arm(&[(one, Type::Number)])),
            two: ([first, second], arm(&[(first, Type::Number), (second, Type::Number)])),
            many: (many, arm(&[(many, Type::List)])),
        }
    }
}
