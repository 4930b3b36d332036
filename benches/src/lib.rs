//! What a gradient costs: functions to differentiate, and a fair comparison of durations.

pub mod functions;
pub mod guards;
pub mod problems;
mod ratio;

pub use ratio::Ratio;
