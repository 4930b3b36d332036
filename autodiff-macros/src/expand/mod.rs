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
    let parameters = primal.parameters();
    validate::function(&primal, &parameters, errors);
    validate::activities(mode, &args, &primal, &parameters, errors);
    if !errors.is_empty() {
        return placeholder(&args, &primal);
    }
    let derivative = Derivative::new(mode, &args, &primal, parameters);
    Some(body::write(&args, &primal, &derivative))
}

fn function(item: &TokenStream, errors: &mut Errors) -> Option<Primal> {
    match syn::parse2::<Primal>(item.clone()) {
        Ok(primal) if primal.has_body || primal.is_associated => Some(primal),
        Ok(primal) => {
            errors.at(
                primal.signature.ident.span(),
                "a function without a body cannot be differentiated; write the attribute where its body is",
            );
            None
        }
        Err(error) => {
            let is_function =
                item.clone().into_iter().any(|token| matches!(token, TokenTree::Ident(word) if word == "fn"));
            if is_function {
                errors.push(error);
            } else {
                let (span, found) = what(item);
                errors.at(
                    span,
                    format!("autodiff must be applied to a function, found {found}; write it on a `fn`"),
                );
            }
            None
        }
    }
}

/// What is annotated instead of a function, and where.
fn what(item: &TokenStream) -> (Span, String) {
    const ITEMS: [&str; 14] = [
        "struct",
        "enum",
        "union",
        "impl",
        "trait",
        "mod",
        "const",
        "static",
        "type",
        "use",
        "extern",
        "let",
        "macro_rules",
        "macro",
    ];
    let is_item =
        |token: &TokenTree| matches!(token, TokenTree::Ident(word) if ITEMS.iter().any(|item| word == item));
    let first = item.clone().into_iter().next();
    match item.clone().into_iter().find(is_item) {
        Some(word) => (word.span(), format!("`{word}`")),
        None => (first.map_or_else(Span::call_site, |token| token.span()), "an expression".to_owned()),
    }
}

/// Stands in for a derivative that cannot be made, so that its uses raise no errors of their own.
fn placeholder(args: &Args, primal: &Primal) -> Option<TokenStream> {
    // No type can be named that it would return.
    if primal.output().is_some_and(|output| validate::find_impl(output).is_some()) {
        return None;
    }
    let (attributes, visibility) = (&primal.attributes, &primal.visibility);
    let signature = header(args, primal);
    Some(quote! {
        #(#attributes)*
        #[doc = "Stands in for a derivative."]
        #[allow(unused_variables, unused_mut)]
        #visibility #signature { ::core::panic!("its attribute is wrong") }
    })
}

/// The header of the primal with the derivative's name.
fn header(args: &Args, primal: &Primal) -> Signature {
    let mut signature = primal.signature.clone();
    signature.ident = args.name.clone();
    signature.constness = None;
    signature.asyncness = None;
    signature.variadic = None;
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
