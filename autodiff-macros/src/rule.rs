//! Functions with derivatives written by hand.

mod args;
mod expand;
mod inactive;

use proc_macro2::TokenStream;
use quote::quote;
use syn::{ReturnType, Signature, Type};

use self::args::Args;
pub(crate) use self::inactive::inactive;
use crate::activity::Activity;
use crate::errors::Errors;
use crate::primal::{Form, Parameter, Primal, peel};
use crate::validate::find_reference;

/// The function, in a form in which the tool finds its rules, or as it was with errors.
pub(crate) fn custom_rule(args: TokenStream, item: &TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let written = write(args, item, &mut errors);
    let errors = errors.to_tokens();
    if let Some(written) = written { quote!(#written #errors) } else { quote!(#item #errors) }
}

fn write(args: TokenStream, item: &TokenStream, errors: &mut Errors) -> Option<TokenStream> {
    let args = match syn::parse2::<Args>(args) {
        Ok(args) => args,
        Err(error) => {
            errors.push(error);
            return None;
        }
    };
    let function = function(item, errors)?;
    let primal = syn::parse2::<Primal>(item.clone()).map_err(|error| errors.push(error)).ok()?;
    let parameters = primal.parameters();
    header(&primal, &function.sig, errors);
    activities(&args, &primal, &parameters, errors);
    errors.is_empty().then(|| expand::write(&args, &function, &primal, &parameters))
}

/// A function with its body.
fn function(item: &TokenStream, errors: &mut Errors) -> Option<syn::ItemFn> {
    match syn::parse2::<syn::ItemFn>(item.clone()) {
        Ok(function) => Some(function),
        Err(error) => {
            errors.at(error.span(), format!("a rule stands on a function with a body: {error}"));
            None
        }
    }
}

/// Checks what kind of function it is.
fn header(primal: &Primal, signature: &Signature, errors: &mut Errors) {
    if primal.is_associated {
        errors.on(
            &signature.ident,
            "a rule stands on a free function: move the body of the method to one, and call that",
        );
    }
    if let Some(token) = &signature.constness {
        errors.on(token, "a function with a rule cannot be `const`");
    }
    if let Some(token) = &signature.asyncness {
        errors.on(token, "a function with a rule cannot be `async`");
    }
    if let syn::Safety::Unsafe(token) = &signature.safety {
        errors.on(token, "a function with a rule cannot be `unsafe`: its rule would have to be as well");
    }
    if signature.abi.is_some() || signature.variadic.is_some() {
        errors.on(&signature.abi, "a function with a rule cannot be `extern`: let one call the other");
    }
    if let ReturnType::Type(_, ty) = &signature.output
        && let Some(span) = find_reference(ty)
    {
        errors.at(span, "a function with a rule cannot return a reference; return the number itself");
    }
}

/// Checks that there is an activity for each parameter and for the result, and that it fits.
fn activities(args: &Args, primal: &Primal, parameters: &[Parameter], errors: &mut Errors) {
    let results = usize::from(primal.output().is_some());
    let (expected, found) = (parameters.len() + results, args.activities.len());
    if expected != found {
        let returned = if results > 0 { ", and one for the return value" } else { "" };
        errors.at(
            args.span,
            format!(
                "expected {expected} activities, found {found}: one for each parameter{returned}: `Const`, `Active` or `Duplicated`"
            ),
        );
        return;
    }
    for (parameter, (activity, span)) in parameters.iter().zip(&args.activities) {
        input(parameter, *activity, *span, errors);
    }
    if let (Some(_), Some((Activity::Duplicated, span))) = (primal.output(), args.activities.last()) {
        errors.at(*span, "the return value is `Active` or `Const`");
    }
}

fn input(parameter: &Parameter, activity: Activity, span: proc_macro2::Span, errors: &mut Errors) {
    let name = &parameter.name;
    match (&parameter.form, activity) {
        (Form::Pointer { .. }, _) => {
            errors.at(span, format!("`{name}` is a raw pointer: let the function take a reference or slice"));
        }
        (Form::Value, _) if matches!(peel(&parameter.ty), Type::Reference(_)) => {
            errors.at(span, format!("`{name}` must be `&[T]`, `&T` of a type with a known size, or a value"));
        }
        (Form::Value, Activity::Duplicated) => {
            errors.at(span, format!("`{name}` is passed by value: write `Active` or `Const`"));
        }
        (Form::Slice { .. } | Form::Reference { .. }, Activity::Active) => {
            errors.at(span, format!("`{name}` is a reference: write `Duplicated` or `Const`"));
        }
        (Form::Slice { mutable: true, .. } | Form::Reference { mutable: true, .. }, Activity::Const) => {
            errors.at(span, format!("`{name}` is written to, so it must be `Duplicated`"));
        }
        _ => {}
    }
}
