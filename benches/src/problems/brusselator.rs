//! The Brusselator, a reaction with diffusion, on a grid of 32 by 32: its right-hand side, and a
//! hundred steps of Euler's method.

use autodiff::autodiff_reverse;

use super::{Problem, wave};

/// Cells along each side.
pub const SIDE: usize = 32;
/// Cells.
pub const CELLS: usize = SIDE * SIDE;

fn inflow(x: f64, y: f64, t: f64) -> f64 {
    if (x - 0.3) * (x - 0.3) + (y - 0.6) * (y - 0.6) <= 0.01 && t >= 1.1 { 5.0 } else { 0.0 }
}

/// How both concentrations, `2 CELLS` of them, change at time `t`; `p` holds two rates and the diffusion.
#[autodiff_reverse(d_change, Duplicated, Duplicated, Duplicated, Const)]
pub fn change(d: &mut [f64], x: &[f64], p: &[f64; 3], t: f64) {
    let (du, dv) = d.split_at_mut(CELLS);
    let (u, v) = x.split_at(CELLS);
    let side = SIDE as f64 - 1.0;
    let alpha = p[2] * side * side;
    for i in 0..SIDE {
        for j in 0..SIDE {
            let below = if i == SIDE - 1 { i } else { i + 1 };
            let above = if i == 0 { i } else { i - 1 };
            let right = if j == SIDE - 1 { j } else { j + 1 };
            let left = if j == 0 { j } else { j - 1 };
            let (uu, vv) = (u[SIDE * i + j], v[SIDE * i + j]);
            let reaction = uu * uu * vv;
            du[SIDE * i + j] = alpha
                * (u[SIDE * above + j] + u[SIDE * below + j] + u[SIDE * i + right] + u[SIDE * i + left]
                    - 4.0 * uu)
                + p[1]
                + reaction
                - (p[0] + 1.0) * uu
                + inflow(i as f64 / side, j as f64 / side, t);
            dv[SIDE * i + j] = alpha
                * (v[SIDE * above + j] + v[SIDE * below + j] + v[SIDE * i + right] + v[SIDE * i + left]
                    - 4.0 * vv)
                + p[0] * uu
                - reaction;
        }
    }
}

/// The sum of squares after `steps` of Euler's method.
#[autodiff_reverse(d_energy, Const, Const, Duplicated, Duplicated, Active)]
pub fn energy(steps: usize, h: f64, start: &[f64], p: &[f64; 3]) -> f64 {
    let mut x = start.to_vec();
    let mut d = vec![0.0; x.len()];
    for s in 0..steps {
        change(&mut d, &x, p, 1.0 + h * s as f64);
        for i in 0..x.len() {
            x[i] += h * d[i];
        }
    }
    let mut sum = 0.0;
    for i in 0..x.len() {
        sum += x[i] * x[i];
    }
    sum
}

/// The adjoint of [`change`], written by hand: `gd` is the seed, `dx` and `dp` are added to.
pub fn change_adjoint(gd: &[f64], x: &[f64], dx: &mut [f64], p: &[f64; 3], dp: &mut [f64; 3]) {
    let (u, v) = x.split_at(CELLS);
    let (gu, gv) = gd.split_at(CELLS);
    let (du, dv) = dx.split_at_mut(CELLS);
    let side = SIDE as f64 - 1.0;
    let (a, alpha) = (p[0], p[2] * side * side);
    let (mut d_a, mut d_b, mut d_alpha) = (0.0, 0.0, 0.0);
    for i in 0..SIDE {
        for j in 0..SIDE {
            let q = SIDE * i + j;
            let below = if i == SIDE - 1 { i } else { i + 1 };
            let above = if i == 0 { i } else { i - 1 };
            let right = if j == SIDE - 1 { j } else { j + 1 };
            let left = if j == 0 { j } else { j - 1 };
            let (g, h, uu, vv) = (gu[q], gv[q], u[q], v[q]);
            // The operator is symmetric.
            let spread = |g: &[f64]| {
                g[SIDE * above + j] + g[SIDE * below + j] + g[SIDE * i + right] + g[SIDE * i + left]
                    - 4.0 * g[q]
            };
            let (lg, lh, e) = (spread(gu), spread(gv), g - h);
            du[q] += alpha * lg + e * 2.0 * uu * vv - (a + 1.0) * g + a * h;
            dv[q] += alpha * lh + e * uu * uu;
            d_alpha += lg * uu + lh * vv;
            d_b += g;
            d_a += (h - g) * uu;
        }
    }
    dp[0] += d_a;
    dp[1] += d_b;
    dp[2] += d_alpha * side * side;
}

/// The gradient of [`energy`], written by hand: `dx` and `dp` are added to.
pub fn energy_adjoint(steps: usize, h: f64, start: &[f64], dx: &mut [f64], p: &[f64; 3], dp: &mut [f64; 3]) {
    let n = start.len();
    let mut states = start.to_vec();
    states.resize(n * (steps + 1), 0.0);
    let mut d = vec![0.0; n];
    for s in 0..steps {
        let (now, next) = states[s * n..].split_at_mut(n);
        change(&mut d, now, p, 1.0 + h * s as f64);
        for i in 0..n {
            next[i] = now[i] + h * d[i];
        }
    }
    let mut g: Vec<f64> = states[steps * n..].iter().map(|x| 2.0 * x).collect();
    for s in (0..steps).rev() {
        for i in 0..n {
            d[i] = h * g[i];
        }
        change_adjoint(&d, &states[s * n..][..n], &mut g, p, dp);
    }
    for i in 0..n {
        dx[i] += g[i];
    }
}

/// A gradient by concentrations and parameters.
#[derive(Debug, Clone)]
pub struct Shadow {
    x: Vec<f64>,
    p: [f64; 3],
    /// Room for the change, and for its seed.
    change: [Vec<f64>; 2],
}

impl Shadow {
    fn zero() -> Self {
        let zeros = || vec![0.0; 2 * CELLS];
        Self { x: zeros(), p: [0.0; 3], change: [zeros(), zeros()] }
    }

    fn clear(&mut self) {
        self.x.fill(0.0);
        self.p = [0.0; 3];
    }

    fn components(&self) -> Vec<f64> {
        [&self.x[..], &self.p].concat()
    }
}

const RATES: [f64; 3] = [3.4, 1.0, 0.02];
const TIME: f64 = 1.2;

/// The product of a vector and the Jacobian of [`change`].
#[derive(Debug, Clone)]
pub struct Change {
    x: Vec<f64>,
    seed: Vec<f64>,
}

impl Default for Change {
    fn default() -> Self {
        Self { x: wave(2 * CELLS, 1.0, 0.5), seed: wave(2 * CELLS, 0.1, 0.8) }
    }
}

impl Problem for Change {
    type Shadow = Shadow;

    fn zero(&self) -> Shadow {
        Shadow::zero()
    }

    fn primal(&self) -> f64 {
        let mut d = [0.0; 2 * CELLS];
        change(&mut d, &self.x, &RATES, TIME);
        d[0]
    }

    fn gradient(&self, shadow: &mut Shadow) {
        shadow.clear();
        let [d, seed] = &mut shadow.change;
        seed.copy_from_slice(&self.seed);
        d_change(d, seed, &self.x, &mut shadow.x, &RATES, &mut shadow.p, TIME);
    }

    fn by_hand(&self, shadow: &mut Shadow) {
        shadow.clear();
        change_adjoint(&self.seed, &self.x, &mut shadow.x, &RATES, &mut shadow.p);
    }

    fn components(shadow: &Shadow) -> Vec<f64> {
        shadow.components()
    }
}

/// The gradient of [`energy`] after 100 steps.
#[derive(Debug, Clone)]
pub struct Energy {
    start: Vec<f64>,
}

const STEPS: usize = 100;
const STEP: f64 = 1e-3;

impl Default for Energy {
    fn default() -> Self {
        Self { start: wave(2 * CELLS, 1.0, 0.5) }
    }
}

impl Problem for Energy {
    type Shadow = Shadow;

    fn zero(&self) -> Shadow {
        Shadow::zero()
    }

    fn primal(&self) -> f64 {
        energy(STEPS, STEP, &self.start, &RATES)
    }

    fn gradient(&self, shadow: &mut Shadow) {
        shadow.clear();
        d_energy(STEPS, STEP, &self.start, &mut shadow.x, &RATES, &mut shadow.p, 1.0);
    }

    fn by_hand(&self, shadow: &mut Shadow) {
        shadow.clear();
        energy_adjoint(STEPS, STEP, &self.start, &mut shadow.x, &RATES, &mut shadow.p);
    }

    fn components(shadow: &Shadow) -> Vec<f64> {
        shadow.components()
    }
}
