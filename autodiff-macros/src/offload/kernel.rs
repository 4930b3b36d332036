//! Reads a kernel: a free function whose parameters can travel.

use proc_macro2::{Ident, TokenStream};
use quote::ToTokens;
use syn::parse::Parser;
use syn::{GenericParam, Generics, ItemFn, ReturnType, Type, WherePredicate};

use super::parameter::{Parameter, is_callable};
use crate::errors::Errors;
use crate::primal::{Primal, is_unit};

/// A kernel.
pub(super) struct Kernel {
    pub(super) function: ItemFn,
    pub(super) parameters: Vec<Parameter>,
    /// Type parameters that are called.
    pub(super) closures: Vec<Ident>,
    /// Path of the runtime crate.
    pub(super) krate: TokenStream,
}

/// Reads the attribute and the function. Whatever is wrong is in `errors`.
pub(super) fn read(args: TokenStream, item: &TokenStream, errors: &mut Errors) -> Option<Kernel> {
    let krate = Parser::parse2(super::krate, args).map_err(|error| errors.push(error)).ok()?;
    let function = match syn::parse2::<ItemFn>(item.clone()) {
        Ok(function) => function,
        Err(error) => {
            errors.at(error.span(), format!("a kernel is a function with a body: {error}"));
            return None;
        }
    };
    let is_associated = syn::parse2::<Primal>(item.clone()).is_ok_and(|primal| primal.is_associated);
    header(&function, is_associated, errors);
    let closures = closures(&function.sig.generics);
    let is_unsafe = matches!(function.sig.safety, syn::Safety::Unsafe(_));
    let inputs = function.sig.inputs.iter().enumerate();
    let parameters = inputs
        .filter_map(|(index, input)| Parameter::read(index, input, &closures, is_unsafe, errors))
        .collect();
    errors.is_empty().then_some(Kernel { function, parameters, closures, krate })
}

/// Checks what kind of function it is.
fn header(function: &ItemFn, is_associated: bool, errors: &mut Errors) {
    let signature = &function.sig;
    if is_associated && signature.receiver().is_none() {
        errors.on(
            &signature.ident,
            "a kernel is a free function: move it out of the `impl`, and write the type for `Self`",
        );
    }
    if let Some(token) = &signature.constness {
        errors.on(token, "a kernel cannot be `const`");
    }
    if let Some(token) = &signature.asyncness {
        errors.on(token, "a kernel cannot be `async`: a launch waits for it, or puts it in a `Queue`");
    }
    if signature.abi.is_some() {
        errors.on(&signature.abi, "a kernel cannot be `extern`");
    }
    if let Some(variadic) = &signature.variadic {
        errors.on(variadic, "a kernel takes a fixed number of arguments");
    }
    if let ReturnType::Type(_, ty) = &signature.output
        && !is_unit(ty)
    {
        errors.on(
            ty,
            "a kernel returns nothing: let each thread write its result to its part of a `Disjoint<'_, T>`",
        );
    }
}

/// Type parameters with a bound such as `Fn(f32) -> f32`, in the brackets or behind `where`.
fn closures(generics: &Generics) -> Vec<Ident> {
    let bounded = generics.params.iter().filter_map(|parameter| match parameter {
        GenericParam::Type(ty) if ty.bounds.iter().any(is_callable) => Some(ty.ident.clone()),
        _ => None,
    });
    let predicates = generics.where_clause.iter().flat_map(|clause| &clause.predicates);
    let further = predicates.filter_map(|predicate| match predicate {
        WherePredicate::Type(predicate) if predicate.bounds.iter().any(is_callable) => {
            name(&predicate.bounded_ty)
        }
        _ => None,
    });
    bounded.chain(further).collect()
}

fn name(ty: &Type) -> Option<Ident> {
    syn::parse2(ty.to_token_stream()).ok()
}
