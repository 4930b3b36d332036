//! The pipeline as its users see it: a request goes in, a response and the dumped stages come out.
//!
//! Most tests have a shell script for an engine, so they need no Enzyme: what is before the engine
//! has been dumped by then, and one that copies its input shows what is after it.

mod cache;
mod case;
mod check;
mod closure;
mod derivatives;
mod differences;
mod engines;
mod prepare;
mod real;
mod rust;
mod sites;
mod worker;
