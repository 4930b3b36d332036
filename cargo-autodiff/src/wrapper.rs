//! What happens between cargo, rustc and the linker.
//!
//! [`rustc`] captures each crate's bitcode ([`pack`]) and has rustc call [`linker`], which looks for
//! derivative calls ([`site`]) among the objects, has the derivatives made ([`request`]) and links them
//! in ([`patch`]). What goes wrong comes out as compiler errors ([`diagnostic`]).

mod archive;
mod args;
mod cache;
mod diagnostic;
mod differentiate;
mod doctest;
mod elf;
mod inputs;
mod job;
mod link_args;
pub(crate) mod linker;
mod missing;
mod notices;
mod pack;
mod patch;
mod private;
mod request;
pub(crate) mod rustc;
mod site;
mod source_span;
mod staticlib;
mod std_bitcode;
#[cfg(test)]
mod tests;
