//! Reads the annotated function. Its body stays a heap of tokens: it may be half-typed.

use proc_macro2::{Delimiter, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote};
use syn::parse::{Parse, ParseStream};
use syn::visit_mut::{self, VisitMut};
use syn::{
    Attribute, FnArg, GenericParam, Pat, PointerMutability, ReceiverKind, ReturnType, Signature, Type,
    TypeParamBound, Visibility, WherePredicate,
};

/// The annotated function, without its body.
pub(crate) struct Primal {
    /// Those of its attributes that its derivatives have, too.
    pub(crate) attributes: Vec<Attribute>,
    pub(crate) visibility: Visibility,
    /// With a name in place of each `impl Trait` among the parameters.
    pub(crate) signature: Signature,
    /// The names that stand in for `impl Trait`: they are inferred, never written.
    unnamed: Vec<Ident>,
    pub(crate) has_body: bool,
    /// Whether it is known to stand in an `impl` or a trait.
    pub(crate) is_associated: bool,
}

impl Parse for Primal {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut attributes = Attribute::parse_outer(input)?;
        attributes.retain(|attribute| ["cfg", "allow"].iter().any(|kept| attribute.path().is_ident(kept)));
        let (visibility, mut signature): (_, Signature) = (input.parse()?, input.parse()?);
        let has_body = input.peek(syn::token::Brace);
        let body: TokenStream = input.parse()?;
        let is_associated = signature.receiver().is_some()
            || mentions_self(signature.to_token_stream())
            || mentions_self(body);
        let unnamed = name_impl_traits(&mut signature);
        Ok(Self { attributes, visibility, signature, unnamed, has_body, is_associated })
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
    /// Its name or pattern, and its type, where the user wrote them.
    pub(crate) source: (TokenStream, TokenStream),
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

    /// The parameters.
    pub(crate) fn parameters(&self) -> Vec<Parameter> {
        let inputs = self.signature.inputs.iter().enumerate();
        inputs.filter_map(|(index, input)| self.parameter(index, input)).collect()
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
            .filter(|name| !self.unnamed.contains(name))
            .collect();
        let owner = self.is_associated.then(|| quote!(Self::));
        let arguments = (!arguments.is_empty()).then(|| quote!(::<#(#arguments),*>));
        quote!(#owner #name #arguments)
    }

    fn parameter(&self, index: usize, input: &FnArg) -> Option<Parameter> {
        let (binding, name, ty, declaration, source): (_, _, Type, _, _) = match input {
            FnArg::Receiver(receiver) => {
                let ty = match &receiver.kind {
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
                let source = (receiver.to_token_stream(), receiver.to_token_stream());
                (binding, format_ident!("self", span = receiver.self_token.span), ty, declaration, source)
            }
            FnArg::Typed(typed) => {
                let mut name = match &*typed.pat {
                    Pat::Ident(pattern) => pattern.ident.clone(),
                    pattern => self.name_of_pattern(index, syn::spanned::Spanned::span(pattern)),
                };
                // So that a parameter with the name of the primal does not hide it.
                name.set_span(name.span().resolved_at(Span::mixed_site()));
                let ty = (*typed.ty).clone();
                let source = (typed.pat.to_token_stream(), ty.to_token_stream());
                (name.to_token_stream(), name.clone(), ty.clone(), quote!(#name: #ty), source)
            }
        };
        let form = self.form(&ty);
        Some(Parameter { binding, name, ty, form, declaration, source })
    }

    /// A name for a parameter that has none.
    fn name_of_pattern(&self, index: usize, span: Span) -> Ident {
        let mut name = format_ident!("arg_{index}", span = span);
        let is_taken = |name: &Ident| {
            self.signature.inputs.iter().any(|input| {
                matches!(input, FnArg::Typed(typed) if matches!(&*typed.pat, Pat::Ident(pattern) if pattern.ident == *name))
            })
        };
        while is_taken(&name) {
            name = format_ident!("{name}_", span = span);
        }
        name
    }

    fn form(&self, ty: &Type) -> Form {
        match peel(ty) {
            Type::Reference(reference) => {
                let mutable = reference.mutability.is_some();
                match peel(&reference.elem) {
                    Type::Slice(slice) => Form::Slice { element: (*slice.elem).clone(), mutable },
                    target if self.is_unsized(target) => Form::Value,
                    target => Form::Reference { target: target.clone(), mutable },
                }
            }
            Type::Ptr(pointer) if !self.is_unsized(&pointer.elem) => {
                Form::Pointer { target: (*pointer.elem).clone() }
            }
            _ => Form::Value,
        }
    }

    /// Whether pointers to the type may carry more than an address, as far as can be seen.
    fn is_unsized(&self, ty: &Type) -> bool {
        match peel(ty) {
            Type::Slice(_) | Type::TraitObject(_) => true,
            Type::Path(path) => path.path.get_ident().is_some_and(|name| {
                // In a trait, `Self` may be anything.
                name == "str" || name == "Self" || self.relaxes_sized(name)
            }),
            _ => false,
        }
    }

    /// Whether `name: ?Sized` stands among the generics.
    fn relaxes_sized(&self, name: &Ident) -> bool {
        let generics = &self.signature.generics;
        let declared = generics.type_params().filter(|parameter| parameter.ident == *name);
        let constrained =
            generics.where_clause.iter().flat_map(|clause| &clause.predicates).filter_map(|predicate| {
                match predicate {
                    WherePredicate::Type(predicate) => match peel(&predicate.bounded_ty) {
                        Type::Path(path) if path.path.is_ident(name) => Some(&predicate.bounds),
                        _ => None,
                    },
                    _ => None,
                }
            });
        declared.map(|parameter| &parameter.bounds).chain(constrained).flatten().any(is_relaxed)
    }
}

fn is_relaxed(bound: &TypeParamBound) -> bool {
    bound
        .to_token_stream()
        .into_iter()
        .any(|token| matches!(token, TokenTree::Punct(mark) if mark.as_char() == '?'))
}

/// Whether `Self` stands there, other than inside of items that have a `Self` of their own.
fn mentions_self(tokens: TokenStream) -> bool {
    const OWNERS: [&str; 6] = ["impl", "trait", "struct", "enum", "union", "macro_rules"];
    let mut is_others = false;
    for token in tokens {
        match token {
            TokenTree::Group(group) if is_others && group.delimiter() == Delimiter::Brace => {
                is_others = false;
            }
            TokenTree::Group(group) if mentions_self(group.stream()) => return true,
            TokenTree::Ident(ident) if ident == "Self" && !is_others => return true,
            TokenTree::Ident(ident) if OWNERS.iter().any(|owner| ident == owner) => is_others = true,
            TokenTree::Punct(end) if end.as_char() == ';' => is_others = false,
            _ => {}
        }
    }
    false
}

/// Gives a name to each type written `impl Trait` among the parameters.
fn name_impl_traits(signature: &mut Signature) -> Vec<Ident> {
    struct Namer(Vec<(Ident, syn::TypeImplTrait)>);
    impl VisitMut for Namer {
        fn visit_type_mut(&mut self, ty: &mut Type) {
            visit_mut::visit_type_mut(self, ty);
            let name = format_ident!("__Impl{}", self.0.len(), span = Span::mixed_site());
            let named =
                || Type::Path(syn::TypePath { attrs: Vec::new(), qself: None, path: name.clone().into() });
            if matches!(ty, Type::ImplTrait(_))
                && let Type::ImplTrait(bounds) = std::mem::replace(ty, named())
            {
                self.0.push((name, bounds));
            }
        }
    }
    let mut namer = Namer(Vec::new());
    for input in &mut signature.inputs {
        if let FnArg::Typed(typed) = input {
            namer.visit_type_mut(&mut typed.ty);
        }
    }
    let replaced = namer.0.into_iter().map(|(name, bounds)| {
        let mut parameter = syn::TypeParam::from(name.clone());
        parameter.bounds = bounds.bounds;
        signature.generics.params.push(GenericParam::Type(parameter));
        name
    });
    replaced.collect()
}

pub(crate) fn is_unit(ty: &Type) -> bool {
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
