//! Functions as people write them. Nothing here knows of derivatives.

/// The inner product of two vectors: the least work per input that there is.
pub fn inner_product(a: &[f64], b: &[f64]) -> f64 {
    let mut sum = 0.0;
    for i in 0..a.len() {
        sum += a[i] * b[i];
    }
    sum
}

/// Inputs of the dense network.
pub const INPUTS: usize = 16;
/// Units in its hidden layer.
pub const HIDDEN: usize = 32;
/// Weights and biases of both its layers.
pub const WEIGHTS: usize = HIDDEN * (INPUTS + 1) + HIDDEN + 1;

/// Mean squared error of a network of two dense layers over a batch, rows of [`INPUTS`] values each.
pub fn network_loss(weights: &[f64], inputs: &[f64], targets: &[f64]) -> f64 {
    let (first, second) = weights.split_at(HIDDEN * (INPUTS + 1));
    let mut sum = 0.0;
    for (input, target) in inputs.chunks_exact(INPUTS).zip(targets) {
        let hidden: Vec<f64> = dense(first, input).into_iter().map(f64::tanh).collect();
        let output = dense(second, &hidden);
        sum += (output[0] - target).powi(2);
    }
    sum / targets.len() as f64
}

/// One dense layer: a row of weights, and a bias, for each output.
fn dense(weights: &[f64], input: &[f64]) -> Vec<f64> {
    weights
        .chunks_exact(input.len() + 1)
        .map(|row| row[input.len()] + inner_product(&row[..input.len()], input))
        .collect()
}

/// Steps of the Runge-Kutta method.
pub const STEPS: usize = 500;

/// How far predators and prey are from `goal` after [`STEPS`] steps of the classical Runge-Kutta method.
///
/// Parameters are the four rates of the equations of Lotka and Volterra, then both populations at the start.
pub fn population_distance(parameters: &[f64], goal: [f64; 2]) -> f64 {
    let mut state = [parameters[4], parameters[5]];
    let h = 0.02;
    for _ in 0..STEPS {
        let k1 = growth(parameters, state);
        let k2 = growth(parameters, along(state, h / 2.0, k1));
        let k3 = growth(parameters, along(state, h / 2.0, k2));
        let k4 = growth(parameters, along(state, h, k3));
        for i in 0..2 {
            state[i] += h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
        }
    }
    (state[0] - goal[0]).powi(2) + (state[1] - goal[1]).powi(2)
}

fn growth(rates: &[f64], [prey, predators]: [f64; 2]) -> [f64; 2] {
    [rates[0] * prey - rates[1] * prey * predators, rates[2] * prey * predators - rates[3] * predators]
}

fn along(state: [f64; 2], h: f64, change: [f64; 2]) -> [f64; 2] {
    [state[0] + h * change[0], state[1] + h * change[1]]
}
