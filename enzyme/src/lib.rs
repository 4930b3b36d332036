//! Everything about LLVM and Enzyme: bitcode in, derivative object code out. Knows nothing of cargo.
//!
//! Data flows one way: [`protocol::Request`] → *closure* (one module with all that the shims reach)
//! → *derivative* (calls of Enzyme) → *prepare* (Rust made digestible) → *engine* (Enzyme) → *emit*
//! (object code) → [`protocol::Response`]. Every LLVM call goes to the libLLVM of the user's own
//! rustc, loaded when first called; so the bitcode always fits.

extern crate aya_rustc_llvm_proxy as _;

pub mod protocol;

mod cache;
mod caller;
mod candidates;
mod class;
mod closure;
mod deferred;
mod derivative;
mod engine;
mod error;
mod library;
mod lines;
mod llvm;
mod pipeline;
mod prepare;
mod program;
mod reason;
mod refusal;
mod report;
mod route;
mod source;
mod symbol;
mod targets;
mod words;

pub use class::{Example, ROWS, Row};
pub use error::{Error, Llvm};
pub use pipeline::differentiate;
