//! The benchmarks, each with what it computes, written once, and its derivatives.

mod det;
mod hello;
mod kmeans;
mod llsq;
mod lse;
mod ode;

use crate::job::{Job, Outcome};

/// Answers requests for the functions of a module.
type Eval = fn(Job) -> Result<Outcome, String>;

pub(crate) fn find(module: &str) -> Option<Eval> {
    Some(match module {
        "det" => det::evaluate,
        "hello" => hello::evaluate,
        "kmeans" => kmeans::evaluate,
        "llsq" => llsq::evaluate,
        "lse" => lse::evaluate,
        "ode" => ode::evaluate,
        _ => return None,
    })
}
