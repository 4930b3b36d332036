//! A line of a benchmark's table.

use std::fmt;

use serde::Serialize;

use crate::Ratio;

/// What was measured of one problem.
#[derive(Debug, Clone, Serialize)]
pub struct Row {
    /// The problem, and the crate if it is another one.
    pub name: String,
    /// How long the function takes, in seconds.
    pub primal: f64,
    /// How long its gradient takes, in seconds.
    pub gradient: f64,
    /// The gradient's time to that of the function.
    pub ratio: Option<f64>,
    /// The gradient's time to that of the adjoint written by hand.
    pub to_hand: Option<f64>,
    /// Another crate's time for the gradient to ours.
    pub theirs: Option<f64>,
}

impl Row {
    /// A row of our own.
    pub fn of(name: &str, to_primal: &Ratio, to_hand: &Ratio) -> Self {
        Self {
            name: name.to_owned(),
            primal: to_primal.primal,
            gradient: to_primal.gradient,
            ratio: Some(to_primal.ratio),
            to_hand: Some(to_hand.ratio),
            theirs: None,
        }
    }

    /// Another crate's gradient after ours.
    pub fn of_peer(name: &str, to_ours: &Ratio) -> Self {
        Self {
            name: name.to_owned(),
            primal: to_ours.primal,
            gradient: to_ours.gradient,
            ratio: None,
            to_hand: None,
            theirs: Some(to_ours.ratio),
        }
    }

    /// As one line of JSON.
    ///
    /// # Panics
    ///
    /// Never: names and numbers can always be written.
    pub fn json(&self) -> String {
        serde_json::to_string(self).expect("names and numbers")
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, primal, gradient, ratio, to_hand, theirs } = self;
        write!(f, "{name:24} {:10.2} µs {:10.2} µs", 1e6 * primal, 1e6 * gradient)?;
        [ratio, to_hand, theirs].into_iter().flatten().try_for_each(|ratio| write!(f, " {ratio:9.2}"))
    }
}
