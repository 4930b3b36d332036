//! An arm with six joints that turn.

use autodiff::jacobian;
use nalgebra::{Matrix3, Matrix3x6, SVector, Vector3};

/// Of the joints, in radians, from the shoulder to the hand.
pub(crate) type Angles = SVector<f64, 6>;

/// Lengths of what follows each joint, in metres.
const LENGTHS: [f64; 6] = [0.3, 0.6, 0.3, 0.3, 0.2, 0.1];
/// How much a joint's angle is held back where the arm is nearly straight.
const DAMPING: f64 = 1e-4;

/// About the axis along the arm if `along`, else about one across it.
fn rotation(angle: f64, along: bool) -> Matrix3<f64> {
    let (s, c) = angle.sin_cos();
    if along {
        Matrix3::new(c, -s, 0.0, s, c, 0.0, 0.0, 0.0, 1.0)
    } else {
        Matrix3::new(c, 0.0, s, 0.0, 1.0, 0.0, -s, 0.0, c)
    }
}

/// Where the joints are, and the hand at last.
pub(crate) fn joints(angles: &Angles) -> [Vector3<f64>; 7] {
    let mut joints = [Vector3::zeros(); 7];
    let mut turned = Matrix3::identity();
    for i in 0..6 {
        // The shoulder and the wrist turn along the arm.
        turned *= rotation(angles[i], i == 0 || i == 3);
        joints[i + 1] = joints[i] + turned * Vector3::new(0.0, 0.0, LENGTHS[i]);
    }
    joints
}

fn hand(angles: &Angles) -> Vector3<f64> {
    joints(angles)[6]
}

/// How a target was reached.
pub(crate) struct Reached {
    pub(crate) steps: usize,
    /// From the hand to the target, in metres.
    pub(crate) distance: f64,
}

/// Turns the joints until the hand is at the target, by damped least squares.
pub(crate) fn follow(angles: &mut Angles, target: &Vector3<f64>) -> Reached {
    let mut steps = 0;
    loop {
        let error = target - hand(angles);
        if error.norm() < 1e-12 || steps == 100 {
            return Reached { steps, distance: error.norm() };
        }
        let slopes = Matrix3x6::from_row_slice(jacobian(hand, angles).as_slice());
        let across = slopes * slopes.transpose() + DAMPING * Matrix3::identity();
        let solved = across.try_inverse().unwrap_or_else(Matrix3::zeros) * error;
        *angles += slopes.transpose() * solved;
        steps += 1;
    }
}
