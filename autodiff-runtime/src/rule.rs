//! Functions whose derivative is written by hand.
//!
//! [`custom_rule`](crate::custom_rule) stands on a function and names the functions that compute its
//! derivative. They are used in place of what the tool would derive from the body, wherever a
//! derivative reaches the function.

mod record;
mod slots;
mod tangent;

#[doc(hidden)]
pub use record::{__autodiff_rule, Rule, Word, call_rule};
#[doc(hidden)]
pub use slots::{Adjoint, Elements, Slots, cloned, copied, keep, release, saved};
pub use tangent::Tangent;
#[doc(hidden)]
pub use tangent::floats;
