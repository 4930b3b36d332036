//! The benchmarks, each with what it computes, written once, and its derivatives.

mod ba;
mod descent;
mod det;
mod gmm;
mod hello;
mod ht;
mod kmeans;
mod llsq;
mod lse;
mod lstm;
mod ode;
mod particle;
mod saddle;

use crate::job::{Job, Outcome};

/// Answers requests for the functions of a module.
type Eval = fn(Job) -> Result<Outcome, String>;

pub(crate) fn find(module: &str) -> Option<Eval> {
    Some(match module {
        "ba" => ba::evaluate,
        "det" => det::evaluate,
        "gmm" => gmm::evaluate,
        "hello" => hello::evaluate,
        "ht" => ht::evaluate,
        "kmeans" => kmeans::evaluate,
        "llsq" => llsq::evaluate,
        "lse" => lse::evaluate,
        "lstm" => lstm::evaluate,
        "ode" => ode::evaluate,
        "particle" => particle::evaluate,
        "saddle" => saddle::evaluate,
        _ => return None,
    })
}
