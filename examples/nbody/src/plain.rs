//! The same with rayon.

use std::time::{Duration, Instant};

use rayon::prelude::*;

use crate::{Body, STEPS, attract};

/// Moves the bodies, and says how long it took.
pub(crate) fn run(start: &[Body]) -> (Vec<Body>, Duration) {
    let (mut bodies, mut moved) = (start.to_vec(), start.to_vec());
    let begin = Instant::now();
    for _ in 0..STEPS {
        moved.par_iter_mut().zip(&bodies).for_each(|(moved, own)| {
            let mut acceleration = [0.0; 3];
            for other in &bodies {
                attract(&mut acceleration, own.position, other.position, other.mass);
            }
            *moved = own.moved(acceleration);
        });
        std::mem::swap(&mut bodies, &mut moved);
    }
    (bodies, begin.elapsed())
}
