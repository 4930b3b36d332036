//! Attribute macros of [`autodiff-runtime`](https://docs.rs/autodiff-runtime).
//!
//! A macro turns an attribute and a function into the same function and its derivative. The steps
//! have a file each: read the attribute (`args`) and the function (`primal`), check one against the
//! other (`validate`), compute what the derivative looks like (`signature`), write it (`expand`).

mod activity;
mod args;
mod errors;
mod expand;
mod primal;
mod signature;
mod validate;

use activity::Mode;

/// Generates the forward-mode derivative of a function.
#[proc_macro_attribute]
pub fn autodiff_forward(
    args: proc_macro::TokenStream,
    item: proc_macro::TokenStream,
) -> proc_macro::TokenStream {
    expand::attribute(Mode::Forward, args.into(), &item.into()).into()
}

/// Generates the reverse-mode derivative of a function.
#[proc_macro_attribute]
pub fn autodiff_reverse(
    args: proc_macro::TokenStream,
    item: proc_macro::TokenStream,
) -> proc_macro::TokenStream {
    expand::attribute(Mode::Reverse, args.into(), &item.into()).into()
}
