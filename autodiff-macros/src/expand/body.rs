//! The body of a derivative: a record that describes it, and a call with slots.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};

use super::argument::Pieces;
use super::{argument, derivative_header, output};
use crate::activity::{Activity, Mode};
use crate::args::Args;
use crate::primal::Primal;
use crate::signature::{Argument, Derivative, tuple};

/// What all arguments share.
pub(super) struct Context<'a> {
    /// Path of the runtime's private module.
    pub(super) private: &'a TokenStream,
    pub(super) width: u32,
    /// The type parameters.
    pub(super) parameters: Vec<Ident>,
    /// The derivative's name in messages, an expression.
    pub(super) function: TokenStream,
}

impl Context<'_> {
    /// Function and argument, as messages call them.
    pub(super) fn names(&self, argument: &Argument) -> (TokenStream, String) {
        (self.function.clone(), argument.parameter.name.to_string())
    }
}

/// The whole derivative.
pub(super) fn write(args: &Args, primal: &Primal, derivative: &Derivative) -> TokenStream {
    let runtime = &args.krate;
    let private = quote!(#runtime::__private);
    let name = args.name.to_string();
    let function = quote!(::core::concat!(::core::module_path!(), "::", #name));
    let parameters = primal.signature.generics.type_params().map(|ty| ty.ident.clone()).collect();
    let context = Context { private: &private, width: derivative.width, parameters, function };
    let mut pieces = Pieces::default();
    for (index, argument) in derivative.arguments.iter().enumerate() {
        pieces.append(argument::pieces(&context, index, argument));
    }
    let result = output::pieces(&private, derivative);
    let (tail, writes_result) = (result.results, result.is_written);
    pieces.append(result.pieces);

    let header = derivative_header(args, primal, derivative);
    let attributes = attributes(primal, derivative);
    let site = site(&private, primal, derivative, &pieces, writes_result);
    let Pieces { checks, probes, places, rechecks, slots, gradients, .. } = pieces;
    let probes = probes.then(|| quote!(#[allow(unused_imports)] use #private::NoLayout as _;));
    let parts = match derivative.mode {
        Mode::Reverse => tail.into_iter().chain(gradients).collect(),
        Mode::Forward => tail,
    };
    let value = tuple(&parts);
    let value = (value.to_string() != "()").then_some(value);
    quote_spanned! {Span::mixed_site()=>
        #attributes
        #header {
            #probes
            #(#checks)*
            #(#places)*
            // SAFETY: the slots are those that the record describes, in its order.
            unsafe { #private::call(#site, [#(#slots),*]) };
            #(#rechecks)*
            #value
        }
    }
}

/// The record, as an expression of type `&'static Site`.
fn site(
    private: &TokenStream,
    primal: &Primal,
    derivative: &Derivative,
    pieces: &Pieces,
    writes_result: bool,
) -> TokenStream {
    let Pieces { shim_names, shim_types, call_arguments, descriptions, .. } = pieces;
    let path = primal.path();
    let name = primal.signature.ident.to_string();
    let mode = match derivative.mode {
        Mode::Forward => quote!(Forward),
        Mode::Reverse => quote!(Reverse),
    };
    let width = derivative.width;
    let call = quote!(#path(#(#call_arguments),*));
    let call = if writes_result {
        quote_spanned!(Span::mixed_site()=> *__out = ::core::mem::MaybeUninit::new(#call))
    } else {
        call
    };
    quote_spanned! {Span::mixed_site()=>
        const {
            #[allow(unused_imports)]
            use #private::NoLayout as _;
            &#private::Site::new(
                #private::Mode::#mode,
                #width,
                #private::shim::<(#(#shim_types,)*), _>(&|#(#shim_names: #shim_types),*| {
                    unsafe { #call; }
                }),
                const { &[#(#descriptions),*] },
                ::core::concat!(::core::module_path!(), "::", #name),
            )
            .at(::core::file!(), ::core::line!(), ::core::column!())
        }
    }
}

/// The attributes of a derivative: a line of documentation, and who is to blame for a wrong length or
/// a missing derivative.
fn attributes(primal: &Primal, derivative: &Derivative) -> TokenStream {
    let mode = match derivative.mode {
        Mode::Forward => "Forward",
        Mode::Reverse => "Reverse",
    };
    let arguments: Vec<_> = derivative
        .arguments
        .iter()
        .map(|argument| format!("`{}` {}", argument.parameter.name, argument.activity))
        .chain(derivative.output.as_ref().map(|(_, activity)| format!("return value {activity}")))
        .collect();
    let separator = if arguments.is_empty() { "" } else { ": " };
    let (name, list) = (&primal.signature.ident, arguments.join(", "));
    let text = format!("{mode}-mode derivative of `{name}`{separator}{list}.");
    let track = primal.signature.abi.is_none().then(|| quote!(#[track_caller]));
    let copied = &primal.attributes;
    quote! {
        #(#copied)*
        #[doc = #text]
        #[allow(deprecated, unused_unsafe, clippy::used_underscore_binding)]
        #track
    }
}

/// The name the record has for an activity.
pub(super) fn activity(private: &TokenStream, activity: Activity) -> TokenStream {
    let name = match activity {
        Activity::Const => quote!(Const),
        activity if activity.is_only() => quote!(DuplicatedOnly),
        _ => quote!(Duplicated),
    };
    quote!(#private::Activity::#name)
}
