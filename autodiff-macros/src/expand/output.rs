//! What the return value adds to a derivative's body.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;

use super::argument::{Pieces, Reach, fresh};
use super::body::activity;
use crate::activity::{Activity, Mode};
use crate::signature::Derivative;

/// Parts of the body that concern the return value.
pub(super) struct Output {
    pub(super) pieces: Pieces,
    /// What the derivative returns of it: in reverse mode, the first part of the result; in
    /// forward mode, all of it.
    pub(super) results: Vec<TokenStream>,
    /// Whether the shim writes it to a last parameter `out`.
    pub(super) is_written: bool,
}

/// What the return value adds.
pub(super) fn pieces(private: &TokenStream, derivative: &Derivative) -> Output {
    let mut pieces = Pieces::default();
    let Some((ty, kind)) = &derivative.output else {
        let unit = derivative.returned_primal().filter(|_| derivative.mode == Mode::Reverse);
        return Output { pieces, results: unit.into_iter().collect(), is_written: false };
    };
    let out = syn::Ident::new("__out", Span::mixed_site());
    if *kind != Activity::Const || derivative.mode == Mode::Reverse {
        let span = ty.span().resolved_at(Span::mixed_site());
        pieces.places.push(quote_spanned!(span=> const { #private::check_result::<#ty>() };));
    }
    pieces.places.push(quote!(let mut #out = ::core::mem::MaybeUninit::<#ty>::uninit();));
    pieces.slots.push(quote!(#private::place(&raw mut #out)));
    let mut tangents = Vec::new();
    if let Some(seed) = &derivative.seed {
        let place = syn::Ident::new("__seed", Span::mixed_site());
        pieces.places.push(quote!(let mut #place = ::core::mem::ManuallyDrop::new(#seed);));
        if derivative.width == 1 {
            pieces.slots.push(quote!(#private::place(&raw mut #place)));
        } else {
            let directions = 0..derivative.width as usize;
            pieces
                .slots
                .extend(directions.map(|direction| quote!(#private::place(&raw mut #place[#direction]))));
        }
    } else if kind.is_dual() {
        for direction in 0..derivative.width as usize {
            let tangent = fresh("tangent", direction);
            pieces.places.push(quote!(let mut #tangent = ::core::mem::MaybeUninit::<#ty>::zeroed();));
            pieces.slots.push(quote!(#private::place(&raw mut #tangent)));
            // What the derivative does not write stays zero.
            tangents.push(quote_spanned!(Span::mixed_site()=> unsafe { #tangent.assume_init() }));
        }
    }
    let activity = match kind {
        Activity::Const => quote!(#private::Activity::Ignored),
        kind => activity(private, *kind),
    };
    let ty_of_out = quote!(*mut ::core::mem::MaybeUninit<#ty>);
    pieces.pointer(private, &out, ty_of_out, Reach::Exclusive, &activity, &quote!(#ty));
    let primal = quote_spanned!(Span::mixed_site()=> unsafe { #out.assume_init() });
    Output { pieces, results: results(derivative, *kind, primal, tangents), is_written: true }
}

fn results(
    derivative: &Derivative,
    kind: Activity,
    primal: TokenStream,
    tangents: Vec<TokenStream>,
) -> Vec<TokenStream> {
    match kind {
        Activity::ActiveOnly => Vec::new(),
        Activity::Dual if derivative.width > 1 => vec![quote!([#primal, #(#tangents),*])],
        Activity::DualOnly | Activity::DualvOnly if derivative.width > 1 => vec![quote!([#(#tangents),*])],
        Activity::Dual | Activity::Dualv => std::iter::once(primal).chain(tangents).collect(),
        Activity::DualOnly | Activity::DualvOnly => tangents,
        _ => vec![primal],
    }
}
