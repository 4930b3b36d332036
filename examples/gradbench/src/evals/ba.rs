//! Bundle adjustment: how far points seen by cameras are from where they were found.

use std::hint::black_box;

use autodiff::autodiff_reverse;
use serde::{Deserialize, Serialize};

use crate::job::{Job, Outcome, ensure};

/// Rotation (3), centre (3), focal length, principal point (2), radial distortion (2).
type Camera = [f64; 11];

/// One camera, point, weight and place, which all observations share.
#[derive(Deserialize)]
struct Input {
    n: usize,
    m: usize,
    p: usize,
    cam: Camera,
    x: [f64; 3],
    w: f64,
    feat: [f64; 2],
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Turns `x` about the direction of `r` by the length of `r`, as Rodrigues does.
fn turn(r: [f64; 3], x: [f64; 3]) -> [f64; 3] {
    let square = dot(r, r);
    if square == 0.0 {
        // The limit, and its derivative.
        let turned = cross(r, x);
        return [x[0] + turned[0], x[1] + turned[1], x[2] + turned[2]];
    }
    let angle = square.sqrt();
    let axis = r.map(|r| r / angle);
    let (sine, cosine) = (angle.sin(), angle.cos());
    let (across, along) = (cross(axis, x), dot(axis, x) * (1.0 - cosine));
    std::array::from_fn(|i| x[i] * cosine + across[i] * sine + axis[i] * along)
}

/// The residual of one observation.
#[autodiff_reverse(d_residual, 2, Duplicated, Duplicated, Duplicated, Const, Duplicated)]
#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "the weight is duplicated, to have a derivative by each seed"
)]
fn residual(camera: &Camera, point: &[f64; 3], weight: &f64, place: &[f64; 2], residual: &mut [f64; 2]) {
    let [r0, r1, r2, c0, c1, c2, focus, u0, v0, k1, k2] = *camera;
    let seen = turn([r0, r1, r2], [point[0] - c0, point[1] - c1, point[2] - c2]);
    let (u, v) = (seen[0] / seen[2], seen[1] / seen[2]);
    let square = u * u + v * v;
    let scale = focus * (1.0 + k1 * square + k2 * square * square);
    *residual = [weight * (u * scale + u0 - place[0]), weight * (v * scale + v0 - place[1])];
}

fn weight_error(weight: f64) -> f64 {
    1.0 - weight * weight
}

/// All cameras, points and observations: observation `i` is of point `i` modulo their number by camera `i` modulo theirs.
struct Scene {
    cameras: Vec<Camera>,
    points: Vec<[f64; 3]>,
    weights: Vec<f64>,
    places: Vec<[f64; 2]>,
}

impl Scene {
    fn residuals(&self, residuals: &mut [[f64; 2]], weight_errors: &mut [f64]) {
        for (i, error) in residuals.iter_mut().enumerate() {
            let (camera, point) =
                (&self.cameras[i % self.cameras.len()], &self.points[i % self.points.len()]);
            residual(camera, point, &self.weights[i], &self.places[i], error);
        }
        for (error, weight) in weight_errors.iter_mut().zip(&self.weights) {
            *error = weight_error(*weight);
        }
    }
}

/// The Jacobian, of which the elements that are not zero are kept, row by row.
#[derive(Default, Serialize)]
struct Sparse {
    /// Where each row starts, and where the last ends.
    rows: Vec<usize>,
    cols: Vec<usize>,
    vals: Vec<f64>,
}

impl Sparse {
    fn with_room_for(observations: usize) -> Result<Self, String> {
        Ok(Self {
            rows: room(3 * observations + 1)?,
            cols: room(31 * observations)?,
            vals: room(31 * observations)?,
        })
    }

    fn fill(&mut self, scene: &Scene) {
        self.rows.clear();
        self.cols.clear();
        self.vals.clear();
        self.rows.push(0);
        let (n, m) = (scene.cameras.len(), scene.points.len());
        for (i, (weight, place)) in scene.weights.iter().zip(&scene.places).enumerate() {
            let (mut cameras, mut points, mut weights) = ([[0.0; 11]; 2], [[0.0; 3]; 2], [0.0; 2]);
            let ([c0, c1], [p0, p1], [w0, w1]) = (&mut cameras, &mut points, &mut weights);
            let (camera, point) = (&scene.cameras[i % n], &scene.points[i % m]);
            let (error, first, second) = (&mut [0.0; 2], &mut [1.0, 0.0], &mut [0.0, 1.0]);
            d_residual(camera, c0, c1, point, p0, p1, weight, w0, w1, place, error, first, second);
            for row in 0..2 {
                self.cols.extend((0..11).map(|j| 11 * (i % n) + j));
                self.cols.extend((0..3).map(|j| 11 * n + 3 * (i % m) + j));
                self.cols.push(11 * n + 3 * m + i);
                self.vals.extend(cameras[row]);
                self.vals.extend(points[row]);
                self.vals.push(weights[row]);
                self.rows.push(self.vals.len());
            }
        }
        for (i, weight) in scene.weights.iter().enumerate() {
            self.cols.push(11 * n + 3 * m + i);
            self.vals.push(autodiff::derivative(weight_error, *weight));
            self.rows.push(self.vals.len());
        }
    }

    /// What the suite wants to see: of each list, 30 numbers and the last.
    fn excerpt(self) -> Self {
        fn of<T: Copy>(all: &[T]) -> Vec<T> {
            all.iter().take(30).chain(all.last()).copied().collect()
        }
        Self { rows: of(&self.rows), cols: of(&self.cols), vals: of(&self.vals) }
    }
}

#[derive(Serialize)]
struct Errors {
    reproj_error: Repeated<Elements>,
    w_err: Repeated<Element>,
}

#[derive(Serialize)]
struct Repeated<T> {
    #[serde(flatten)]
    what: T,
    repeated: usize,
}

#[derive(Serialize)]
struct Elements {
    elements: [f64; 2],
}

#[derive(Serialize)]
struct Element {
    element: f64,
}

/// Memory for so many elements, if there is that much.
fn room<T>(count: usize) -> Result<Vec<T>, String> {
    let mut room = Vec::new();
    room.try_reserve_exact(count)
        .map_err(|error| format!("there is no room for {count} elements: {error}"))?;
    Ok(room)
}

fn repeated<T: Clone>(element: T, count: usize) -> Result<Vec<T>, String> {
    let mut repeated = room(count)?;
    repeated.resize(count, element);
    Ok(repeated)
}

pub(super) fn evaluate(mut job: Job) -> Result<Outcome, String> {
    let Input { n, m, p, cam, x, w, feat } = job.read()?;
    ensure(n > 0 && m > 0 && p > 0, "`n`, `m` or `p` is zero")?;
    ensure(n.max(m).max(p) < 1 << 32, "`n`, `m` or `p` is too large")?;
    let scene = Scene {
        cameras: repeated(cam, n)?,
        points: repeated(x, m)?,
        weights: repeated(w, p)?,
        places: repeated(feat, p)?,
    };
    match job.function {
        "objective" => {
            let (mut residuals, mut weight_errors) = (repeated([0.0; 2], p)?, repeated(0.0, p)?);
            job.repeat(|| black_box(&scene).residuals(&mut residuals, &mut weight_errors));
            let reproj_error = Repeated { what: Elements { elements: residuals[0] }, repeated: p };
            let w_err = Repeated { what: Element { element: weight_errors[0] }, repeated: p };
            job.answer(&Errors { reproj_error, w_err })
        }
        "jacobian" => {
            let mut jacobian = Sparse::with_room_for(p)?;
            job.repeat(|| jacobian.fill(&scene));
            job.answer(&jacobian.excerpt())
        }
        _ => Err(job.unknown()),
    }
}
