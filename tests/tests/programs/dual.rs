//! Numbers with their partial derivatives, as the reference computes them.

use std::cell::Cell;

use crate::double::Double;
use crate::generate::INPUTS;
use crate::tree::{Binary, Unary};

thread_local! {
    /// Whether anything overflowed. A program may not use that, but its adjoints are zero times infinity.
    static OVERFLOWED: Cell<bool> = const { Cell::new(false) };
}

/// Whether anything overflowed since the last time.
pub(crate) fn take_overflowed() -> bool {
    OVERFLOWED.take()
}

/// A number and what is known of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Dual {
    /// As the program computes it, to the last bit: so that the reference takes the same branches.
    pub(crate) value: f64,
    /// Its slopes in the same precision.
    pub(crate) slopes: [f64; INPUTS],
    exact: Double,
    /// The slopes in twice the precision.
    pub(crate) exact_slopes: [Double; INPUTS],
    /// The slopes if no terms cancelled.
    pub(crate) sizes: [f64; INPUTS],
}

impl Dual {
    pub(crate) fn constant(value: f64) -> Self {
        let exact = Double::from(value);
        let zero = Double::from(0.0);
        Self { value, slopes: [0.0; INPUTS], exact, exact_slopes: [zero; INPUTS], sizes: [0.0; INPUTS] }
    }

    pub(crate) fn input(value: f64, index: usize) -> Self {
        let mut input = Self::constant(value);
        input.slopes[index] = 1.0;
        input.exact_slopes[index] = Double::from(1.0);
        input.sizes[index] = 1.0;
        input
    }

    /// A function of this number, given what it and its derivative are in both precisions.
    fn of(self, value: f64, slope: f64, exact: Double, exact_slope: Double) -> Self {
        if !value.is_finite() || !slope.is_finite() {
            OVERFLOWED.set(true);
        }
        let mut result = Self { value, exact, ..self };
        for index in 0..INPUTS {
            result.slopes[index] = slope * self.slopes[index];
            result.exact_slopes[index] = exact_slope * self.exact_slopes[index];
            result.sizes[index] = slope.abs() * self.sizes[index];
        }
        result
    }

    /// The same with what another number adds to the slopes.
    fn and(mut self, other: Self) -> Self {
        for index in 0..INPUTS {
            self.slopes[index] += other.slopes[index];
            self.exact_slopes[index] = self.exact_slopes[index] + other.exact_slopes[index];
            self.sizes[index] += other.sizes[index];
        }
        self
    }

    /// A function of two numbers, given its value and both its derivatives.
    fn of_two(
        self,
        other: Self,
        value: (f64, Double),
        by_self: (f64, Double),
        by_other: (f64, Double),
    ) -> Self {
        let first = self.of(value.0, by_self.0, value.1, by_self.1);
        first.and(other.of(value.0, by_other.0, value.1, by_other.1))
    }

    pub(crate) fn plus(self, other: Self) -> Self {
        let one = (1.0, Double::from(1.0));
        self.of_two(other, (self.value + other.value, self.exact + other.exact), one, one)
    }

    pub(crate) fn times(self, other: Self) -> Self {
        let value = (self.value * other.value, self.exact * other.exact);
        self.of_two(other, value, (other.value, other.exact), (self.value, self.exact))
    }

    fn over(self, other: Self) -> Self {
        let (quotient, exact) = (self.value / other.value, self.exact / other.exact);
        let one = Double::from(1.0);
        let by_other = (-quotient / other.value, -(exact / other.exact));
        self.of_two(other, (quotient, exact), (1.0 / other.value, one / other.exact), by_other)
    }

    pub(crate) fn max(self, other: Self) -> Self {
        if self.value < other.value { other } else { self }
    }

    pub(crate) fn binary(self, binary: Binary, other: Self) -> Self {
        match binary {
            Binary::Add => self.plus(other),
            Binary::Subtract => self.plus(other.unary(Unary::Negate)),
            Binary::Multiply => self.times(other),
            Binary::Divide => self.over(other.one_plus_square()),
            Binary::Max => self.max(other),
            Binary::Min => {
                if self.value < other.value {
                    self
                } else {
                    other
                }
            }
        }
    }

    fn one_plus_square(self) -> Self {
        Self::constant(1.0).plus(self.times(self))
    }

    pub(crate) fn unary(self, unary: Unary) -> Self {
        let (x, exact) = (self.value, self.exact);
        let two = Double::from(2.0);
        let (sin, cos) = exact.sin_cos();
        match unary {
            Unary::Negate => self.of(-x, -1.0, -exact, Double::from(-1.0)),
            Unary::Sin => self.of(x.sin(), x.cos(), sin, cos),
            Unary::Cos => self.of(x.cos(), -x.sin(), cos, -sin),
            Unary::Tanh => {
                let (tanh, exact_tanh) = (x.tanh(), exact.tanh());
                self.of(tanh, 1.0 - tanh * tanh, exact_tanh, Double::from(1.0) - exact_tanh * exact_tanh)
            }
            Unary::Exp => self.of(x.exp(), x.exp(), exact.exp(), exact.exp()),
            Unary::Abs if x < 0.0 => self.of(x.abs(), -1.0, -exact, Double::from(-1.0)),
            Unary::Abs => Self { value: x.abs(), ..self },
            Unary::Square => self.of(x.powi(2), 2.0 * x, exact * exact, two * exact),
            Unary::Cube => {
                let square = exact * exact;
                self.of(x.powi(3), 3.0 * x * x, square * exact, Double::from(3.0) * square)
            }
            Unary::Root => {
                let inner = self.one_plus_square();
                let (root, exact_root) = (inner.value.sqrt(), inner.exact.sqrt());
                inner.of(root, 0.5 / root, exact_root, Double::from(0.5) / exact_root)
            }
            Unary::Log => {
                let inner = self.one_plus_square();
                inner.of(
                    inner.value.ln(),
                    1.0 / inner.value,
                    inner.exact.ln(),
                    Double::from(1.0) / inner.exact,
                )
            }
            Unary::Inverse => Self::constant(1.0).over(self.one_plus_square()),
        }
    }

    /// How far a right slope may be from the exact one: what rounding can do, by how far it has brought the slope
    /// computed here, and by how much cancelled.
    pub(crate) fn tolerance(&self, index: usize) -> f64 {
        let drift = (self.slopes[index] - self.exact_slopes[index].high).abs();
        1e4 * f64::EPSILON * self.sizes[index] + 100.0 * drift
    }
}
