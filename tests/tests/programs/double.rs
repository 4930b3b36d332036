//! Numbers of twice the digits: unevaluated sums of two floats (Dekker, 1971).

use std::ops::{Add, Div, Mul, Neg, Sub};

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Double {
    pub(crate) high: f64,
    low: f64,
}

const LN_2: Double = Double { high: std::f64::consts::LN_2, low: 2.319_046_813_846_299_6e-17 };
const HALF_PI: Double = Double { high: std::f64::consts::FRAC_PI_2, low: 6.123_233_995_736_766e-17 };

impl From<f64> for Double {
    fn from(high: f64) -> Self {
        Self { high, low: 0.0 }
    }
}

/// The sum of two floats, of which the first is larger.
fn quick(a: f64, b: f64) -> Double {
    let high = a + b;
    Double { high, low: b - (high - a) }
}

fn exact_sum(a: f64, b: f64) -> Double {
    let high = a + b;
    let rest = high - a;
    Double { high, low: (a - (high - rest)) + (b - rest) }
}

fn exact_product(a: f64, b: f64) -> Double {
    let high = a * b;
    Double { high, low: a.mul_add(b, -high) }
}

impl Add for Double {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        let (sum, rest) = (exact_sum(self.high, other.high), exact_sum(self.low, other.low));
        let sum = quick(sum.high, sum.low + rest.high);
        quick(sum.high, sum.low + rest.low)
    }
}

impl Neg for Double {
    type Output = Self;

    fn neg(self) -> Self {
        Self { high: -self.high, low: -self.low }
    }
}

impl Sub for Double {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Double {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        let product = exact_product(self.high, other.high);
        quick(product.high, product.low + (self.high * other.low + self.low * other.high))
    }
}

impl Div for Double {
    type Output = Self;

    fn div(self, other: Self) -> Self {
        let first = Self::from(self.high / other.high);
        let rest = self - other * first;
        let second = Self::from(rest.high / other.high);
        let last = (rest - other * second).high / other.high;
        first + second + Self::from(last)
    }
}

impl Double {
    pub(crate) fn sqrt(self) -> Self {
        if self.high == 0.0 {
            return self;
        }
        let root = Self::from(self.high.sqrt());
        root + (self - root * root) / (root + root)
    }

    /// The series `first + first x / (n + 1) + ...` in which every term is the last times `x / (k (k + step - 1))`.
    fn series(first: Self, x: Self, start: u32, step: u32) -> Self {
        let (mut sum, mut term, mut k) = (first, first, start);
        for _ in 0..30 {
            for factor in 1..=step {
                term = term / Self::from(f64::from(k + factor));
            }
            k += step;
            term = term * x;
            sum = sum + term;
        }
        sum
    }

    pub(crate) fn exp(self) -> Self {
        let turns = (self.high / LN_2.high).round();
        let rest = self - LN_2 * Self::from(turns);
        let value = Self::series(Self::from(1.0), rest, 0, 1);
        // In two steps, lest the power be out of range where the product is not.
        let half = (turns / 2.0).trunc() as i32;
        let (first, second) = (2f64.powi(half), 2f64.powi(turns as i32 - half));
        value * Self::from(first) * Self::from(second)
    }

    pub(crate) fn ln(self) -> Self {
        let mut log = Self::from(self.high.ln());
        for _ in 0..2 {
            log = log + (self * (-log).exp() - Self::from(1.0));
        }
        log
    }

    pub(crate) fn tanh(self) -> Self {
        if self.high.abs() > 40.0 {
            return Self::from(self.high.signum());
        }
        let power = (self + self).exp();
        Self::from(1.0) - Self::from(2.0) / (power + Self::from(1.0))
    }

    /// Sine and cosine.
    pub(crate) fn sin_cos(self) -> (Self, Self) {
        let turns = (self.high / HALF_PI.high).round();
        let rest = self - HALF_PI * Self::from(turns);
        let square = -(rest * rest);
        let (sin, cos) = (Self::series(rest, square, 1, 2), Self::series(Self::from(1.0), square, 0, 2));
        match turns.rem_euclid(4.0) as i32 {
            0 => (sin, cos),
            1 => (cos, -sin),
            2 => (-sin, -cos),
            _ => (-cos, sin),
        }
    }
}

#[test]
fn functions_have_twice_the_digits() {
    let one = Double::from(1.0);
    let near =
        |x: Double, y: Double| assert!((x - y).high.abs() <= 1e-29 * (1.0 + y.high.abs()), "{x:?} {y:?}");
    for number in [-3.7, -0.2, 0.4, 1.0, 2.5, 30.0] {
        let x = Double::from(number) / Double::from(3.0);
        near(x.exp() * (-x).exp(), one);
        near(x.exp().ln(), x);
        let (sin, cos) = x.sin_cos();
        near(sin * sin + cos * cos, one);
        let (twice, _) = (x + x).sin_cos();
        near(sin * cos + sin * cos, twice);
        near((x * x).sqrt() * (x * x).sqrt(), x * x);
        near(x / x, one);
        assert!((sin.high - x.high.sin()).abs() < 1e-15 && (x.tanh().high - x.high.tanh()).abs() < 1e-15);
    }
}
