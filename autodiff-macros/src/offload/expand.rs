//! From a kernel to tokens.
//!
//! The function becomes one that takes what a launch passes, and returns the arguments, packed, with a closure
//! that opens them again and runs the body for one thread.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{FnArg, GenericParam, Type, parse_quote};

use super::kernel::Kernel;
use super::parameter::{Form, Parameter};

/// Tokens whose names are their own.
macro_rules! mixed {
    ($($token:tt)*) => { quote_spanned!(Span::mixed_site()=> $($token)*) };
}

/// The function that prepares a launch, with the kernel inside.
pub(super) fn write(kernel: &Kernel) -> TokenStream {
    let Kernel { function, parameters, krate, .. } = kernel;
    let offload = mixed!(#krate::offload);
    let private = mixed!(#offload::__private);
    let (attributes, visibility) = (&function.attrs, &function.vis);
    let outer = outer(kernel, &offload);
    let inner = inner(kernel);
    let place = place(&function.sig.ident, &offload);
    let names: Vec<_> = (0..parameters.len())
        .map(|index| format_ident!("__packed_{index}", span = Span::mixed_site()))
        .collect();
    let packed: Vec<_> = names
        .iter()
        .zip(parameters)
        .filter(|(_, parameter)| !matches!(parameter.form, Form::Thread))
        .map(|(name, _)| name)
        .collect();
    let stages = names.iter().zip(parameters).filter_map(|(name, parameter)| {
        let stage = stage(parameter)?;
        Some(mixed!(let #name = #stage;))
    });
    let numbers = (0..packed.len()).map(syn::Index::from);
    let opened = names.iter().zip(parameters).map(|(name, parameter)| open(name, parameter));
    let call = call(kernel);
    mixed! {
        #(#attributes)*
        #[allow(clippy::too_many_arguments, clippy::extra_unused_lifetimes, clippy::multiple_bound_locations, clippy::must_use_candidate, clippy::needless_pass_by_value)]
        #visibility #outer {
            #inner
            #place
            let mut __staging = #private::Staging::new();
            #(#stages)*
            let __args = (#(#packed,)*);
            let __start = &raw const __args as usize;
            let __offsets = [#(&raw const __args.#numbers as usize - __start),*];
            __staging.finish::<__Place, _, _>(
                #[inline(always)]
                |__thread, (#(#packed,)*)| {
                    // SAFETY: called for the arguments of a launch, once for each thread, which keeps the kernel's
                    // own conditions.
                    #[allow(unused_unsafe)]
                    unsafe { #call(#(#opened),*) }
                },
                __args,
                &__offsets,
            )
        }
    }
}

/// The signature of the function that prepares a launch.
fn outer(kernel: &Kernel, offload: &TokenStream) -> TokenStream {
    let lifetime = mixed!('__launch);
    let mut signature = kernel.function.sig.clone();
    signature.output = syn::ReturnType::Default;
    let parameters = &kernel.parameters;
    signature.inputs = parameters
        .iter()
        .filter_map(|parameter| {
            let (name, ty) = (&parameter.name, &parameter.ty);
            let span = ty.span().resolved_at(Span::mixed_site());
            let ty: Type = match &parameter.form {
                Form::Thread => return None,
                Form::Shared { element } => {
                    parse_tokens(quote_spanned!(span=> impl #offload::IntoShared<#lifetime, #element>))
                }
                Form::Disjoint { element, strategy } => {
                    let strategy = strategy_of(strategy.as_deref(), offload);
                    parse_tokens(
                        quote_spanned!(span=> impl #offload::IntoDisjoint<#lifetime, #element, #strategy>),
                    )
                }
                Form::Closure => callable(ty),
                Form::Pointer | Form::Value => ty.clone(),
            };
            Some::<FnArg>(parse_quote!(#name: #ty))
        })
        .collect();
    signature.generics.params.insert(0, parse_quote!(#lifetime));
    bounds(kernel, &mut signature.generics, offload);
    let (head, clause) = (&signature, &signature.generics.where_clause);
    let mut head = head.clone();
    let clause = clause.clone();
    head.generics.where_clause = None;
    mixed!(#head -> #offload::Prepared<#lifetime> #clause)
}

/// The kernel itself, as a function inside.
fn inner(kernel: &Kernel) -> TokenStream {
    let mut signature = kernel.function.sig.clone();
    for (input, parameter) in signature.inputs.iter_mut().zip(&kernel.parameters) {
        if let (FnArg::Typed(typed), Form::Closure) = (input, &parameter.form) {
            *typed.ty = callable(&parameter.ty);
        }
    }
    // A parameter may be called like the kernel.
    signature.ident = Ident::new("__kernel", Span::mixed_site());
    let offload = kernel.krate.clone();
    bounds(kernel, &mut signature.generics, &mixed!(#offload::offload));
    let block = &kernel.function.block;
    mixed! {
        #[inline(always)]
        #[allow(clippy::inline_always, clippy::too_many_arguments, clippy::needless_pass_by_value, reason = "it is called from one place, as a kernel")]
        #signature #block
    }
}

/// What the arguments need besides the bounds that the user wrote.
fn bounds(kernel: &Kernel, generics: &mut syn::Generics, offload: &TokenStream) {
    let is_generic = generics.params.iter().any(|it| !matches!(it, GenericParam::Lifetime(_)));
    if !is_generic {
        return;
    }
    let clause = generics.make_where_clause();
    for closure in &kernel.closures {
        clause.predicates.push(parse_quote!(#closure: ::core::marker::Copy + ::core::marker::Send + ::core::marker::Sync + 'static));
    }
    for parameter in &kernel.parameters {
        let ty = &parameter.ty;
        match &parameter.form {
            Form::Value if !matches!(ty, Type::ImplTrait(_)) => {
                clause.predicates.push(parse_quote!(#ty: #offload::KernelArgument));
            }
            Form::Shared { element } => {
                clause.predicates.push(parse_quote!(#element: #offload::KernelElement));
            }
            Form::Disjoint { element, strategy } => {
                clause.predicates.push(parse_quote!(#element: #offload::KernelElement));
                if let Some(strategy) = strategy {
                    clause.predicates.push(parse_quote!(#strategy: #offload::Strategy));
                }
            }
            _ => {}
        }
    }
}

/// `impl Fn(..)` with what a closure needs to travel.
fn callable(ty: &Type) -> Type {
    let mut ty = ty.clone();
    if let Type::ImplTrait(it) = &mut ty {
        for bound in ["Copy", "Send", "Sync"] {
            let bound = format_ident!("{bound}", span = Span::mixed_site());
            it.bounds.push(parse_quote!(::core::marker::#bound));
        }
        it.bounds.push(parse_quote!('static));
    }
    ty
}

fn strategy_of(strategy: Option<&Type>, offload: &TokenStream) -> TokenStream {
    strategy.map_or_else(|| mixed!(#offload::Linear), |strategy| mixed!(#strategy))
}

/// The type that tells where the kernel stands.
fn place(name: &Ident, offload: &TokenStream) -> TokenStream {
    let text = name.to_string();
    let location = |function: &str| {
        let function = Ident::new(function, name.span());
        quote_spanned!(name.span()=> ::core::#function!())
    };
    let (file, line, column) = (location("file"), location("line"), location("column"));
    mixed! {
        struct __Place;
        impl #offload::__private::PlaceOf for __Place {
            const PLACE: #offload::Place = #offload::Place {
                name: ::core::concat!(::core::module_path!(), "::", #text),
                file: #file,
                line: #line,
                column: #column,
            };
        }
    }
}

/// The packed argument.
fn stage(parameter: &Parameter) -> Option<TokenStream> {
    let (name, span) = (&parameter.name, parameter.ty.span().resolved_at(Span::mixed_site()));
    let method = match &parameter.form {
        Form::Thread => return None,
        Form::Shared { element } => quote_spanned!(span=> shared::<#element>),
        Form::Disjoint { .. } => quote_spanned!(span=> disjoint),
        Form::Pointer => quote_spanned!(span=> pointer),
        Form::Closure => quote_spanned!(span=> closure),
        Form::Value => quote_spanned!(span=> value),
    };
    Some(quote_spanned!(span=> __staging.#method(#name)))
}

/// The argument of one thread.
fn open(name: &Ident, parameter: &Parameter) -> TokenStream {
    match &parameter.form {
        Form::Thread => mixed!(__thread),
        Form::Shared { .. } | Form::Disjoint { .. } => mixed!(#name.open(__thread)),
        Form::Pointer | Form::Closure | Form::Value => mixed!(#name),
    }
}

/// The function inside, with its generic arguments.
fn call(kernel: &Kernel) -> TokenStream {
    let name = Ident::new("__kernel", Span::mixed_site());
    let arguments: Vec<_> = kernel
        .function
        .sig
        .generics
        .params
        .iter()
        .filter_map(|parameter| match parameter {
            GenericParam::Type(ty) => Some(&ty.ident),
            GenericParam::Const(constant) => Some(&constant.ident),
            GenericParam::Lifetime(_) => None,
        })
        .collect();
    if arguments.is_empty() { quote!(#name) } else { quote!(#name::<#(#arguments),*>) }
}

/// A type that was put together here.
fn parse_tokens(tokens: TokenStream) -> Type {
    syn::parse2(tokens).unwrap_or_else(|error| unreachable!("a type: {error}"))
}
