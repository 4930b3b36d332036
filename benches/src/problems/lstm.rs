//! The loss of a small recurrent network over a sequence, as in `ADBench`.

use autodiff::autodiff_reverse;

use super::{Problem, wave};

/// The network, or its gradient: `layers` of width `b`.
#[derive(Debug, Clone)]
pub struct Network {
    /// For each layer, weights and biases of its four gates: `layers` times `8 b`.
    pub gates: Vec<f64>,
    /// Weights of input and output, bias of the output: `3 b`.
    pub extra: Vec<f64>,
}

/// What is known.
#[derive(Debug, Clone)]
pub struct Data {
    /// For each layer, hidden and cell state at the start: `layers` times `2 b`.
    pub start: Vec<f64>,
    /// Rows of `b`.
    pub sequence: Vec<f64>,
    /// Width.
    pub b: usize,
}

impl Network {
    fn zero(&self) -> Self {
        Self { gates: vec![0.0; self.gates.len()], extra: vec![0.0; self.extra.len()] }
    }

    fn clear(&mut self) {
        self.gates.fill(0.0);
        self.extra.fill(0.0);
    }
}

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// The mean negative log-likelihood of each next row.
#[autodiff_reverse(d_loss, Duplicated, Duplicated, Const, Active)]
pub fn loss(gates: &[f64], extra: &[f64], data: &Data) -> f64 {
    let Data { start, sequence, b } = data;
    let (b, layers, steps) = (*b, start.len() / (2 * data.b), sequence.len() / data.b);
    let mut state = start.clone();
    let mut x = vec![0.0; b];
    let mut y = vec![0.0; b];
    let mut loss = 0.0;
    for t in 0..steps - 1 {
        for i in 0..b {
            x[i] = sequence[t * b + i] * extra[i];
        }
        for a in 0..layers {
            let w = &gates[a * 8 * b..(a + 1) * 8 * b];
            let (hidden, cell) = state[a * 2 * b..(a + 1) * 2 * b].split_at_mut(b);
            for i in 0..b {
                let forget = sigmoid(x[i] * w[i] + w[b + i]);
                let ingate = sigmoid(hidden[i] * w[2 * b + i] + w[3 * b + i]);
                let outgate = sigmoid(x[i] * w[4 * b + i] + w[5 * b + i]);
                let change = (hidden[i] * w[6 * b + i] + w[7 * b + i]).tanh();
                cell[i] = cell[i] * forget + ingate * change;
                hidden[i] = outgate * cell[i].tanh();
                x[i] = hidden[i];
            }
        }
        let mut sum = 0.0;
        for i in 0..b {
            y[i] = x[i] * extra[b + i] + extra[2 * b + i];
            sum += y[i].exp();
        }
        let norm = (2.0 + sum).ln();
        for i in 0..b {
            loss += sequence[(t + 1) * b + i] * (y[i] - norm);
        }
    }
    -loss / ((steps - 1) * b) as f64
}

/// Results of the forward sweep that the adjoint needs, one for each step, layer and unit.
struct Tape {
    input: f64,
    hidden: f64,
    cell: f64,
    forget: f64,
    ingate: f64,
    outgate: f64,
    change: f64,
    squashed: f64,
}

/// The gradient of [`loss`], written by hand and added to `shadow`.
pub fn adjoint(network: &Network, shadow: &mut Network, data: &Data) {
    let Data { start, sequence, b } = data;
    let (b, layers, steps) = (*b, start.len() / (2 * data.b), sequence.len() / data.b);
    let Network { gates, extra } = network;
    let mut state = start.clone();
    let mut x = vec![0.0; b];
    let mut tape = Vec::with_capacity((steps - 1) * layers * b);
    let mut outputs = vec![0.0; (steps - 1) * b];
    let mut exps = vec![0.0; (steps - 1) * b];
    let mut norms = vec![0.0; steps - 1];
    for t in 0..steps - 1 {
        for i in 0..b {
            x[i] = sequence[t * b + i] * extra[i];
        }
        for a in 0..layers {
            let w = &gates[a * 8 * b..][..8 * b];
            let (hidden, cell) = state[a * 2 * b..][..2 * b].split_at_mut(b);
            for i in 0..b {
                let forget = sigmoid(x[i] * w[i] + w[b + i]);
                let ingate = sigmoid(hidden[i] * w[2 * b + i] + w[3 * b + i]);
                let outgate = sigmoid(x[i] * w[4 * b + i] + w[5 * b + i]);
                let change = (hidden[i] * w[6 * b + i] + w[7 * b + i]).tanh();
                let next = cell[i] * forget + ingate * change;
                let squashed = next.tanh();
                let (input, old) = (x[i], hidden[i]);
                tape.push(Tape {
                    input,
                    hidden: old,
                    cell: cell[i],
                    forget,
                    ingate,
                    outgate,
                    change,
                    squashed,
                });
                cell[i] = next;
                hidden[i] = outgate * squashed;
                x[i] = hidden[i];
            }
        }
        let mut sum = 0.0;
        for i in 0..b {
            outputs[t * b + i] = x[i];
            let e = (x[i] * extra[b + i] + extra[2 * b + i]).exp();
            exps[t * b + i] = e;
            sum += e;
        }
        norms[t] = 1.0 / (2.0 + sum);
    }
    let scale = -1.0 / ((steps - 1) * b) as f64;
    let mut d_state = vec![0.0; 2 * layers * b];
    let mut dx = vec![0.0; b];
    for t in (0..steps - 1).rev() {
        let next = &sequence[(t + 1) * b..][..b];
        let total: f64 = next.iter().sum();
        for i in 0..b {
            let dy = scale * (next[i] - total * exps[t * b + i] * norms[t]);
            shadow.extra[b + i] += dy * outputs[t * b + i];
            shadow.extra[2 * b + i] += dy;
            dx[i] = dy * extra[b + i];
        }
        for a in (0..layers).rev() {
            let w = &gates[a * 8 * b..][..8 * b];
            let dw = &mut shadow.gates[a * 8 * b..][..8 * b];
            let (dh, dc) = d_state[a * 2 * b..][..2 * b].split_at_mut(b);
            let row = &tape[(t * layers + a) * b..][..b];
            for i in 0..b {
                let r = &row[i];
                let d_hidden = dh[i] + dx[i];
                let d_out = d_hidden * r.squashed * r.outgate * (1.0 - r.outgate);
                let d_cell = dc[i] + d_hidden * r.outgate * (1.0 - r.squashed * r.squashed);
                let d_forget = d_cell * r.cell * r.forget * (1.0 - r.forget);
                let d_in = d_cell * r.change * r.ingate * (1.0 - r.ingate);
                let d_change = d_cell * r.ingate * (1.0 - r.change * r.change);
                dc[i] = d_cell * r.forget;
                dw[i] += d_forget * r.input;
                dw[b + i] += d_forget;
                dw[2 * b + i] += d_in * r.hidden;
                dw[3 * b + i] += d_in;
                dw[4 * b + i] += d_out * r.input;
                dw[5 * b + i] += d_out;
                dw[6 * b + i] += d_change * r.hidden;
                dw[7 * b + i] += d_change;
                dx[i] = d_forget * w[i] + d_out * w[4 * b + i];
                dh[i] = d_in * w[2 * b + i] + d_change * w[6 * b + i];
            }
        }
        for i in 0..b {
            shadow.extra[i] += dx[i] * sequence[t * b + i];
        }
    }
}

/// Two layers of width 14 over 1024 steps.
#[derive(Debug, Clone)]
pub struct Lstm {
    network: Network,
    data: Data,
}

impl Default for Lstm {
    fn default() -> Self {
        let (layers, steps, b) = (2, 1024, 14);
        Self {
            network: Network { gates: wave(layers * 8 * b, 0.1, 0.5), extra: wave(3 * b, 0.2, 0.6) },
            data: Data { start: wave(layers * 2 * b, 0.0, 0.4), sequence: wave(steps * b, 0.3, 0.5), b },
        }
    }
}

impl Problem for Lstm {
    type Shadow = Network;

    fn zero(&self) -> Network {
        self.network.zero()
    }

    fn primal(&self) -> f64 {
        loss(&self.network.gates, &self.network.extra, &self.data)
    }

    fn gradient(&self, shadow: &mut Network) {
        shadow.clear();
        let Network { gates, extra } = &self.network;
        d_loss(gates, &mut shadow.gates, extra, &mut shadow.extra, &self.data, 1.0);
    }

    fn by_hand(&self, shadow: &mut Network) {
        shadow.clear();
        adjoint(&self.network, shadow, &self.data);
    }

    fn components(shadow: &Network) -> Vec<f64> {
        [&shadow.gates[..], &shadow.extra].concat()
    }
}
