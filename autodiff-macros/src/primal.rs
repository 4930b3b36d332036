//! Reads the annotated function. Its body stays a heap of tokens: it may be half-typed.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::parse::{Parse, ParseStream};
use syn::{
    Attribute, FnArg, GenericParam, Pat, PointerMutability, ReceiverKind, ReturnType, Signature, Type,
    Visibility,
};

use crate::errors::Errors;

/// The annotated function, without its body.
pub(crate) struct Primal {
    pub(crate) visibility: Visibility,
    pub(crate) signature: Signature,
    pub(crate) has_body: bool,
}

impl Parse for Primal {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        Attribute::parse_outer(input)?;
        let (visibility, signature) = (input.parse()?, input.parse()?);
        let has_body = input.peek(syn::token::Brace);
        input.parse::<TokenStream>()?;
        Ok(Self { visibility, signature, has_body })
    }
}

/// How a parameter travels to the shim.
#[derive(Clone)]
pub(crate) enum Form {
    /// `&[T]`, `&mut [T]`: pointer and length.
    Slice { element: Type, mutable: bool },
    /// `&T`, `&mut T`: the pointer.
    Reference { target: Type, mutable: bool },
    /// `*const T`, `*mut T`: the pointer.
    Pointer { target: Type },
    /// Anything else: a pointer to a copy on the stack.
    Value,
}

/// A parameter of the primal.
#[derive(Clone)]
pub(crate) struct Parameter {
    /// How the derivative's body names it: an identifier or `self`.
    pub(crate) binding: TokenStream,
    /// Base of its shadows' names.
    pub(crate) name: Ident,
    pub(crate) ty: Type,
    pub(crate) form: Form,
    /// As the derivative declares it.
    pub(crate) declaration: TokenStream,
}

impl Parameter {
    /// Whether it is written as a reference or raw pointer.
    pub(crate) fn is_indirect(&self) -> bool {
        matches!(peel(&self.ty), Type::Reference(_) | Type::Ptr(_))
    }

    pub(crate) fn is_slice(&self) -> bool {
        matches!(self.form, Form::Slice { .. })
    }
}

impl Primal {
    /// The type written after `->`, unless it is `()`.
    pub(crate) fn output(&self) -> Option<&Type> {
        match &self.signature.output {
            ReturnType::Type(_, ty) if !is_unit(ty) => Some(ty),
            _ => None,
        }
    }

    /// Whether `-> ()` is written out.
    pub(crate) fn writes_unit(&self) -> bool {
        matches!(&self.signature.output, ReturnType::Type(_, ty) if is_unit(ty))
    }

    /// The parameters; those that cannot be handled are reported and left out.
    pub(crate) fn parameters(&self, errors: &mut Errors) -> Vec<Parameter> {
        self.signature.inputs.iter().filter_map(|input| parameter(input, errors)).collect()
    }

    /// Whether it is known to stand in an `impl` or a trait.
    pub(crate) fn is_associated(&self) -> bool {
        self.signature.receiver().is_some()
            || mentions_self(self.signature.inputs.to_token_stream())
            || mentions_self(self.signature.output.to_token_stream())
    }

    /// The path of the function, with its generic arguments.
    pub(crate) fn path(&self) -> TokenStream {
        let name = &self.signature.ident;
        let arguments: Vec<_> = self
            .signature
            .generics
            .params
            .iter()
            .filter_map(|parameter| match parameter {
                GenericParam::Type(ty) => Some(&ty.ident),
                GenericParam::Const(constant) => Some(&constant.ident),
                GenericParam::Lifetime(_) => None,
            })
            .collect();
        let owner = self.is_associated().then(|| quote!(Self::));
        let arguments = (!arguments.is_empty()).then(|| quote!(::<#(#arguments),*>));
        quote!(#owner #name #arguments)
    }
}

fn mentions_self(tokens: TokenStream) -> bool {
    tokens.into_iter().any(|token| match token {
        proc_macro2::TokenTree::Group(group) => mentions_self(group.stream()),
        proc_macro2::TokenTree::Ident(ident) => ident == "Self",
        _ => false,
    })
}

fn is_unit(ty: &Type) -> bool {
    matches!(peel(ty), Type::Tuple(tuple) if tuple.elems.is_empty())
}

/// The type without the invisible groups and parentheses around it.
pub(crate) fn peel(ty: &Type) -> &Type {
    match ty {
        Type::Group(group) => peel(&group.elem),
        Type::Paren(paren) => peel(&paren.elem),
        ty => ty,
    }
}

fn parameter(input: &FnArg, errors: &mut Errors) -> Option<Parameter> {
    match input {
        FnArg::Receiver(receiver) => {
            let ty: Type = match &receiver.kind {
                ReceiverKind::Reference(and, lifetime, mutability) => {
                    syn::parse2(quote!(#and #lifetime #mutability Self)).ok()?
                }
                ReceiverKind::Typed(_, ty) => (**ty).clone(),
                _ => syn::parse2(quote!(Self)).ok()?,
            };
            let binding = receiver.self_token.to_token_stream();
            let declaration = match &receiver.kind {
                ReceiverKind::Value => binding.clone(),
                ReceiverKind::Typed(..) => quote!(#binding: #ty),
                _ => receiver.to_token_stream(),
            };
            let name = format_ident!("self", span = receiver.self_token.span);
            Some(Parameter { binding, name, form: form(&ty), ty, declaration })
        }
        FnArg::Typed(typed) => {
            let Pat::Ident(pattern) = &*typed.pat else {
                errors.on(
                    &typed.pat,
                    "a parameter of a differentiated function needs a name; take the pattern apart in the body",
                );
                return None;
            };
            if pattern.by_ref.is_some() || pattern.subpat.is_some() {
                errors.on(&typed.pat, "a parameter of a differentiated function must be a plain name");
                return None;
            }
            let (mut name, ty) = (pattern.ident.clone(), (*typed.ty).clone());
            // So that a parameter with the name of the primal does not hide it.
            name.set_span(name.span().resolved_at(Span::mixed_site()));
            let declaration = quote!(#name: #ty);
            let binding = name.to_token_stream();
            Some(Parameter { binding, name, form: form(&ty), ty, declaration })
        }
    }
}

fn form(ty: &Type) -> Form {
    match peel(ty) {
        Type::Reference(reference) => {
            let mutable = reference.mutability.is_some();
            match peel(&reference.elem) {
                Type::Slice(slice) => Form::Slice { element: (*slice.elem).clone(), mutable },
                target if is_unsized(target) => Form::Value,
                target => Form::Reference { target: target.clone(), mutable },
            }
        }
        Type::Ptr(pointer) if !is_unsized(&pointer.elem) => Form::Pointer { target: (*pointer.elem).clone() },
        _ => Form::Value,
    }
}

/// Whether pointers to the type visibly carry more than an address.
fn is_unsized(ty: &Type) -> bool {
    match peel(ty) {
        Type::Slice(_) | Type::TraitObject(_) => true,
        Type::Path(path) => path.path.is_ident("str"),
        _ => false,
    }
}

/// The type with its outermost reference or pointer made mutable.
pub(crate) fn mutable(ty: &Type) -> Type {
    let mut ty = peel(ty).clone();
    match &mut ty {
        Type::Reference(reference) => reference.mutability = Some(syn::token::Mut(reference.and_token.span)),
        Type::Ptr(pointer) => {
            pointer.mutability = PointerMutability::Mut(syn::token::Mut(pointer.star_token.span));
        }
        _ => {}
    }
    ty
}
