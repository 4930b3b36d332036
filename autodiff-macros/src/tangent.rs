//! `#[derive(Differentiable)]`: a type's tangents, which are values of the type itself.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};
use syn::{Data, DeriveInput, Field, Fields, Generics, Member, Type};

use crate::derive::{is_packed, is_skipped, leads_back};

/// One variant of an enum, or a struct.
struct Variant<'a> {
    /// `Self` or `Self::Name`.
    path: TokenStream,
    fields: Vec<Part<'a>>,
}

/// A field and the names it is bound to.
struct Part<'a> {
    field: &'a Field,
    member: Member,
    ours: Ident,
    theirs: Ident,
}

impl<'a> Variant<'a> {
    fn new(path: TokenStream, fields: &'a Fields) -> Self {
        let fields = fields.members().zip(fields).enumerate().map(|(index, (member, field))| {
            let bind = |prefix: &str| format_ident!("{prefix}_{index}", span = Span::mixed_site());
            Part { field, member, ours: bind("ours"), theirs: bind("theirs") }
        });
        Self { path, fields: fields.collect() }
    }

    /// The fields that have floats.
    fn active(&self) -> impl Iterator<Item = &Part<'a>> {
        self.fields.iter().filter(|part| !is_skipped(part.field))
    }

    /// A pattern that binds the active fields to names.
    fn pattern(&self, name: impl Fn(&Part<'a>) -> Ident) -> TokenStream {
        let path = &self.path;
        let bindings = self.active().map(|part| {
            let (member, name) = (&part.member, name(part));
            quote!(#member: #name,)
        });
        quote!(#path { #(#bindings)* .. })
    }
}

/// The implementation of the trait, or nothing for what has no tangents: unions, and structs whose
/// fields cannot be borrowed. It holds if the fields have tangents, so the derive is of use without.
pub(crate) fn implementation(runtime: &TokenStream, input: &DeriveInput) -> TokenStream {
    let variants: Vec<Variant<'_>> = match &input.data {
        Data::Struct(_) if is_packed(input) => return TokenStream::new(),
        Data::Struct(data) => vec![Variant::new(quote!(Self), &data.fields)],
        Data::Enum(data) => {
            let variant = |variant: &'_ syn::Variant| variant.ident.clone();
            let path = data.variants.iter().map(variant).map(|name| quote!(Self::#name));
            path.zip(&data.variants).map(|(path, variant)| Variant::new(path, &variant.fields)).collect()
        }
        Data::Union(_) => return TokenStream::new(),
    };
    let trait_ = quote!(#runtime::Differentiable);
    let generics = generics(runtime, input, &variants);
    let (parameters, _, constraints) = generics.split_for_impl();
    let (_, arguments, _) = input.generics.split_for_impl();
    let name = &input.ident;
    let types = types(runtime, input, &variants);
    let methods = methods(&trait_, &variants);
    quote! {
        #[automatically_derived]
        impl #parameters #trait_ for #name #arguments #constraints {
            #types
            #methods
        }
    }
}

/// The type's own parameters, which must be differentiable, and what is asked of the fields. Bounds
/// with a lifetime of their own may be false: then there is no implementation, and no error.
fn generics(runtime: &TokenStream, input: &DeriveInput, variants: &[Variant<'_>]) -> Generics {
    let mut generics = input.generics.clone();
    for parameter in generics.type_params_mut() {
        parameter.bounds.push(syn::parse_quote!(#runtime::Differentiable));
    }
    let constraints = generics.make_where_clause();
    for field in variants.iter().flat_map(|variant| &variant.fields).map(|part| part.field) {
        if is_skipped(field) || !leads_back(&input.ident, field) {
            let ty = &field.ty;
            constraints
                .predicates
                .push(syn::parse_quote!(for<'__part> #ty: #runtime::__private::Part<'__part>));
        }
    }
    generics
}

/// The associated types and constants.
fn types(runtime: &TokenStream, input: &DeriveInput, variants: &[Variant<'_>]) -> TokenStream {
    let fields = || variants.iter().flat_map(|variant| &variant.fields).map(|part| part.field);
    // What skipped fields hold must be zero in tangents, and what lies behind a field that leads back
    // to the type cannot be asked here: it would have no end.
    let (open, plain): (Vec<&Field>, Vec<&Field>) =
        fields().partition(|field| is_skipped(field) || leads_back(&input.ident, field));
    let (is_open, plain): (bool, Vec<&Type>) =
        (!open.is_empty(), plain.iter().map(|field| &field.ty).collect());
    let differentiable = quote!(#runtime::Differentiable);
    let wider = plain
        .iter()
        .rev()
        .fold(quote!(__Scalar), |wider, ty| quote!(<#ty as #differentiable>::__Wider<#wider>));
    quote! {
        type View = Self;
        type Scalar = <Self as #differentiable>::__Wider<::core::primitive::f32>;
        type __Wider<__Scalar: #runtime::Scalar> = #wider;
        const __FRESH: ::core::primitive::bool = #is_open #(|| <#plain as #differentiable>::__FRESH)*;
    }
}

fn methods(trait_: &TokenStream, variants: &[Variant<'_>]) -> TokenStream {
    let zero = variants.iter().map(|variant| zero(trait_, variant));
    let zeroed = if variants.is_empty() { quote!(*self) } else { quote!(self) };
    let update = variants.iter().map(|variant| {
        let (pattern, names) =
            (variant.pattern(|part| part.ours.clone()), variant.active().map(|part| &part.ours));
        quote!(#pattern => { #(#trait_::__update(#names, new);)* })
    });
    let pairs = both(variants, |ours, theirs| quote!(#trait_::__pairs(#ours, #theirs, visit)));
    let update_with = both(variants, |ours, theirs| quote!(#trait_::__update_with(#ours, #theirs, new)));
    let number = quote!(::core::primitive::f64);
    quote! {
        fn zero_tangent(&self) -> Self {
            match #zeroed { #(#zero)* }
        }
        #[inline]
        fn __view(&self) -> &Self {
            self
        }
        #[inline]
        fn __view_mut(&mut self) -> &mut Self {
            self
        }
        #[allow(unused_variables, unreachable_patterns)]
        fn __pairs(&self, other: &Self, visit: &mut impl ::core::ops::FnMut(#number, #number)) {
            match (self, other) { #(#pairs)* _ => {} }
        }
        #[allow(unused_variables, unreachable_patterns)]
        fn __update(&mut self, new: &mut impl ::core::ops::FnMut(#number) -> #number) {
            match self { #(#update)* _ => {} }
        }
        #[allow(unused_variables, unreachable_patterns)]
        fn __update_with(
            &mut self,
            other: &Self,
            new: &mut impl ::core::ops::FnMut(#number, #number) -> #number,
        ) {
            match (self, other) { #(#update_with)* _ => {} }
        }
    }
}

/// A match arm that makes the zero tangent of a variant.
fn zero(trait_: &TokenStream, variant: &Variant<'_>) -> TokenStream {
    let path = &variant.path;
    let (members, names): (Vec<&Member>, Vec<&Ident>) =
        variant.fields.iter().map(|part| (&part.member, &part.ours)).unzip();
    quote!(#path { #(#members: #names),* } => #path { #(#members: #trait_::zero_tangent(#names)),* },)
}

/// Match arms for two values of the same variant: `act` on each pair of active fields.
fn both(variants: &[Variant<'_>], act: impl Fn(&Ident, &Ident) -> TokenStream) -> Vec<TokenStream> {
    let arm = |variant: &Variant<'_>| {
        let (ours, theirs) =
            (variant.pattern(|part| part.ours.clone()), variant.pattern(|part| part.theirs.clone()));
        let acts = variant.active().map(|part| act(&part.ours, &part.theirs));
        quote!((#ours, #theirs) => { #(#acts;)* })
    };
    variants.iter().map(arm).collect()
}
