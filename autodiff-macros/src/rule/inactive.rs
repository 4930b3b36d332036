//! Functions that have no derivative.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::parse::Parser;
use syn::{FnArg, ItemFn, ReturnType, Type};

use crate::errors::Errors;
use crate::primal::peel;
use crate::validate::find_reference;

/// The function with its body in a call of the runtime's `inactive`.
pub(crate) fn inactive(args: TokenStream, item: &TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let written = write(args, item, &mut errors);
    let errors = errors.to_tokens();
    match written {
        Some(written) if errors.is_empty() => written,
        _ => quote!(#item #errors),
    }
}

fn write(args: TokenStream, item: &TokenStream, errors: &mut Errors) -> Option<TokenStream> {
    let krate = match Parser::parse2(krate, args) {
        Ok(krate) => krate,
        Err(error) => {
            errors.push(error);
            return None;
        }
    };
    let function = syn::parse2::<ItemFn>(item.clone()).map_err(|error| errors.push(error)).ok()?;
    let signature = &function.sig;
    if let Some(token) = signature.constness.map(|it| it.span).or(signature.asyncness.map(|it| it.span)) {
        errors.at(token, "an inactive function cannot be `const` or `async`");
    }
    for input in &signature.inputs {
        let ty = match input {
            FnArg::Typed(typed) => peel(&typed.ty).clone(),
            FnArg::Receiver(receiver) => Type::Verbatim(quote!(#receiver)),
        };
        let is_mutable = matches!(&ty, Type::Reference(reference) if reference.mutability.is_some())
            || matches!(&ty, Type::Verbatim(tokens) if tokens.to_string().replace(' ', "").contains("&mut"));
        if is_mutable {
            errors.on(input, "an inactive function must not change its arguments: return the value");
        }
    }
    if let ReturnType::Type(_, ty) = &signature.output
        && let Some(span) = find_reference(ty)
    {
        errors.at(span, "an inactive function cannot return a reference; return the value");
    }
    let ItemFn { attrs, vis, sig, block, .. } = &function;
    let output = match &sig.output {
        ReturnType::Default => quote!(()),
        ReturnType::Type(_, ty) => quote!(#ty),
    };
    let call = quote_spanned!(proc_macro2::Span::mixed_site()=> #krate::__private::inactive_once);
    Some(quote! {
        #(#attrs)* #vis #sig {
            #call(move || -> #output #block)
        }
    })
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
