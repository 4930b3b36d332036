//! `#[derive(Differentiable)]`: a type's description of itself. Its tangents are in `tangent`.

use proc_macro2::{Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote};
use syn::{Attribute, Data, DataEnum, DeriveInput, Field, Fields, Member, Path, Type, Variant};

use crate::errors::Errors;
use crate::tangent;

/// The parts of an implementation.
struct Description {
    layout: TokenStream,
    is_shaped: TokenStream,
    /// The types inside.
    parts: Vec<Type>,
    difference: TokenStream,
    /// Statements that list what is owned, and an expression that compares it.
    owned: TokenStream,
    owns_only: TokenStream,
}

/// The implementation, or errors.
pub(crate) fn differentiable(item: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let input = match syn::parse2::<DeriveInput>(item) {
        Ok(input) => input,
        Err(error) => return error.to_compile_error(),
    };
    let runtime = runtime(&input, &mut errors);
    check_fields(&input, &mut errors);
    let private = quote!(#runtime::__private);
    let description = match &input.data {
        Data::Struct(data) => structure(&private, &input, &data.fields),
        Data::Enum(data) => choice(&private, &input.ident, data),
        Data::Union(data) => {
            let fields = data.fields.named.iter().map(|field| {
                let layout = layout(&private, &input.ident, field);
                quote!(#private::Field::new(0, #layout))
            });
            let fields = quote!(const { &[#(#fields),*] });
            Description {
                layout: quote!(#private::Layout::union(::core::mem::size_of::<Self>(), #fields)),
                is_shaped: quote!(false),
                parts: types(&input.ident, &data.fields.named),
                difference: quote!(::core::option::Option::None),
                owned: TokenStream::new(),
                owns_only: quote!(true),
            }
        }
    };
    let implementation = implementation(&private, &input, &description);
    let tangent =
        if errors.is_empty() { tangent::implementation(&runtime, &input) } else { TokenStream::new() };
    let errors = errors.to_tokens();
    quote!(#implementation #tangent #errors)
}

fn implementation(private: &TokenStream, input: &DeriveInput, description: &Description) -> TokenStream {
    let Description { layout, is_shaped, parts, difference, owned, owns_only } = description;
    let mut generics = input.generics.clone();
    for parameter in generics.type_params_mut() {
        parameter.bounds.push(syn::parse_quote!(#private::Describe));
    }
    let (parameters, arguments, constraints) = generics.split_for_impl();
    let name = &input.ident;
    quote! {
        #[automatically_derived]
        impl #parameters #private::Describe for #name #arguments #constraints {
            const LAYOUT: &'static #private::Layout = {
                #[allow(unused_imports)]
                use #private::NoLayout as _;
                &#layout
            };
            const SHAPED: ::core::primitive::bool = {
                #[allow(unused_imports)]
                use #private::NoLayout as _;
                #is_shaped
            };
            const FLOATS: ::core::primitive::bool = {
                #[allow(unused_imports)]
                use #private::NoLayout as _;
                false #(|| #private::Probe::<#parts>::FLOATS)*
            };
            const SHARED: ::core::primitive::bool = {
                #[allow(unused_imports)]
                use #private::NoLayout as _;
                false #(|| #private::Probe::<#parts>::SHARED)*
            };
            #[inline]
            #[allow(unused_variables, unreachable_patterns)]
            fn difference(&self, shadow: &Self) -> ::core::option::Option<#private::Difference> {
                #[allow(unused_imports)]
                use #private::NoLayout as _;
                #difference
            }
            #[allow(unused_variables, unreachable_patterns)]
            fn owned(&self, addresses: &mut #private::Addresses) {
                #[allow(unused_imports)]
                use #private::NoLayout as _;
                #owned
            }
            #[allow(unused_variables, unreachable_patterns)]
            fn owns_only(&self, addresses: &[::core::primitive::usize]) -> ::core::primitive::bool {
                #[allow(unused_imports)]
                use #private::NoLayout as _;
                #owns_only
            }
        }
    }
}

fn structure(private: &TokenStream, input: &DeriveInput, fields: &Fields) -> Description {
    let entries = fields.members().zip(fields).map(|(member, field)| {
        let layout = layout(private, &input.ident, field);
        quote!(#private::Field::new(::core::mem::offset_of!(Self, #member), #layout))
    });
    let entries = quote!(const { &[#(#entries),*] });
    let is_packed = is_packed(input);
    let compared = fields.members().zip(fields).filter(|(_, field)| !is_packed && !is_skipped(field));
    let (members, compared): (Vec<Member>, Vec<&Field>) = compared.unzip();
    let differences = members.iter().zip(&compared).map(|(member, field)| {
        let ty = &field.ty;
        quote!(.or_else(|| #private::Probe::<#ty>::difference(&self.#member, &shadow.#member)))
    });
    let borrowed: Vec<&Type> = compared.iter().map(|field| &field.ty).collect();
    Description {
        layout: quote!(#private::Layout::structure(::core::mem::size_of::<Self>(), #entries)),
        is_shaped: any_shaped(private, &input.ident, &compared),
        parts: types(&input.ident, fields),
        difference: quote!(::core::option::Option::None #(#differences)*),
        owned: quote!(#(#private::Probe::<#borrowed>::owned(&self.#members, addresses);)*),
        owns_only: quote!(true #(&& #private::Probe::<#borrowed>::owns_only(&self.#members, addresses))*),
    }
}

/// Where the fields of a variant lie cannot be asked, so an enum with fields has no layout.
fn choice(private: &TokenStream, name: &Ident, data: &DataEnum) -> Description {
    let size = quote!(::core::mem::size_of::<Self>());
    if data.variants.iter().all(|variant| variant.fields.is_empty()) {
        return Description {
            layout: quote!(#private::Layout::integer(#size)),
            is_shaped: quote!(false),
            parts: Vec::new(),
            difference: quote!(::core::option::Option::None),
            owned: TokenStream::new(),
            owns_only: quote!(true),
        };
    }
    let arms = data.variants.iter().map(|variant| arm(private, variant));
    let owned = data.variants.iter().map(|variant| {
        let (pattern, fields) = pattern(variant);
        let statements =
            fields.iter().map(|(name, ty)| quote!(#private::Probe::<#ty>::owned(#name, addresses);));
        quote!(#pattern => { #(#statements)* })
    });
    let owns_only = data.variants.iter().map(|variant| {
        let (pattern, fields) = pattern(variant);
        let parts =
            fields.iter().map(|(name, ty)| quote!(&& #private::Probe::<#ty>::owns_only(#name, addresses)));
        quote!(#pattern => true #(#parts)*,)
    });
    Description {
        layout: quote!(#private::Layout::unknown(#size)),
        is_shaped: quote!(true),
        parts: types(name, data.variants.iter().flat_map(|variant| &variant.fields)),
        difference: quote! {
            match (self, shadow) {
                #(#arms)*
                _ => ::core::option::Option::Some(#private::Difference::Variant),
            }
        },
        owned: quote!(match self { #(#owned)* _ => {} }),
        owns_only: quote!(match self { #(#owns_only)* _ => true }),
    }
}

/// A pattern for a variant, and the names and types that it binds.
fn pattern(variant: &Variant) -> (TokenStream, Vec<(Ident, &Type)>) {
    let name = &variant.ident;
    let fields = variant.fields.members().zip(&variant.fields).enumerate();
    let fields = fields.filter(|(_, (_, field))| !is_skipped(field));
    let (members, bound): (Vec<Member>, Vec<_>) = fields
        .map(|(index, (member, field))| {
            (member, (format_ident!("part_{index}", span = Span::mixed_site()), &field.ty))
        })
        .unzip();
    let names = bound.iter().map(|(name, _)| name);
    (quote!(Self::#name { #(#members: #names,)* .. }), bound)
}

fn arm(private: &TokenStream, variant: &Variant) -> TokenStream {
    let (name, fields) = (&variant.ident, &variant.fields);
    let members: Vec<Member> = fields.members().collect();
    let bind = |prefix: &str| -> Vec<Ident> {
        let bind = |index| format_ident!("{prefix}_{index}", span = Span::mixed_site());
        (0..members.len()).map(bind).collect()
    };
    let (ours, theirs) = (bind("primal"), bind("shadow"));
    let differences =
        fields.iter().zip(ours.iter().zip(&theirs)).filter(|(field, _)| !is_skipped(field)).map(
            |(field, (ours, theirs))| {
                let ty = &field.ty;
                quote!(.or_else(|| #private::Probe::<#ty>::difference(#ours, #theirs)))
            },
        );
    quote! {
        (Self::#name { #(#members: #ours),* }, Self::#name { #(#members: #theirs),* }) => {
            ::core::option::Option::None #(#differences)*
        }
    }
}

/// Whether the fields of a struct cannot be borrowed.
pub(crate) fn is_packed(input: &DeriveInput) -> bool {
    input.attrs.iter().any(|attribute| {
        attribute.path().is_ident("repr") && attribute.meta.to_token_stream().to_string().contains("packed")
    })
}

/// The layout of a field. One that leads back to the type itself has none: it would have no end.
fn layout(private: &TokenStream, owner: &Ident, field: &Field) -> TokenStream {
    if is_open(owner, field) {
        return quote!(::core::ptr::null());
    }
    let ty = &field.ty;
    quote!(#private::Probe::<#ty>::LAYOUT)
}

/// Whether nothing is said of a field's bytes.
fn is_open(owner: &Ident, field: &Field) -> bool {
    is_skipped(field) || leads_back(owner, field)
}

/// Whether a field's type names the type that it is a field of.
pub(crate) fn leads_back(owner: &Ident, field: &Field) -> bool {
    mentions(owner, field.ty.to_token_stream())
}

/// Whether `#[autodiff(skip)]` stands on a field.
pub(crate) fn is_skipped(field: &Field) -> bool {
    field.attrs.iter().any(is_ours)
}

/// Whether an attribute is the derive's.
fn is_ours(attribute: &Attribute) -> bool {
    attribute.path().is_ident("autodiff")
}

/// The types of fields, but for those of which nothing is said.
fn types<'a>(owner: &Ident, fields: impl IntoIterator<Item = &'a Field>) -> Vec<Type> {
    fields.into_iter().filter(|field| !is_open(owner, field)).map(|field| field.ty.clone()).collect()
}

fn any_shaped(private: &TokenStream, owner: &Ident, fields: &[&Field]) -> TokenStream {
    if fields.iter().any(|field| leads_back(owner, field)) {
        return quote!(true);
    }
    let types = fields.iter().map(|field| &field.ty);
    quote!(false #(|| #private::Probe::<#types>::SHAPED)*)
}

fn mentions(owner: &Ident, tokens: TokenStream) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Group(group) => mentions(owner, group.stream()),
        TokenTree::Ident(ident) => ident == *owner || ident == "Self",
        _ => false,
    })
}

/// Reports whatever else than `skip` stands in a field's attribute.
fn check_fields(input: &DeriveInput, errors: &mut Errors) {
    let fields: Vec<&Field> = match &input.data {
        Data::Struct(data) => data.fields.iter().collect(),
        Data::Enum(data) => data.variants.iter().flat_map(|variant| &variant.fields).collect(),
        Data::Union(data) => data.fields.named.iter().collect(),
    };
    let attributes = fields.iter().flat_map(|field| &field.attrs);
    for attribute in attributes.filter(|attribute| is_ours(attribute)) {
        let parsed = attribute.parse_nested_meta(|meta| {
            if meta.path.is_ident("skip") { Ok(()) } else { Err(meta.error("expected `skip`")) }
        });
        if let Err(error) = parsed {
            errors.push(error);
        }
    }
}

/// The path of the runtime crate: `#[autodiff(crate = path)]` tells it.
fn runtime(input: &DeriveInput, errors: &mut Errors) -> TokenStream {
    let mut runtime = quote!(::autodiff);
    for attribute in input.attrs.iter().filter(|attribute| is_ours(attribute)) {
        let parsed = attribute.parse_nested_meta(|meta| {
            if !meta.path.is_ident("crate") {
                return Err(meta.error("expected `crate = path::of::autodiff`"));
            }
            runtime = meta.value()?.parse::<Path>()?.to_token_stream();
            Ok(())
        });
        if let Err(error) = parsed {
            errors.push(error);
        }
    }
    runtime
}
