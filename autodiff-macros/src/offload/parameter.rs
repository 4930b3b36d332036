//! Parameters of a kernel: what they are, and how an argument gets there.

use proc_macro2::Ident;
use syn::spanned::Spanned;
use syn::{FnArg, GenericArgument, Pat, PathArguments, Type, TypeParamBound};

use crate::errors::Errors;
use crate::primal::peel;

/// A parameter.
pub(super) struct Parameter {
    /// Name of the argument; the pattern is that of the function inside.
    pub(super) name: Ident,
    pub(super) ty: Type,
    pub(super) form: Form,
}

/// How a parameter travels.
pub(super) enum Form {
    /// `Thread`: given by the launch.
    Thread,
    /// `&[T]`.
    Shared { element: Box<Type> },
    /// `Disjoint<'_, T, S>`.
    Disjoint { element: Box<Type>, strategy: Option<Box<Type>> },
    /// `*const T`, `*mut T`.
    Pointer,
    /// Something that is called.
    Closure,
    /// Anything else.
    Value,
}

impl Parameter {
    /// Reads a parameter. `closures` are type parameters that are called.
    pub(super) fn read(
        index: usize,
        input: &FnArg,
        closures: &[Ident],
        is_unsafe: bool,
        errors: &mut Errors,
    ) -> Option<Self> {
        let FnArg::Typed(typed) = input else {
            errors.on(input, "a kernel is a free function: take what it needs of `self` as an argument");
            return None;
        };
        let name = match &*typed.pat {
            Pat::Ident(pattern) if pattern.subpat.is_none() => pattern.ident.clone(),
            pattern => Ident::new(&format!("argument_{index}"), pattern.span()),
        };
        let form = form(&typed.ty, closures, is_unsafe, errors)?;
        Some(Self { name, ty: (*typed.ty).clone(), form })
    }
}

fn form(ty: &Type, closures: &[Ident], is_unsafe: bool, errors: &mut Errors) -> Option<Form> {
    let refused = match peel(ty) {
        Type::Reference(reference) => match (peel(&reference.elem), reference.mutability.is_some()) {
            (Type::Slice(slice), false) => return Some(Form::Shared { element: slice.elem.clone() }),
            (Type::Slice(_), true) if is_unsafe => {
                "all threads would have the same `&mut`: take `Disjoint<'_, T>`, whose threads get parts of their own, or `*mut T`"
            }
            (Type::Slice(_), true) => {
                "all threads would have the same `&mut`: take `Disjoint<'_, T>`, whose threads get parts of their own"
            }
            (Type::Array(_), false) => "a kernel takes slices, `&[T]`, and small arrays by value, `[T; N]`",
            (_, false) => "a kernel takes `&[T]`, and other things by value: write the type without `&`",
            (_, true) => {
                "all threads would have the same `&mut`: let the kernel write to a `Disjoint<'_, T>`, or to an atomic number of a slice"
            }
        },
        Type::Ptr(_) if is_unsafe => return Some(Form::Pointer),
        Type::Ptr(_) => {
            "only an `unsafe` kernel takes raw pointers: take `&[T]` or `Disjoint<'_, T>`, or write `unsafe fn`"
        }
        Type::FnPtr(_) => {
            "a function pointer means nothing on another device: take `impl Fn`, which is compiled in"
        }
        Type::TraitObject(_) | Type::Slice(_) => "a kernel takes types of a known size",
        Type::ImplTrait(it) if it.bounds.iter().any(is_callable) => return Some(Form::Closure),
        Type::Path(path) => return Some(named(path, closures)),
        _ => return Some(Form::Value),
    };
    errors.on(ty, refused);
    None
}

/// The form of a type with a name.
fn named(path: &syn::TypePath, closures: &[Ident]) -> Form {
    if path.path.get_ident().is_some_and(|name| closures.contains(name)) {
        return Form::Closure;
    }
    let Some(last) = path.path.segments.last() else { return Form::Value };
    let arguments = match &last.arguments {
        PathArguments::AngleBracketed(arguments) => arguments.args.iter().collect(),
        _ => Vec::new(),
    };
    let mut types = arguments.into_iter().filter_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty.clone()),
        _ => None,
    });
    match (last.ident.to_string().as_str(), types.next()) {
        ("Thread", None) => Form::Thread,
        ("Disjoint", Some(element)) => {
            Form::Disjoint { element: Box::new(element), strategy: types.next().map(Box::new) }
        }
        _ => Form::Value,
    }
}

/// Whether it is `Fn(..)`, or a relative of it.
pub(super) fn is_callable(bound: &TypeParamBound) -> bool {
    let TypeParamBound::Trait(bound) = bound else { return false };
    let last = bound.path.segments.last().map(|segment| segment.ident.to_string());
    last.is_some_and(|name| ["Fn", "FnMut", "FnOnce"].contains(&name.as_str()))
}
