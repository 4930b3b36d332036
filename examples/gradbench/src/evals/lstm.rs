//! The loss of a recurrent network of layers with long short-term memory, whose weight matrices are diagonal.

use std::hint::black_box;

use serde::Deserialize;

use crate::job::{Job, Outcome, ensure};
use crate::table::Table;

#[derive(Deserialize)]
struct Input {
    main_params: Table,
    extra_params: Table,
    state: Table,
    sequence: Table,
}

/// What is known.
struct Data {
    /// For each layer, its hidden values and its cells at the start: rows of `b`.
    state: Vec<f64>,
    /// Rows of `b`.
    sequence: Vec<f64>,
    b: usize,
}

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// Takes one layer a step on; `x` is its input, then its output.
fn step(weights: &[f64], state: &mut [f64], x: &mut [f64]) {
    let b = x.len();
    let (factors, biases) = weights.split_at(4 * b);
    let (hidden, cells) = state.split_at_mut(b);
    for i in 0..b {
        let gate = |kind: usize, value: f64| value * factors[kind * b + i] + biases[kind * b + i];
        let forget = sigmoid(gate(0, x[i]));
        let enter = sigmoid(gate(1, hidden[i]));
        let leave = sigmoid(gate(2, x[i]));
        let change = gate(3, hidden[i]).tanh();
        cells[i] = cells[i] * forget + enter * change;
        hidden[i] = leave * cells[i].tanh();
        x[i] = hidden[i];
    }
}

/// How badly each row of the sequence is predicted from those before. The parameters are, for each layer, factors and
/// biases of its four gates; then weights of the input, weights of the output, and biases of the output.
fn loss(parameters: &[f64], data: &Data) -> f64 {
    let Data { state, sequence, b } = data;
    let b = *b;
    let (layers, extra) = parameters.split_at(parameters.len() - 3 * b);
    let (mut state, mut x) = (state.clone(), vec![0.0; b]);
    let steps = sequence.len() / b - 1;
    let mut sum = 0.0;
    for t in 0..steps {
        for i in 0..b {
            x[i] = sequence[t * b + i] * extra[i];
        }
        for (weights, state) in layers.chunks(8 * b).zip(state.chunks_mut(2 * b)) {
            step(weights, state, &mut x);
        }
        let mut total = 2.0;
        for i in 0..b {
            x[i] = x[i] * extra[b + i] + extra[2 * b + i];
            total += x[i].exp();
        }
        let next = &sequence[(t + 1) * b..][..b];
        for i in 0..b {
            sum += next[i] * (x[i] - total.ln());
        }
    }
    -sum / (steps * b) as f64
}

impl Input {
    fn check(&self) -> Result<(), String> {
        let (b, layers) = (self.sequence.width, self.main_params.rows / 2);
        ensure(b > 0 && self.sequence.rows > 1, "`sequence` is shorter than two rows")?;
        ensure(
            self.main_params.is(2 * layers, 4 * b),
            "`main_params` are not rows of 4 b, two for each layer",
        )?;
        ensure(self.extra_params.is(3, b), "`extra_params` are not 3 rows of b")?;
        ensure(self.state.is(2 * layers, b), "`state` are not rows of b, two for each layer")
    }
}

pub(super) fn evaluate(mut job: Job) -> Result<Outcome, String> {
    let input: Input = job.read()?;
    input.check()?;
    let Input { main_params, extra_params, state, sequence } = input;
    let data = Data { state: state.numbers, b: sequence.width, sequence: sequence.numbers };
    let parameters = [main_params.numbers, extra_params.numbers].concat();
    match job.function {
        "objective" => job.answer_with(|| loss(black_box(&parameters), &data)),
        "jacobian" => {
            let mut gradient = vec![0.0; parameters.len()];
            job.repeat(|| autodiff::gradient_into(|p: &[f64]| loss(p, &data), &parameters, &mut gradient));
            job.answer(&gradient)
        }
        _ => Err(job.unknown()),
    }
}
