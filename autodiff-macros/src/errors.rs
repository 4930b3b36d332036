//! Mistakes found so far: all of them are reported, not only the first.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::ToTokens;

/// Collects errors.
#[derive(Default)]
pub(crate) struct Errors(Option<syn::Error>);

impl Errors {
    /// Adds an error at a place.
    pub(crate) fn at(&mut self, span: Span, message: impl std::fmt::Display) {
        self.push(syn::Error::new(span, message));
    }

    /// Adds an error about a piece of source, all of which is underlined.
    pub(crate) fn on(&mut self, source: impl ToTokens, message: impl std::fmt::Display) {
        self.push(syn::Error::new_spanned(source, message));
    }

    /// The same for loose tokens.
    pub(crate) fn on_tokens(&mut self, source: &[TokenTree], message: impl std::fmt::Display) {
        self.on(source.iter().cloned().collect::<TokenStream>(), message);
    }

    /// Adds an error.
    pub(crate) fn push(&mut self, error: syn::Error) {
        match &mut self.0 {
            Some(all) => all.combine(error),
            none => *none = Some(error),
        }
    }

    /// Whether nothing has gone wrong.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Tokens that make the compiler report everything.
    pub(crate) fn to_tokens(&self) -> TokenStream {
        self.0.as_ref().map(syn::Error::to_compile_error).unwrap_or_default()
    }

    /// What has gone wrong, as text.
    #[cfg(test)]
    pub(crate) fn messages(&self) -> Vec<String> {
        self.0.iter().flat_map(|all| all.clone().into_iter().map(|error| error.to_string())).collect()
    }
}
