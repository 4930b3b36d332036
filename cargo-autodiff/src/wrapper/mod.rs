//! The parts that stand between cargo and rustc, and between rustc and the linker.

pub(crate) mod linker;
pub(crate) mod rustc;
