//! Moves a robot's arm so that its hand follows a circle: inverse kinematics with `nalgebra`.
//!
//! Where the hand is follows from the angles of the joints by rotations and translations. The Jacobian of that comes
//! from Enzyme, and each step solves for the angles with it:
//!
//! ```text
//! cargo autodiff run --release -p arm -- arm.png
//! ```

mod kinematics;
mod plot;

use std::f64::consts::TAU;
use std::path::PathBuf;

use anyhow::{Result, ensure};
use nalgebra::Vector3;

use kinematics::{Angles, follow, joints};

const TARGETS: usize = 120;

fn main() -> Result<()> {
    let picture = std::env::args_os().nth(1).map_or_else(|| PathBuf::from("arm.png"), PathBuf::from);
    let circle = (0..=TARGETS).map(|i| {
        let angle = TAU * i as f64 / TARGETS as f64;
        Vector3::new(0.9, 0.35 * angle.cos(), 0.8 + 0.35 * angle.sin())
    });
    let mut angles = Angles::new(0.3, 0.4, 0.9, 0.1, 0.5, 0.0);
    let mut poses = Vec::new();
    let (mut worst, mut steps) = (0.0f64, 0);
    for target in circle {
        let reached = follow(&mut angles, &target);
        worst = worst.max(reached.distance);
        steps += reached.steps;
        poses.push(joints(&angles));
    }
    println!("{} targets, {steps} steps, at most {worst:.1e} m off", poses.len());
    plot::draw(&picture, &poses)?;
    println!("{}", picture.display());
    ensure!(worst < 1e-9, "a target was not reached");
    Ok(())
}
