//! Bundle adjustment: how far a point seen by a camera is from where it was found, as `ADBench` defines it.

use autodiff::autodiff_reverse;

use super::{Problem, wave};

/// Rotation (3), centre (3), focal length, principal point (2), radial distortion (2).
pub type Camera = [f64; 11];

/// The residual of one observation.
#[autodiff_reverse(d_residual, 2, Duplicated, Duplicated, Duplicated, Const, Duplicated)]
pub fn residual(camera: &Camera, point: &[f64; 3], weight: &f64, feature: &[f64; 2], error: &mut [f64; 2]) {
    let t = [point[0] - camera[3], point[1] - camera[4], point[2] - camera[5]];
    let r = [camera[0], camera[1], camera[2]];
    let square = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
    let p = if square == 0.0 {
        [t[0] + r[1] * t[2] - r[2] * t[1], t[1] + r[2] * t[0] - r[0] * t[2], t[2] + r[0] * t[1] - r[1] * t[0]]
    } else {
        let angle = square.sqrt();
        let (s, c) = (angle.sin(), angle.cos());
        let a = [r[0] / angle, r[1] / angle, r[2] / angle];
        let x = [a[1] * t[2] - a[2] * t[1], a[2] * t[0] - a[0] * t[2], a[0] * t[1] - a[1] * t[0]];
        let along = (a[0] * t[0] + a[1] * t[1] + a[2] * t[2]) * (1.0 - c);
        std::array::from_fn(|i| t[i] * c + x[i] * s + a[i] * along)
    };
    let (u, v) = (p[0] / p[2], p[1] / p[2]);
    let radius = u * u + v * v;
    let distortion = 1.0 + camera[9] * radius + camera[10] * radius * radius;
    error[0] = weight * (u * distortion * camera[6] + camera[7] - feature[0]);
    error[1] = weight * (v * distortion * camera[6] + camera[8] - feature[1]);
}

/// The two rows of the Jacobian of [`residual`], by hand: camera (11), point (3), weight.
pub fn jacobian(camera: &Camera, point: &[f64; 3], weight: f64, feature: &[f64; 2]) -> [[f64; 15]; 2] {
    let t: [f64; 3] = std::array::from_fn(|i| point[i] - camera[3 + i]);
    let r = &camera[..3];
    let angle = (r[0] * r[0] + r[1] * r[1] + r[2] * r[2]).sqrt();
    let (s, c) = angle.sin_cos();
    let it = 1.0 / angle;
    let a = [r[0] * it, r[1] * it, r[2] * it];
    let oc = 1.0 - c;
    let rotation = [
        [c + oc * a[0] * a[0], -s * a[2] + oc * a[0] * a[1], s * a[1] + oc * a[0] * a[2]],
        [s * a[2] + oc * a[1] * a[0], c + oc * a[1] * a[1], -s * a[0] + oc * a[1] * a[2]],
        [-s * a[1] + oc * a[2] * a[0], s * a[0] + oc * a[2] * a[1], c + oc * a[2] * a[2]],
    ];
    let p: [f64; 3] =
        std::array::from_fn(|i| rotation[i][0] * t[0] + rotation[i][1] * t[1] + rotation[i][2] * t[2]);
    let x = [a[1] * t[2] - a[2] * t[1], a[2] * t[0] - a[0] * t[2], a[0] * t[1] - a[1] * t[0]];
    let at = a[0] * t[0] + a[1] * t[1] + a[2] * t[2];
    let cross = [[0.0, t[2], -t[1]], [-t[2], 0.0, t[0]], [t[1], -t[0], 0.0]];
    let mut by_r = [[0.0; 3]; 3];
    for i in 0..3 {
        let by_angle = -s * t[i] + c * x[i] + s * a[i] * at;
        let by_axis: [f64; 3] =
            std::array::from_fn(|k| s * cross[i][k] + oc * (a[i] * t[k] + if i == k { at } else { 0.0 }));
        let dot = by_axis[0] * a[0] + by_axis[1] * a[1] + by_axis[2] * a[2];
        for k in 0..3 {
            by_r[i][k] = (by_axis[k] - dot * a[k]) * it + by_angle * a[k];
        }
    }
    let iz = 1.0 / p[2];
    let (u, v) = (p[0] * iz, p[1] * iz);
    let radius = u * u + v * v;
    let distortion = 1.0 + camera[9] * radius + camera[10] * radius * radius;
    let slope = 2.0 * (camera[9] + 2.0 * camera[10] * radius);
    let f = camera[6];
    let uu = weight * f * (distortion + u * u * slope);
    let uv = weight * f * u * v * slope;
    let vv = weight * f * (distortion + v * v * slope);
    let by_p = [[uu * iz, uv * iz, -(uu * u + uv * v) * iz], [uv * iz, vv * iz, -(uv * u + vv * v) * iz]];
    std::array::from_fn(|e| {
        let (q, z) = (&by_p[e], [u, v][e]);
        let mut row = [0.0; 15];
        for k in 0..3 {
            row[k] = q[0] * by_r[0][k] + q[1] * by_r[1][k] + q[2] * by_r[2][k];
            let m = q[0] * rotation[0][k] + q[1] * rotation[1][k] + q[2] * rotation[2][k];
            row[3 + k] = -m;
            row[11 + k] = m;
        }
        row[6] = weight * z * distortion;
        row[7 + e] = weight;
        row[9] = weight * f * z * radius;
        row[10] = weight * f * z * radius * radius;
        row[14] = z * distortion * f + camera[7 + e] - feature[e];
        row
    })
}

/// An observation: which camera, which point, where, and with what weight.
#[derive(Debug, Clone, Copy)]
pub struct Observation {
    pub(crate) camera: usize,
    pub(crate) point: usize,
    pub(crate) feature: [f64; 2],
    pub(crate) weight: f64,
}

/// 31843 observations of 7776 points by 49 cameras.
#[derive(Debug, Clone)]
pub struct Ba {
    pub(crate) cameras: Vec<Camera>,
    pub(crate) points: Vec<[f64; 3]>,
    pub(crate) observations: Vec<Observation>,
}

impl Default for Ba {
    fn default() -> Self {
        let camera = |i| {
            let numbers = wave(11, 0.1 + 0.01 * f64::from(i), 0.4);
            std::array::from_fn(|k| numbers[k])
        };
        let point = |i| {
            let numbers = wave(3, 0.001 * f64::from(i), 0.7);
            [numbers[0], numbers[1], numbers[2] + 4.0]
        };
        let observation = |(i, weight)| Observation {
            camera: i % 49,
            point: i * 7 % 7776,
            feature: [0.1 * (i as f64).sin(), 0.1 * (i as f64).cos()],
            weight,
        };
        Self {
            cameras: (0..49).map(camera).collect(),
            points: (0..7776).map(point).collect(),
            observations: wave(31843, 1.0, 0.5).into_iter().enumerate().map(observation).collect(),
        }
    }
}

impl Problem for Ba {
    /// Both rows of each observation's Jacobian.
    type Shadow = Vec<[[f64; 15]; 2]>;

    fn zero(&self) -> Self::Shadow {
        vec![[[0.0; 15]; 2]; self.observations.len()]
    }

    fn primal(&self) -> f64 {
        let mut sum = 0.0;
        for Observation { camera, point, feature, weight } in &self.observations {
            let mut error = [0.0; 2];
            residual(&self.cameras[*camera], &self.points[*point], weight, feature, &mut error);
            sum += error[0] + error[1];
        }
        sum
    }

    /// One reverse sweep of width two for each observation.
    fn gradient(&self, shadow: &mut Self::Shadow) {
        for (rows, Observation { camera, point, feature, weight }) in
            shadow.iter_mut().zip(&self.observations)
        {
            let ([c0, c1], [p0, p1], [w0, w1]) = (&mut [[0.0; 11]; 2], &mut [[0.0; 3]; 2], &mut [0.0; 2]);
            let (mut error, mut first, mut second) = ([0.0; 2], [1.0, 0.0], [0.0, 1.0]);
            let (camera, point) = (&self.cameras[*camera], &self.points[*point]);
            d_residual(
                camera,
                c0,
                c1,
                point,
                p0,
                p1,
                weight,
                w0,
                w1,
                feature,
                &mut error,
                &mut first,
                &mut second,
            );
            for (row, (camera, point, weight)) in rows.iter_mut().zip([(c0, p0, w0), (c1, p1, w1)]) {
                row[..11].copy_from_slice(camera);
                row[11..14].copy_from_slice(point);
                row[14] = *weight;
            }
        }
    }

    fn by_hand(&self, shadow: &mut Self::Shadow) {
        for (rows, Observation { camera, point, feature, weight }) in
            shadow.iter_mut().zip(&self.observations)
        {
            *rows = jacobian(&self.cameras[*camera], &self.points[*point], *weight, feature);
        }
    }

    fn components(shadow: &Self::Shadow) -> Vec<f64> {
        shadow.as_flattened().as_flattened().to_vec()
    }
}
