//! `#[derive(KernelArgument)]`.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Data, DeriveInput, parse_quote};

use crate::errors::Errors;

/// The trait for a struct all of whose fields have it.
pub(crate) fn kernel_argument(item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let written = syn::parse2::<DeriveInput>(item)
        .map_err(|error| errors.push(error))
        .ok()
        .and_then(|input| write(&input, &mut errors));
    let errors = errors.to_tokens();
    quote!(#written #errors)
}

fn write(input: &DeriveInput, errors: &mut Errors) -> Option<TokenStream> {
    let krate = krate(input, errors)?;
    let Data::Struct(data) = &input.data else {
        errors.on(
            &input.ident,
            "only structs can derive it: pass an enum as a number, and a union's bytes as an array",
        );
        return None;
    };
    let site = Span::mixed_site();
    let mut generics = input.generics.clone();
    let clause = generics.make_where_clause();
    for parameter in input.generics.type_params() {
        let name = &parameter.ident;
        clause.predicates.push(parse_quote!(#name: #krate::offload::KernelArgument));
    }
    let checks = data.fields.iter().map(|field| {
        let ty = &field.ty;
        quote_spanned!(ty.span().resolved_at(site)=> #krate::offload::__private::assert_argument::<#ty>();)
    });
    let name = &input.ident;
    let (generics, arguments, clause) = generics.split_for_impl();
    Some(quote_spanned! {site=>
        // SAFETY: all fields are such values, as is checked below.
        unsafe impl #generics #krate::offload::KernelArgument for #name #arguments #clause {}
        const _: () = {
            #[allow(dead_code)]
            const fn __fields #generics () #clause {
                #(#checks)*
            }
        };
    })
}

/// Reads `#[autodiff(crate = path)]`.
fn krate(input: &DeriveInput, errors: &mut Errors) -> Option<TokenStream> {
    let attribute = input.attrs.iter().find(|attribute| attribute.path().is_ident("autodiff"));
    let Some(attribute) = attribute else { return Some(quote!(::autodiff)) };
    attribute.parse_args_with(super::krate).map_err(|error| errors.push(error)).ok()
}
