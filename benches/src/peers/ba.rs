//! Bundle adjustment.

use nalgebra::{SVector, vector};
use num_dual::{DualSVec64, jacobian};

use super::Number;
use crate::problems::ba::{Ba, Observation};

/// The residual of one observation: camera (11), point (3), weight.
fn residual<N: Number>(x: &[N; 15], feature: &[f64; 2]) -> [N; 2] {
    let t = [x[11] - x[3], x[12] - x[4], x[13] - x[5]];
    let r = [x[0], x[1], x[2]];
    let angle = (r[0] * r[0] + r[1] * r[1] + r[2] * r[2]).sqrt();
    let (s, c) = (angle.sin(), angle.cos());
    let a = [r[0] / angle, r[1] / angle, r[2] / angle];
    let cross = [a[1] * t[2] - a[2] * t[1], a[2] * t[0] - a[0] * t[2], a[0] * t[1] - a[1] * t[0]];
    let one = N::constant(1.0);
    let along = (a[0] * t[0] + a[1] * t[1] + a[2] * t[2]) * (one - c);
    let p: [N; 3] = std::array::from_fn(|i| t[i] * c + cross[i] * s + a[i] * along);
    let (u, v) = (p[0] / p[2], p[1] / p[2]);
    let radius = u * u + v * v;
    let distortion = one + x[9] * radius + x[10] * radius * radius;
    let of = |z: N, centre: N, feature: f64| x[14] * (z * distortion * x[6] + centre - N::constant(feature));
    [of(u, x[7], feature[0]), of(v, x[8], feature[1])]
}

/// Both rows of each observation's Jacobian by `num-dual`, in one pass each.
pub fn by_num_dual(problem: &Ba) -> Vec<[[f64; 15]; 2]> {
    let rows = |Observation { camera, point, feature, weight }: &Observation| {
        let (camera, point) = (&problem.cameras[*camera], &problem.points[*point]);
        let x = SVector::<f64, 15>::from_iterator(camera.iter().chain(point).chain([weight]).copied());
        let errors = |x: SVector<DualSVec64<15>, 15>| {
            let [first, second] = residual(&x.data.0[0], feature);
            vector![first, second]
        };
        let (_, slopes) = jacobian(errors, &x);
        std::array::from_fn(|e| std::array::from_fn(|k| slopes[(e, k)]))
    };
    problem.observations.iter().map(rows).collect()
}
