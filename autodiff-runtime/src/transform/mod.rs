//! Derivatives of closures.

pub(crate) mod call;
mod derivative;
mod directional;
mod gradient;
mod hessian;
mod hvp;
mod jacobian;
mod jvp;
pub(crate) mod sparse;
mod vjp;

pub(crate) use call::WIDTH;
pub use derivative::{derivative, value_and_derivative};
pub use directional::{
    directional_derivatives, directional_second, try_directional_derivatives, try_directional_second,
};
pub(crate) use gradient::add as add_gradient;
pub use gradient::{gradient, gradient_into, try_gradient_into, value_and_gradient};
pub use hessian::{Hessian, hessian, hessian_into, try_hessian_into};
pub use hvp::{gradient_and_hvp, hvp, hvp_into, try_gradient_and_hvp, try_hvp, try_hvp_into};
pub use jacobian::{Jacobian, jacobian, jacobian_into, try_jacobian_into, value_and_jacobian};
pub use jvp::{jvp, jvp_into, try_jvp, try_jvp_into};
pub use vjp::{Pullback, vjp};

/// Which function of this module was called, for messages.
pub(crate) trait Transform {
    /// What to call the function that was passed.
    const NAME: &'static str;
    /// What to say if its value does not fit.
    const MISFIT: &'static str;
}

macro_rules! transforms {
    ($($marker:ident: $name:literal;)*) => {
        $(
            pub(crate) enum $marker {}
            impl Transform for $marker {
                const NAME: &'static str = concat!("a closure passed to `", $name, "`");
                const MISFIT: &'static str = concat!(
                    "a closure passed to `", $name, "` returned a value of another shape than the buffer for it"
                );
            }
        )*
    };
}

transforms! {
    Gradient: "gradient";
    ValueAndGradient: "value_and_gradient";
    GradientInto: "gradient_into";
    Derivative: "derivative";
    ValueAndDerivative: "value_and_derivative";
    Directional: "directional_derivatives";
    Jvp: "jvp";
    JvpInto: "jvp_into";
    Vjp: "vjp";
    JacobianOf: "jacobian";
    Hvp: "hvp";
    HessianOf: "hessian";
    SparseJacobian: "sparse::jacobian";
    SparseHessian: "sparse::hessian";
    ParallelGradient: "parallel::gradient";
    ParallelValueAndGradient: "parallel::value_and_gradient";
}
