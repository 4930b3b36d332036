//! What a gradient costs: functions to differentiate, and a fair comparison of two durations.

pub mod functions;
pub mod guards;
mod ratio;

pub use ratio::Ratio;
