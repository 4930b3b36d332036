//! What a gradient costs: functions to differentiate, and a fair comparison of durations.

pub mod functions;
pub mod guards;
#[cfg(feature = "peers")]
pub mod peers;
pub mod problems;
mod ratio;
mod row;

pub use ratio::Ratio;
pub use row::Row;
