//! Hand tracking: how far points are from the skin of a hand, which moves with the joints of its bones.

use std::hint::black_box;

use autodiff::Jacobian;
use serde::Deserialize;

use crate::job::{Job, Outcome, ensure};
use crate::table::Table;

/// A matrix for homogeneous coordinates.
type Transform = [[f64; 4]; 4];

const IDENTITY: Transform =
    [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]];

/// Numbers that set a pose: rotation (3), translation (3), and for each finger two angles of its first joint, then one
/// of each of the next two.
const POSE: usize = 26;
/// The wrist and the forearm, then four bones for each finger.
const BONES: usize = 22;

#[derive(Deserialize)]
struct Input {
    theta: Vec<f64>,
    us: Vec<[f64; 2]>,
    data: Data,
}

#[derive(Deserialize)]
struct Data {
    model: Model,
    correspondences: Vec<usize>,
    points: Vec<[f64; 3]>,
}

#[derive(Deserialize)]
struct Model {
    /// An earlier bone for each, or -1.
    parents: Vec<i64>,
    base_relatives: Vec<Transform>,
    inverse_base_absolutes: Vec<Transform>,
    base_positions: Vec<[f64; 4]>,
    /// How much each vertex follows each bone.
    weights: Table,
    triangles: Vec<[usize; 3]>,
    is_mirrored: bool,
}

fn product(a: &Transform, b: &Transform) -> Transform {
    let mut product = [[0.0; 4]; 4];
    for i in 0..4 {
        for j in 0..4 {
            for k in 0..4 {
                product[i][j] += a[i][k] * b[k][j];
            }
        }
    }
    product
}

/// First about the x axis by `bend`, then about the z axis by `spread`.
fn joint(bend: f64, spread: f64) -> Transform {
    let (sx, cx) = (bend.sin(), bend.cos());
    let (sz, cz) = (spread.sin(), spread.cos());
    let mut joint = IDENTITY;
    joint[0] = [cz, -sz * cx, sz * sx, 0.0];
    joint[1] = [sz, cz * cx, -cz * sx, 0.0];
    joint[2] = [0.0, sx, cx, 0.0];
    joint
}

/// The rotation about the direction of `r` by the length of `r`.
fn rotation(r: &[f64]) -> [[f64; 3]; 3] {
    let angle = (r[0] * r[0] + r[1] * r[1] + r[2] * r[2]).sqrt();
    if angle < 1e-4 {
        return [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    }
    let axis = [r[0] / angle, r[1] / angle, r[2] / angle];
    let (sine, cosine) = (angle.sin(), angle.cos());
    let cross = [[0.0, -axis[2], axis[1]], [axis[2], 0.0, -axis[0]], [-axis[1], axis[0], 0.0]];
    let mut rotation = [[0.0; 3]; 3];
    for i in 0..3 {
        for j in 0..3 {
            let one = if i == j { cosine } else { 0.0 };
            rotation[i][j] = one + axis[i] * axis[j] * (1.0 - cosine) + cross[i][j] * sine;
        }
    }
    rotation
}

impl Model {
    /// Where each bone takes the vertices that follow it.
    fn bones(&self, angles: &[f64]) -> Vec<Transform> {
        let mut joints = [IDENTITY; BONES];
        for (finger, angles) in (0..5).zip(angles.chunks(4)) {
            let first = 2 + 4 * finger;
            joints[first] = joint(angles[0], angles[1]);
            joints[first + 1] = joint(angles[2], 0.0);
            joints[first + 2] = joint(angles[3], 0.0);
        }
        let mut absolutes = [IDENTITY; BONES];
        for bone in 0..BONES {
            let relative = product(&self.base_relatives[bone], &joints[bone]);
            absolutes[bone] = match usize::try_from(self.parents[bone]) {
                Ok(parent) => product(&absolutes[parent], &relative),
                Err(_) => relative,
            };
        }
        absolutes.iter().zip(&self.inverse_base_absolutes).map(|(a, b)| product(a, b)).collect()
    }

    /// All vertices of the skin, in a pose.
    fn vertices(&self, pose: &[f64]) -> Vec<[f64; 3]> {
        let (global, angles) = pose.split_at(6);
        let (rotation, bones) = (rotation(&global[..3]), self.bones(angles));
        let mut vertices = Vec::with_capacity(self.base_positions.len());
        for (base, weights) in self.base_positions.iter().zip(self.weights.numbers.chunks(BONES)) {
            let mut vertex = [0.0; 3];
            for (bone, weight) in bones.iter().zip(weights) {
                for i in 0..3 {
                    let [a, b, c, d] = bone[i];
                    vertex[i] += weight * (a * base[0] + b * base[1] + c * base[2] + d * base[3]);
                }
            }
            if self.is_mirrored {
                vertex[0] = -vertex[0];
            }
            vertices.push(std::array::from_fn(|i| {
                let row = rotation[i];
                row[0] * vertex[0] + row[1] * vertex[1] + row[2] * vertex[2] + global[3 + i]
            }));
        }
        vertices
    }
}

/// From the skin to each point. A point belongs to a vertex; or, where there are `us`, to a place in a triangle.
///
/// The last arguments are the pose. If there are two before it, they are added to all `us`: no residual depends on more
/// than one of these, so two columns hold the derivatives by all.
fn residuals(arguments: &[f64], us: &[[f64; 2]], data: &Data) -> Vec<f64> {
    let (shift, pose) = arguments.split_at(arguments.len() - POSE);
    let vertices = data.model.vertices(pose);
    let mut residuals = vec![0.0; 3 * data.points.len()];
    for (i, (point, place)) in data.points.iter().zip(&data.correspondences).enumerate() {
        for j in 0..3 {
            let skin = if us.is_empty() {
                vertices[*place][j]
            } else {
                let (u, v) = (us[i][0] + shift[0], us[i][1] + shift[1]);
                let corners = data.model.triangles[*place].map(|vertex| vertices[vertex][j]);
                u * corners[0] + v * corners[1] + (1.0 - u - v) * corners[2]
            };
            residuals[3 * i + j] = point[j] - skin;
        }
    }
    residuals
}

impl Input {
    fn check(&self) -> Result<(), String> {
        let Self { theta, us, data } = self;
        ensure(theta.len() == POSE, "`theta` does not have 26 numbers")?;
        ensure(
            data.points.len() == data.correspondences.len(),
            "there are more or fewer points than correspondences",
        )?;
        ensure(us.is_empty() || us.len() == data.points.len(), "there are more or fewer `us` than points")?;
        let places = if us.is_empty() { data.model.base_positions.len() } else { data.model.triangles.len() };
        ensure(data.correspondences.iter().all(|place| *place < places), "a correspondence is out of range")?;
        data.model.check()
    }
}

impl Model {
    fn check(&self) -> Result<(), String> {
        let bones = [self.parents.len(), self.base_relatives.len(), self.inverse_base_absolutes.len()];
        ensure(bones == [BONES; 3], "there are not 22 bones")?;
        let earlier = |(bone, parent): (i64, &i64)| (-1..bone).contains(parent);
        ensure((0..).zip(&self.parents).all(earlier), "a parent is not an earlier bone")?;
        let vertices = self.base_positions.len();
        ensure(self.weights.is(vertices, BONES), "`weights` are not 22 for each vertex")?;
        ensure(
            self.triangles.iter().flatten().all(|vertex| *vertex < vertices),
            "a triangle has no such vertex",
        )
    }
}

pub(super) fn evaluate(mut job: Job) -> Result<Outcome, String> {
    let input: Input = job.read()?;
    input.check()?;
    let Input { theta, us, data } = input;
    let arguments = if us.is_empty() { theta } else { [vec![0.0; 2], theta].concat() };
    let f = |arguments: &[f64]| residuals(arguments, &us, &data);
    match job.function {
        "objective" => job.answer_with(|| f(black_box(&arguments))),
        "jacobian" => {
            let value = vec![0.0; 3 * data.points.len()];
            let mut jacobian = Jacobian::new(&arguments, &value);
            job.repeat(|| autodiff::jacobian_into(f, &arguments, &mut jacobian));
            let numbers = jacobian.into_matrix().into_vec();
            job.answer(&Table { rows: value.len(), width: arguments.len(), numbers })
        }
        _ => Err(job.unknown()),
    }
}
