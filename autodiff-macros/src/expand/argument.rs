//! What one argument adds to a derivative's body.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{PointerMutability, Type};

use super::body::{Context, activity};
use crate::activity::Activity;
use crate::primal::{Form, Parameter, peel};
use crate::signature::Argument;

/// Parts of a body, each in the order of the arguments.
#[derive(Default)]
pub(super) struct Pieces {
    /// Statements that check shadows, before anything is written.
    pub(super) checks: Vec<TokenStream>,
    /// Whether these need `NoLayout` in scope.
    pub(super) probes: bool,
    /// Statements that put values on the stack.
    pub(super) places: Vec<TokenStream>,
    /// Statements after the call.
    pub(super) rechecks: Vec<TokenStream>,
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
        self.probes |= other.probes;
        self.rechecks.append(&mut other.rechecks);
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
        reach: Reach,
        activity: &TokenStream,
        pointee: &TokenStream,
    ) {
        self.shim_names.push(name.clone());
        self.shim_types.push(ty);
        let kind = match reach {
            Reach::Shared => quote!(pointer),
            Reach::Exclusive => quote!(exclusive),
        };
        self.descriptions
            .push(quote!(#private::Param::#kind(#activity, #private::Probe::<#pointee>::LAYOUT)));
    }
}

/// Whether other pointers may lead to what a pointer points to.
#[derive(Debug, Clone, Copy)]
pub(super) enum Reach {
    Shared,
    Exclusive,
}

impl Reach {
    /// Of a reference.
    fn of(mutable: bool) -> Self {
        if mutable { Self::Exclusive } else { Self::Shared }
    }
}

/// A name that clashes with no parameter: those do not begin with two underscores.
pub(super) fn fresh(name: &str, index: usize) -> Ident {
    format_ident!("__{name}_{index}", span = Span::mixed_site())
}

/// What the argument at `index` adds.
pub(super) fn pieces(context: &Context<'_>, index: usize, argument: &Argument) -> Pieces {
    let mut pieces = Pieces::default();
    match &argument.parameter.form {
        Form::Slice { element, mutable } => slice(context, index, argument, element, *mutable, &mut pieces),
        Form::Reference { target, mutable } => {
            reference(context, index, argument, target, *mutable, &mut pieces);
        }
        Form::Pointer { target } => pointer(context, index, argument, target, &mut pieces),
        Form::Value => value(context, index, argument, &mut pieces),
    }
    checks(context, argument, &mut pieces);
    memory(context, index, argument, &mut pieces);
    pieces
}

fn slice(
    context: &Context<'_>,
    index: usize,
    argument: &Argument,
    element: &Type,
    mutable: bool,
    pieces: &mut Pieces,
) {
    let (private, width) = (context.private, context.width as usize);
    let (name, length) = (fresh("pointer", index), fresh("length", index));
    let binding = &argument.parameter.binding;
    pieces.checks.push(quote!(let #length: ::core::primitive::usize = <[_]>::len(&*#binding);));
    let elements = |binding: &TokenStream, mutable: bool| {
        if mutable {
            quote!(#private::elements_mut(&mut *#binding))
        } else {
            quote!(#private::elements(&*#binding))
        }
    };
    pieces.slots.push(elements(binding, mutable));
    let shadow_mutable = mutable || argument.activity.is_duplicated();
    for shadow in &argument.shadows {
        let packed = argument.activity.is_packed() && width > 1;
        let expected = if packed { quote!(#length * #width) } else { quote!(#length) };
        let (function, argument) = context.names(argument);
        let text = shadow.to_string();
        pieces.checks.push(quote! {
            #private::check_length(#function, #argument, #text, #expected, <[_]>::len(&*#shadow));
        });
        let first = elements(&quote!(#shadow), shadow_mutable);
        if packed {
            let base = format_ident!("__{shadow}_base", span = Span::mixed_site());
            pieces.places.push(quote!(let #base: *mut () = #first;));
            pieces.slots.extend(
                (0..width).map(|direction| quote!(#private::part::<#element>(#base, #direction * #length))),
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
    pieces.pointer(private, &name, pointer, Reach::of(mutable), &activity, &quote!([#element]));
    pieces.shim_names.push(length);
    pieces.shim_types.push(quote!(::core::primitive::usize));
    pieces.descriptions.push(quote!(#private::Param::INTEGER));
    pieces.call_arguments.push(borrow);
}

fn reference(
    context: &Context<'_>,
    index: usize,
    argument: &Argument,
    target: &Type,
    mutable: bool,
    pieces: &mut Pieces,
) {
    let private = context.private;
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
    pieces.pointer(private, &name, pointer, Reach::of(mutable), &activity, &quote!(#target));
    pieces.call_arguments.push(borrow);
}

fn pointer(context: &Context<'_>, index: usize, argument: &Argument, target: &Type, pieces: &mut Pieces) {
    let private = context.private;
    let name = fresh("pointer", index);
    let (binding, ty) = (&argument.parameter.binding, &argument.parameter.ty);
    pieces.slots.push(quote!(#private::pointer(#binding)));
    pieces.slots.extend(argument.shadows.iter().map(|shadow| quote!(#private::pointer(#shadow))));
    let activity = activity(private, argument.activity);
    pieces.pointer(private, &name, quote!(#ty), Reach::Shared, &activity, &quote!(#target));
    pieces.call_arguments.push(quote!(#name));
}

/// A value goes by pointer to a place on the stack. The primal takes it from there, so the place
/// never drops it.
fn value(context: &Context<'_>, index: usize, argument: &Argument, pieces: &mut Pieces) {
    let private = context.private;
    let (name, place) = (fresh("pointer", index), fresh("place", index));
    let (binding, ty) = (&argument.parameter.binding, &argument.parameter.ty);
    let keep =
        |place: &Ident, value: &TokenStream| quote!(let mut #place = ::core::mem::ManuallyDrop::new(#value););
    pieces.places.push(keep(&place, binding));
    pieces.slots.push(quote!(#private::place(&raw mut #place)));
    if argument.activity == Activity::Active {
        gradient(context, index, argument, pieces);
    }
    for (direction, shadow) in argument.shadows.iter().enumerate() {
        let place = format_ident!("__shadow_{index}_{direction}", span = Span::mixed_site());
        pieces.places.push(keep(&place, &quote!(#shadow)));
        pieces.slots.push(quote!(#private::place(&raw mut #place)));
    }
    let activity = activity(private, argument.activity);
    pieces.pointer(private, &name, quote!(*const #ty), Reach::Exclusive, &activity, &quote!(#ty));
    pieces.call_arguments.push(quote!(::core::ptr::read(#name)));
}

/// A gradient to return, one for each direction.
fn gradient(context: &Context<'_>, index: usize, argument: &Argument, pieces: &mut Pieces) {
    let (private, width) = (context.private, context.width as usize);
    let ty = &argument.parameter.ty;
    let gradient = fresh("gradient", index);
    let span = ty.span().resolved_at(Span::mixed_site());
    let is_parameter = matches!(peel(ty), Type::Path(path) if context.parameters.iter().any(|name| path.path.is_ident(name)));
    let zero = if is_parameter {
        let (function, name) = context.names(argument);
        quote_spanned!(span=> #private::zero_of::<#ty>(#function, #name))
    } else {
        quote_spanned!(span=> #private::zero::<#ty>())
    };
    if width == 1 {
        pieces.places.push(quote_spanned!(span=> let mut #gradient: #ty = #zero;));
        pieces.slots.push(quote!(#private::place(&raw mut #gradient)));
    } else {
        pieces.places.push(
            quote_spanned!(span=> let mut #gradient: [#ty; #width] = ::core::array::from_fn(|_| #zero);),
        );
        pieces
            .slots
            .extend((0..width).map(|direction| quote!(#private::place(&raw mut #gradient[#direction]))));
    }
    pieces.gradients.push(quote!(#gradient));
}

/// Shadows must have the shape of their argument, and those that are written to, memory of their
/// own. Lengths of slices are checked already.
fn checks(context: &Context<'_>, argument: &Argument, pieces: &mut Pieces) {
    let private = context.private;
    let Parameter { binding, ty, form, .. } = &argument.parameter;
    let ty = peel(ty);
    let (target, is_mutable) = match ty {
        Type::Reference(reference) => (Some(&*reference.elem), reference.mutability.is_some()),
        Type::Ptr(pointer) => (None, matches!(pointer.mutability, PointerMutability::Mut(_))),
        _ => (Some(ty), false),
    };
    let writes = is_mutable || argument.activity.is_duplicated();
    let borrow = |value: &TokenStream| match ty {
        Type::Reference(_) => quote!(&*#value),
        Type::Ptr(_) => value.clone(),
        _ => quote!(&#value),
    };
    if let Some(target) = target
        && argument.activity.is_duplicated()
        && !is_plain(target)
    {
        let span = target.span().resolved_at(Span::mixed_site());
        pieces.places.push(
            quote_spanned!(span=> const { #private::check_shared(#private::Probe::<#target>::SHARED) };),
        );
        pieces.probes = true;
    }
    let primal = borrow(binding);
    let (function, name) = context.names(argument);
    for shadow in &argument.shadows {
        let (text, shadow) = (shadow.to_string(), borrow(&quote!(#shadow)));
        if let Some(target) = target
            && !argument.activity.is_packed()
            && !is_plain(target)
        {
            pieces.checks.push(quote! {
                #private::Probe::<#target>::check(#function, #name, #text, #primal, #shadow);
            });
            pieces.probes = true;
        }
        if writes && matches!(form, Form::Pointer { .. }) {
            pieces.checks.push(quote! {
                #private::check_pointers(#function, #name, #text, #primal, #shadow);
            });
        } else if writes && target.is_some() {
            pieces.checks.push(quote! {
                #private::check_distinct(#function, #name, #text, #primal, #shadow);
            });
        }
    }
}

/// Memory that the function allocates is freed by a derivative in reverse mode: what an argument owns
/// must be what it owned before.
fn memory(context: &Context<'_>, index: usize, argument: &Argument, pieces: &mut Pieces) {
    let private = context.private;
    let Parameter { binding, ty, form, .. } = &argument.parameter;
    let Type::Reference(reference) = peel(ty) else { return };
    if !argument.activity.is_duplicated() || reference.mutability.is_none() || is_plain(&reference.elem) {
        return;
    }
    let (target, before) = (&reference.elem, fresh("memory", index));
    // The binding has moved to its place.
    let after = if matches!(form, Form::Value) {
        let place = fresh("place", index);
        quote!(&**#place)
    } else {
        quote!(&*#binding)
    };
    let (function, name) = context.names(argument);
    pieces.checks.push(quote! {
        let #before = #private::addresses(|all| #private::Probe::<#target>::owned(&*#binding, all));
    });
    pieces.rechecks.push(quote! {
        #private::check_memory(#function, #name, #private::Probe::<#target>::owns_only(#after, &#before));
    });
    pieces.probes = true;
}

/// Whether all values of the type visibly have one shape: numbers, and arrays and slices of them.
fn is_plain(ty: &Type) -> bool {
    const PLAIN: [&str; 17] = [
        "f32", "f64", "i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32", "u64", "u128", "usize",
        "bool", "char", "str",
    ];
    match peel(ty) {
        Type::Array(array) => is_plain(&array.elem),
        Type::Slice(slice) => is_plain(&slice.elem),
        Type::Path(path) => PLAIN.iter().any(|name| path.path.is_ident(name)),
        _ => false,
    }
}
