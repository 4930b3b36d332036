//! Reads what stands in the attribute's parentheses.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::{Path, Token};

use crate::activity::Activity;

/// The parts of the attribute.
pub(super) struct Args {
    /// Activities of the parameters, and of the return value if there is one.
    pub(super) activities: Vec<(Activity, Span)>,
    pub(super) reverse: Option<Path>,
    pub(super) forward: Option<Path>,
    /// Path of the runtime crate.
    pub(super) krate: TokenStream,
    /// Where the attribute stands.
    pub(super) span: Span,
}

impl Parse for Args {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut args = Self {
            activities: Vec::new(),
            reverse: None,
            forward: None,
            krate: quote!(::autodiff),
            span: Span::call_site(),
        };
        while !input.is_empty() {
            args.read(input)?;
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        if args.reverse.is_none() && args.forward.is_none() {
            return Err(syn::Error::new(
                args.span,
                "no rule: write `reverse = function`, `forward = function` or both",
            ));
        }
        Ok(args)
    }
}

impl Args {
    fn read(&mut self, input: ParseStream<'_>) -> syn::Result<()> {
        let word = input.call(Ident::parse_any)?;
        if !input.peek(Token![=]) {
            return self.read_activity(&word);
        }
        input.parse::<Token![=]>()?;
        let path = input.parse::<syn::ExprPath>()?.path;
        match word.to_string().as_str() {
            "reverse" => self.reverse = Some(path),
            "forward" => self.forward = Some(path),
            "crate" => self.krate = path.to_token_stream(),
            _ => return Err(syn::Error::new(word.span(), "expected `reverse`, `forward` or `crate`")),
        }
        Ok(())
    }

    fn read_activity(&mut self, word: &Ident) -> syn::Result<()> {
        let activity = match word.to_string().as_str() {
            "Const" => Activity::Const,
            "Active" => Activity::Active,
            "Duplicated" => Activity::Duplicated,
            other => {
                let message = format!("unknown activity `{other}`; write `Const`, `Active` or `Duplicated`");
                return Err(syn::Error::new(word.span(), message));
            }
        };
        self.activities.push((activity, word.span()));
        Ok(())
    }
}
