//! Safe handles over LLVM's C interface: the only place with raw LLVM pointers.
//!
//! Every handle borrows the [`Context`] it lives in. Values, types and blocks are `Copy`, as in
//! LLVM itself; erasing takes the handle by value, and whoever erases must hold no other copy.

mod access;
mod aggregate;
mod arithmetic;
mod attribute;
mod bits;
mod block;
mod buffer;
mod builder;
mod compute;
mod constant;
mod context;
mod debug;
mod fast_math;
mod function;
mod global;
mod instruction;
mod iter;
mod linker;
mod message;
mod metadata;
mod module;
mod passes;
mod real;
mod relation;
mod shape;
mod target;
mod types;
mod unwind;
mod value;
mod version;

pub(crate) use arithmetic::{Arithmetic, Precision};
pub(crate) use attribute::{Attribute, Place};
pub(crate) use bits::Bits;
pub(crate) use block::Block;
pub(crate) use builder::Builder;
pub(crate) use compute::{Binary, Cast};
pub(crate) use constant::Image;
pub(crate) use context::Context;
pub(crate) use fast_math::FastMath;
pub(crate) use function::Function;
pub(crate) use global::Global;
pub(crate) use instruction::{Instruction, Opcode};
pub(crate) use linker::link;
pub(crate) use message::LlvmError;
pub(crate) use metadata::Metadata;
pub(crate) use module::Module;
pub(crate) use passes::{Vectorize, run_passes};
pub(crate) use relation::Relation;
pub(crate) use shape::{Distance, Sizes};
pub(crate) use target::Machine;
pub(crate) use types::Type;
pub(crate) use value::{Linkage, Value};
pub(crate) use version::version;
