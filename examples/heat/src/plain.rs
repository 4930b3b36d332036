//! The same with rayon.

use std::time::{Duration, Instant};

use rayon::prelude::*;

use crate::{HEIGHT, RATE, WIDTH};

/// Lets the heat spread, and says how long it took.
pub(crate) fn run(start: &[f64], steps: usize) -> (Vec<f64>, Duration) {
    let (mut old, mut new) = (start.to_vec(), start.to_vec());
    let begin = Instant::now();
    for _ in 0..steps {
        new.par_chunks_mut(WIDTH).enumerate().for_each(|(y, row)| {
            for (x, new) in row.iter_mut().enumerate() {
                let own = y * WIDTH + x;
                *new = if x == 0 || y == 0 || x == WIDTH - 1 || y == HEIGHT - 1 {
                    old[own]
                } else {
                    let sum = old[own - 1] + old[own + 1] + old[own - WIDTH] + old[own + WIDTH];
                    old[own] + RATE * (sum - 4.0 * old[own])
                };
            }
        });
        std::mem::swap(&mut old, &mut new);
    }
    (old, begin.elapsed())
}
