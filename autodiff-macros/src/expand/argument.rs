//! What one argument adds to a derivative's body.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;

use super::body::activity;
use crate::activity::Activity;
use crate::args::Args;
use crate::primal::{Form, Primal};
use crate::signature::Argument;

/// Parts of a body, each in the order of the arguments.
#[derive(Default)]
pub(super) struct Pieces {
    /// Statements that check lengths, before anything is written.
    pub(super) checks: Vec<TokenStream>,
    /// Statements that put values on the stack.
    pub(super) places: Vec<TokenStream>,
    /// Slots of the call: primals, each followed by its shadows.
    pub(super) slots: Vec<TokenStream>,
    /// Parameters of the shim.
    pub(super) shim_names: Vec<Ident>,
    pub(super) shim_types: Vec<TokenStream>,
    /// Their descriptions.
    pub(super) descriptions: Vec<TokenStream>,
    /// Arguments of the primal, made of the shim's parameters.
    pub(super) call_arguments: Vec<TokenStream>,
    /// Gradients to return.
    pub(super) gradients: Vec<TokenStream>,
}

impl Pieces {
    pub(super) fn append(&mut self, mut other: Self) {
        self.checks.append(&mut other.checks);
        self.places.append(&mut other.places);
        self.slots.append(&mut other.slots);
        self.shim_names.append(&mut other.shim_names);
        self.shim_types.append(&mut other.shim_types);
        self.descriptions.append(&mut other.descriptions);
        self.call_arguments.append(&mut other.call_arguments);
        self.gradients.append(&mut other.gradients);
    }

    /// Adds a pointer parameter of the shim to something of type `pointee`.
    pub(super) fn pointer(
        &mut self,
        private: &TokenStream,
        name: &Ident,
        ty: TokenStream,
        activity: &TokenStream,
        pointee: &TokenStream,
    ) {
        self.shim_names.push(name.clone());
        self.shim_types.push(ty);
        self.descriptions
            .push(quote!(#private::Param::pointer(#activity, #private::Probe::<#pointee>::LAYOUT)));
    }
}

/// A name that no user's name can clash with.
pub(super) fn fresh(name: &str, index: usize) -> Ident {
    format_ident!("{name}_{index}", span = Span::mixed_site())
}

/// What the argument at `index` adds.
pub(super) fn pieces(
    private: &TokenStream,
    args: &Args,
    primal: &Primal,
    width: u32,
    index: usize,
    argument: &Argument,
) -> Pieces {
    match &argument.parameter.form {
        Form::Slice { element, mutable } => {
            let mut pieces = checks(private, args, primal, width, index, argument);
            slice(private, width, index, argument, &quote!(#element), *mutable, &mut pieces);
            pieces
        }
        Form::Reference { target, mutable } => {
            reference(private, index, argument, &quote!(#target), *mutable)
        }
        Form::Pointer { target } => pointer(private, index, argument, &quote!(#target)),
        Form::Value => value(private, index, argument),
    }
}

/// Each shadow of a slice must have its length.
fn checks(
    private: &TokenStream,
    args: &Args,
    primal: &Primal,
    width: u32,
    index: usize,
    argument: &Argument,
) -> Pieces {
    let binding = &argument.parameter.binding;
    let length = fresh("length", index);
    let mut pieces = Pieces::default();
    pieces.checks.push(quote!(let #length: ::core::primitive::usize = <[_]>::len(&*#binding);));
    let factor = if argument.activity.is_packed() { width as usize } else { 1 };
    let (derivative, name) = (args.name.to_string(), argument.parameter.name.to_string());
    let function = quote!(::core::concat!(::core::module_path!(), "::", #derivative));
    // A shadow that belongs to no free function is named by its derivative alone.
    let function = if primal.is_associated() { quote!(#derivative) } else { function };
    for shadow in &argument.shadows {
        let text = shadow.to_string();
        let expected = if factor == 1 { quote!(#length) } else { quote!(#length * #factor) };
        pieces.checks.push(quote! {
            #private::check_length(#function, #name, #text, #expected, <[_]>::len(&*#shadow));
        });
    }
    pieces
}

fn slice(
    private: &TokenStream,
    width: u32,
    index: usize,
    argument: &Argument,
    element: &TokenStream,
    mutable: bool,
    pieces: &mut Pieces,
) {
    let (name, length) = (fresh("pointer", index), fresh("length", index));
    let elements = |binding: &TokenStream, mutable: bool| {
        if mutable {
            quote!(#private::elements_mut(&mut *#binding))
        } else {
            quote!(#private::elements(&*#binding))
        }
    };
    pieces.slots.push(elements(&argument.parameter.binding, mutable));
    let shadow_mutable = mutable || argument.activity.is_duplicated();
    for shadow in &argument.shadows {
        let first = elements(&quote!(#shadow), shadow_mutable);
        if argument.activity.is_packed() && width > 1 {
            let base = format_ident!("{shadow}_base", span = Span::mixed_site());
            pieces.places.push(quote!(let #base: *mut () = #first;));
            let directions = 0..width as usize;
            pieces.slots.extend(
                directions.map(|direction| quote!(#private::part::<#element>(#base, #direction * #length))),
            );
        } else {
            pieces.slots.push(first);
        }
    }
    pieces.slots.push(quote!(#private::length(#length)));

    let (pointer, borrow) = if mutable {
        (quote!(*mut #element), quote!(&mut *::core::ptr::slice_from_raw_parts_mut(#name, #length)))
    } else {
        (quote!(*const #element), quote!(&*::core::ptr::slice_from_raw_parts(#name, #length)))
    };
    let activity = activity(private, argument.activity);
    pieces.pointer(private, &name, pointer, &activity, &quote!([#element]));
    pieces.shim_names.push(length);
    pieces.shim_types.push(quote!(::core::primitive::usize));
    pieces.descriptions.push(quote!(#private::Param::INTEGER));
    pieces.call_arguments.push(borrow);
}

fn reference(
    private: &TokenStream,
    index: usize,
    argument: &Argument,
    target: &TokenStream,
    mutable: bool,
) -> Pieces {
    let mut pieces = Pieces::default();
    let name = fresh("pointer", index);
    let span = argument.parameter.ty.span().resolved_at(Span::mixed_site());
    let slot = |binding: &TokenStream, mutable: bool| {
        if mutable {
            quote_spanned!(span=> #private::reference_mut(&mut *#binding))
        } else {
            quote_spanned!(span=> #private::reference(&*#binding))
        }
    };
    pieces.slots.push(slot(&argument.parameter.binding, mutable));
    let shadow_mutable = mutable || argument.activity.is_duplicated();
    pieces.slots.extend(argument.shadows.iter().map(|shadow| slot(&quote!(#shadow), shadow_mutable)));
    let (pointer, borrow) = if mutable {
        (quote!(*mut #target), quote!(&mut *#name))
    } else {
        (quote!(*const #target), quote!(&*#name))
    };
    let activity = activity(private, argument.activity);
    pieces.pointer(private, &name, pointer, &activity, target);
    pieces.call_arguments.push(borrow);
    pieces
}

fn pointer(private: &TokenStream, index: usize, argument: &Argument, target: &TokenStream) -> Pieces {
    let mut pieces = Pieces::default();
    let name = fresh("pointer", index);
    let (binding, ty) = (&argument.parameter.binding, &argument.parameter.ty);
    pieces.slots.push(quote!(#private::pointer(#binding)));
    pieces.slots.extend(argument.shadows.iter().map(|shadow| quote!(#private::pointer(#shadow))));
    let activity = activity(private, argument.activity);
    pieces.pointer(private, &name, quote!(#ty), &activity, target);
    pieces.call_arguments.push(quote!(#name));
    pieces
}

/// A value goes by pointer to a place on the stack. The primal takes it from there, so the place
/// never drops it.
fn value(private: &TokenStream, index: usize, argument: &Argument) -> Pieces {
    let mut pieces = Pieces::default();
    let (name, place) = (fresh("pointer", index), fresh("place", index));
    let (binding, ty) = (&argument.parameter.binding, &argument.parameter.ty);
    let keep =
        |place: &Ident, value: &TokenStream| quote!(let mut #place = ::core::mem::ManuallyDrop::new(#value););
    pieces.places.push(keep(&place, binding));
    pieces.slots.push(quote!(#private::place(&raw mut #place)));
    if argument.activity == Activity::Active {
        let gradient = fresh("gradient", index);
        let span = ty.span().resolved_at(Span::mixed_site());
        pieces.places.push(quote_spanned!(span=> let mut #gradient: #ty = #private::zero::<#ty>();));
        pieces.slots.push(quote!(#private::place(&raw mut #gradient)));
        pieces.gradients.push(quote!(#gradient));
    }
    for (direction, shadow) in argument.shadows.iter().enumerate() {
        let place = format_ident!("shadow_{index}_{direction}", span = Span::mixed_site());
        pieces.places.push(keep(&place, &quote!(#shadow)));
        pieces.slots.push(quote!(#private::place(&raw mut #place)));
    }
    let activity = activity(private, argument.activity);
    pieces.pointer(private, &name, quote!(*const #ty), &activity, &quote!(#ty));
    pieces.call_arguments.push(quote!(::core::ptr::read(#name)));
    pieces
}
