//! K-means clustering: the squared distances of points from the nearest centroid, and Newton's step for the centroids.

use std::hint::black_box;

use serde::Deserialize;

use crate::job::{Job, Outcome, ensure};
use crate::table::Table;

#[derive(Deserialize)]
struct Input {
    points: Table,
    centroids: Table,
}

/// The sum of the squared distances, for points and centroids in `d` dimensions.
fn cost(points: &[f64], centroids: &[f64], d: usize) -> f64 {
    let mut sum = 0.0;
    for point in 0..points.len() / d {
        let mut nearest = f64::INFINITY;
        for centroid in 0..centroids.len() / d {
            let mut square = 0.0;
            for i in 0..d {
                let difference = points[point * d + i] - centroids[centroid * d + i];
                square += difference * difference;
            }
            if square < nearest {
                nearest = square;
            }
        }
        sum += nearest;
    }
    sum
}

pub(super) fn evaluate(mut job: Job) -> Result<Outcome, String> {
    let Input { points, centroids } = job.read()?;
    let d = points.width;
    ensure(d > 0 && centroids.width == d, "points and centroids do not have the same dimension")?;
    let (points, mut direction) = (points.numbers, centroids.clone());
    let centroids = centroids.numbers;
    match job.function {
        "cost" => job.answer_with(|| cost(black_box(&points), &centroids, d)),
        "dir" => {
            let cost = |centroids: &[f64]| cost(&points, centroids, d);
            let (mut gradient, mut curvature) = (vec![0.0; centroids.len()], vec![0.0; centroids.len()]);
            // The Hessian is diagonal, so its product with ones is all of it.
            let ones = vec![1.0; centroids.len()];
            job.repeat(|| {
                autodiff::hvp_into(cost, &centroids, &ones, &mut gradient, &mut curvature);
                for ((direction, gradient), curvature) in
                    direction.numbers.iter_mut().zip(&gradient).zip(&curvature)
                {
                    *direction = gradient / curvature;
                }
            });
            job.answer(&direction)
        }
        _ => Err(job.unknown()),
    }
}
