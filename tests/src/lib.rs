//! Builds `cargo-autodiff` once and runs it on small crates, as people would.
//!
//! A test takes a [`Project`] (a crate of `fixtures/`, or files written in the test), runs the tool or plain cargo
//! in it, and looks at the [`Outcome`]. Projects live below the target directory and keep their place from run to
//! run, so that a second run of the tests compiles little.

#![allow(clippy::missing_panics_doc, reason = "a helper that panics is how a test fails")]

mod environment;
mod invocation;
mod project;
mod snapshot;
mod tool;

pub use invocation::{Invocation, Outcome};
pub use project::Project;
pub use snapshot::Snapshot;
pub use tool::{host, repository, scratch, tool};

/// The two profiles every gradient is checked in, as arguments for cargo.
pub const PROFILES: [&[&str]; 2] = [&[], &["--release"]];
