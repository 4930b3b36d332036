//! Everything about LLVM and Enzyme: bitcode in, derivative object code out. Knows nothing of cargo.

pub mod protocol;
