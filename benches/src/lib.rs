//! What a gradient costs: functions to differentiate, and a fair comparison of durations.

pub mod functions;
pub mod problems;
pub mod guards;
mod ratio;

pub use ratio::Ratio;
