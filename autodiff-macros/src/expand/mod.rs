//! From an attribute and a function to tokens.

mod argument;
mod body;
mod output;
#[cfg(test)]
mod tests;

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{ReturnType, Safety, Signature};

use crate::activity::Mode;
use crate::args::{self, Args};
use crate::errors::Errors;
use crate::primal::Primal;
use crate::signature::Derivative;
use crate::validate;

/// The function as it was, followed by its derivative or by errors.
pub(crate) fn attribute(mode: Mode, args: TokenStream, item: &TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let derivative = derivative(mode, args, item, &mut errors);
    let errors = errors.to_tokens();
    quote!(#item #derivative #errors)
}

fn derivative(mode: Mode, args: TokenStream, item: &TokenStream, errors: &mut Errors) -> Option<TokenStream> {
    let primal = function(item, errors)?;
    let args = args::parse(mode, args, errors)?;
    let parameters = primal.parameters(errors);
    validate::function(&primal, &parameters, errors);
    if !errors.is_empty() {
        return None;
    }
    let counted = validate::activities(mode, &args, &primal, &parameters, errors);
    if !counted || !errors.is_empty() {
        return Some(placeholder(&args, &primal));
    }
    let derivative = Derivative::new(mode, &args, &primal, parameters);
    Some(body::write(&args, &primal, &derivative))
}

fn function(item: &TokenStream, errors: &mut Errors) -> Option<Primal> {
    match syn::parse2::<Primal>(item.clone()) {
        Ok(primal) if primal.has_body || primal.is_associated() => Some(primal),
        Ok(primal) => {
            errors.at(primal.signature.ident.span(), "a function without a body cannot be differentiated");
            None
        }
        Err(error) => {
            let is_function =
                item.clone().into_iter().any(|token| matches!(token, TokenTree::Ident(word) if word == "fn"));
            if is_function {
                errors.push(error);
            } else {
                let span = item.clone().into_iter().next().map_or_else(Span::call_site, |token| token.span());
                errors.at(span, "autodiff must be applied to a function");
            }
            None
        }
    }
}

/// Stands in for a derivative that cannot be made, so that its uses raise no errors of their own.
fn placeholder(args: &Args, primal: &Primal) -> TokenStream {
    let visibility = &primal.visibility;
    let signature = header(args, primal);
    quote! {
        #[doc = "Stands in for a derivative."]
        #[allow(unused_variables, unused_mut)]
        #visibility #signature { ::core::panic!("its attribute is wrong") }
    }
}

/// The header of the primal with the derivative's name.
fn header(args: &Args, primal: &Primal) -> Signature {
    let mut signature = primal.signature.clone();
    signature.ident = args.name.clone();
    signature.constness = None;
    signature.asyncness = None;
    signature
}

/// The derivative's header.
fn derivative_header(args: &Args, primal: &Primal, derivative: &Derivative) -> TokenStream {
    let visibility = &primal.visibility;
    let mut signature = header(args, primal);
    signature.output = ReturnType::Default;
    if derivative.is_unsafe() && !matches!(signature.safety, Safety::Unsafe(_)) {
        signature.safety = Safety::Unsafe(syn::token::Unsafe(args.name.span()));
    }
    let Signature { safety, abi, fn_token, ident, mut generics, .. } = signature;
    let constraints = generics.where_clause.take();
    let inputs = derivative.inputs();
    let result = derivative.result();
    let result = (result.to_string() != "()").then(|| quote!(-> #result));
    let safety = safety.to_token_stream();
    quote!(#visibility #safety #abi #fn_token #ident #generics (#(#inputs),*) #result #constraints)
}
