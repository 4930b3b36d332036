//! Kernels and their launches.

mod argument;
mod expand;
mod kernel;
mod launch;
mod parameter;

use proc_macro2::TokenStream;
use quote::quote;

pub(crate) use self::argument::kernel_argument;
pub(crate) use self::launch::offload;
use crate::errors::Errors;

/// The function as a kernel, or as it was with errors.
pub(crate) fn offload_kernel(args: TokenStream, item: &TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let written = kernel::read(args, item, &mut errors).map(|kernel| expand::write(&kernel));
    let errors = errors.to_tokens();
    // With errors, the function is still there, so that its uses are no errors as well.
    written.unwrap_or_else(|| quote!(#item #errors))
}

/// Reads `crate = path` or nothing.
fn krate(input: syn::parse::ParseStream<'_>) -> syn::Result<TokenStream> {
    if input.is_empty() {
        return Ok(quote!(::autodiff));
    }
    input.parse::<syn::Token![crate]>()?;
    input.parse::<syn::Token![=]>()?;
    let path: syn::Path = input.parse()?;
    Ok(quote!(#path))
}
