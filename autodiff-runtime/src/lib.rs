//! Derivatives of ordinary Rust functions.
mod attribute;
mod call;
mod differentiable;
mod layout;
mod scalar;
mod shim;
mod site;
mod transform;

pub use autodiff_macros::{autodiff_forward, autodiff_reverse};
pub use differentiable::Differentiable;
pub use scalar::{Element, Scalar};
pub use transform::{derivative, gradient, value_and_derivative, value_and_gradient};

/// What generated code and the tool rely on. Not public: it may change in any release.
#[doc(hidden)]
pub mod __private {
    pub use crate::attribute::{
        Shim, check_length, elements, elements_mut, length, part, place, pointer, reference, reference_mut,
        shim, zero,
    };
    pub use crate::call::{__autodiff_call, call};
    pub use crate::layout::{Describe, Field, Layout, NoLayout, Probe};
    pub use crate::site::{Activity, Mode, Param, Site};
}
