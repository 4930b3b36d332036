//! The solution of an equation in a gradient. It is found by taking steps until nothing changes. The derivative
//! need not go back through them: it is the solution of an equation itself (the implicit function theorem).
//!
//! Three pendulums pull on each other. Which torques turn them to given angles?

use autodiff::{autodiff_reverse, custom_rule, value_and_gradient};

/// One step towards angles at which all forces are in balance.
#[autodiff_reverse(d_step, Duplicated, Duplicated, Duplicated)]
fn step(angles: &[f64; 3], torques: &[f64; 3], next: &mut [f64; 3]) {
    for pendulum in 0..3 {
        let others = angles[(pendulum + 1) % 3] + angles[(pendulum + 2) % 3];
        next[pendulum] = torques[pendulum] - 0.4 * angles[pendulum].sin() + 0.2 * others;
    }
}

/// The angles at which all forces are in balance.
#[custom_rule(Duplicated, Active, reverse = balance_reverse)]
fn balance(torques: &[f64; 3]) -> [f64; 3] {
    let mut angles = [0.0; 3];
    loop {
        let mut next = [0.0; 3];
        step(&angles, torques, &mut next);
        let change: f64 = next.iter().zip(&angles).map(|(next, angle)| (next - angle).abs()).sum();
        angles = next;
        if change < 1e-14 {
            return angles;
        }
    }
}

/// Where `angles = step(angles, torques)`, an adjoint `w` of the angles is that of the steps as well: `w = seed + w *
/// (slopes of a step by the angles)`. That is found as the angles were; and once more, by the torques, the adjoint of
/// these.
fn balance_reverse(torques: &[f64; 3], d_torques: &mut [f64; 3], angles: [f64; 3], seed: [f64; 3]) {
    let mut adjoint = seed;
    loop {
        let (mut by_angles, mut by_torques) = (seed, [0.0; 3]);
        let (mut next, mut d_next) = ([0.0; 3], adjoint);
        d_step(&angles, &mut by_angles, torques, &mut by_torques, &mut next, &mut d_next);
        let change: f64 = by_angles.iter().zip(&adjoint).map(|(new, old)| (new - old).abs()).sum();
        adjoint = by_angles;
        if change < 1e-14 {
            d_torques.iter_mut().zip(&by_torques).for_each(|(sum, by)| *sum += by);
            return;
        }
    }
}

fn distance(torques: &[f64]) -> f64 {
    let angles = balance(&[torques[0], torques[1], torques[2]]);
    angles.iter().zip([0.3, -0.2, 0.5]).map(|(angle, wanted)| (angle - wanted).powi(2)).sum()
}

fn main() {
    let mut torques = vec![1.0, 0.5, -0.5];
    let (_, slopes) = value_and_gradient(distance, &torques);
    rules::compare(&slopes, &rules::differences(distance, &torques));
    for round in 0..=200 {
        let (value, slopes) = value_and_gradient(distance, &torques);
        if round % 50 == 0 {
            println!("round {round:3}: {value:.3e}");
        }
        torques.iter_mut().zip(&slopes).for_each(|(torque, slope)| *torque -= 0.3 * slope);
    }
    println!("torques {torques:.4?}");
    assert!(distance(&torques) < 1e-10, "the angles are found");
}
