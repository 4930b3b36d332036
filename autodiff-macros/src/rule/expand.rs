//! From a function and its rules to tokens.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote_spanned};
use syn::spanned::Spanned;
use syn::{ItemFn, Path, Type};

use super::args::Args;
use crate::activity::Activity;
use crate::primal::{Form, Parameter, Primal};
use crate::signature::tuple;

/// Tokens whose names are their own.
macro_rules! mixed {
    ($($token:tt)*) => { quote_spanned!(Span::mixed_site()=> $($token)*) };
}

/// The tokens of one function.
struct Expand<'a> {
    args: &'a Args,
    /// Path of the runtime's private module.
    private: TokenStream,
    parameters: &'a [Parameter],
    /// Type of the return value.
    result: TokenStream,
    /// Whether it has a derivative.
    is_active: bool,
}

/// The function: its body as a function inside, and a call that goes by the record of its rules.
pub(super) fn write(
    args: &Args,
    function: &ItemFn,
    primal: &Primal,
    parameters: &[Parameter],
) -> TokenStream {
    let krate = &args.krate;
    let result = primal.output().map_or_else(|| mixed!(()), |ty| mixed!(#ty));
    let last = args.activities.last().map(|(activity, _)| *activity);
    let is_active = primal.output().is_some() && last == Some(Activity::Active);
    let expand = Expand { args, private: mixed!(#krate::__private), parameters, result, is_active };
    let (attributes, visibility) = (&function.attrs, &function.vis);
    let mut inner = primal.signature.clone();
    inner.ident = Ident::new("__primal", Span::mixed_site());
    let block = &function.block;
    let mut header = primal.signature.clone();
    for (input, parameter) in header.inputs.iter_mut().zip(parameters) {
        if let syn::FnArg::Typed(typed) = input {
            let name = &parameter.name;
            *typed.pat = syn::parse_quote!(#name);
        }
    }
    let call = expand.call(primal);
    mixed! {
        #(#attributes)* #visibility #header {
            #[inline(always)]
            #[allow(clippy::inline_always, reason = "it is called from one place")]
            #inner #block
            #call
        }
    }
}

impl Expand<'_> {
    fn activities(&self) -> impl Iterator<Item = (usize, &Parameter, Activity)> {
        let activities = self.args.activities.iter().map(|(activity, _)| *activity);
        self.parameters
            .iter()
            .zip(activities)
            .enumerate()
            .map(|(index, (it, activity))| (index, it, activity))
    }

    /// The call by the record, and the value.
    fn call(&self, primal: &Primal) -> TokenStream {
        let private = &self.private;
        let slots = self.parameters.iter().map(|parameter| self.slot(parameter));
        let places = self.parameters.iter().filter(|it| matches!(it.form, Form::Value)).map(|parameter| {
            let (name, ty) = (&parameter.name, &parameter.ty);
            quote_spanned!(ty.span().resolved_at(Span::mixed_site())=> let mut #name: #ty = #name;)
        });
        let record = self.record(primal);
        let result = &self.result;
        mixed! {
            let __rule = #record;
            #(#places)*
            let mut __result = ::core::mem::MaybeUninit::<#result>::uninit();
            // SAFETY: the slots are those of the record, in its order. The result is there afterwards.
            unsafe {
                #private::call_rule(__rule, [#(#slots,)* #private::place(__result.as_mut_ptr())]);
                __result.assume_init()
            }
        }
    }

    fn slot(&self, parameter: &Parameter) -> TokenStream {
        let (private, name) = (&self.private, &parameter.name);
        match &parameter.form {
            Form::Slice { mutable: false, .. } => {
                mixed!(#private::elements(#name), #private::length(<[_]>::len(#name)))
            }
            Form::Slice { .. } => {
                mixed!(#private::elements_mut(&mut *#name), #private::length(<[_]>::len(&*#name)))
            }
            Form::Reference { mutable: false, .. } => mixed!(#private::reference(#name)),
            Form::Reference { .. } => mixed!(#private::reference_mut(&mut *#name)),
            Form::Pointer { .. } | Form::Value => mixed!(#private::place(&raw mut #name)),
        }
    }

    /// The record, as an expression of type `&'static Rule`.
    fn record(&self, primal: &Primal) -> TokenStream {
        let private = &self.private;
        let name = primal.signature.ident.to_string();
        let words = self.words();
        let itself = self.shim(&self.itself(primal));
        let reverse = self.args.reverse.as_ref().map(|rule| {
            let (save, reverse, release) = (
                self.shim(&self.save()),
                self.shim(&self.reverse(rule, primal.output().is_some())),
                self.shim(&self.release()),
            );
            mixed!(.reverse(#reverse).keeping(#save, #release))
        });
        let forward = self.args.forward.as_ref().map(|rule| {
            let forward = self.shim(&self.forward(rule));
            mixed!(.forward(#forward))
        });
        mixed! {
            const {
                &#private::Rule::new(
                    ::core::concat!(::core::module_path!(), "::", #name),
                    const { &[#(#words),*] },
                    #itself,
                )
                #reverse
                #forward
            }
        }
    }

    /// A function of the record.
    fn shim(&self, body: &TokenStream) -> TokenStream {
        let private = &self.private;
        let block = mixed!(*mut *mut ());
        mixed! {
            #private::shim::<(#block, #block, #block), _>(
                #[allow(unused_variables, unused_mut, unused_unsafe, clippy::let_unit_value, clippy::unit_arg)]
                &|__args: #block, __shadows: #block, __tape: #block| {
                    // SAFETY: the slots are those of the record, in its order.
                    unsafe {
                        let mut __slots = #private::Slots::new(__args, __shadows);
                        #body
                    }
                }
            )
        }
    }

    /// The descriptions of the slots.
    fn words(&self) -> Vec<TokenStream> {
        let private = &self.private;
        let floats = |ty: &TokenStream, span: Span| quote_spanned!(span.resolved_at(Span::mixed_site())=> #private::floats::<#ty>());
        let mut words = Vec::new();
        for (_, parameter, activity) in self.activities() {
            let (ty, mutable) = pointee(parameter);
            let floats = floats(&mixed!(#ty), ty.span());
            words.push(match (activity, mutable) {
                (Activity::Const, _) => mixed!(#private::Word::CONSTANT),
                (_, false) => mixed!(#private::Word::read(#floats)),
                (_, true) => mixed!(#private::Word::written(#floats)),
            });
            if parameter.is_slice() {
                words.push(mixed!(#private::Word::INTEGER));
            }
        }
        let floats = floats(&self.result, self.result.span());
        let kind = if self.is_active { mixed!(written) } else { mixed!(constant_result) };
        words.push(mixed!(#private::Word::#kind(#floats)));
        words
    }

    /// Calls the function.
    fn itself(&self, primal: &Primal) -> TokenStream {
        let names: Vec<_> = self.activities().map(|(index, ..)| local("argument", index)).collect();
        let reads = self.parameters.iter().map(read);
        let inner = Ident::new("__primal", Span::mixed_site());
        let generics: TokenStream = primal.path().into_iter().skip(1).collect();
        let result = &self.result;
        mixed! {
            #(let #names = #reads;)*
            __slots.result::<#result>().write(#inner #generics(#(#names),*));
        }
    }

    /// The type of what is kept for the reverse rule.
    fn kept(&self) -> TokenStream {
        let (private, result) = (&self.private, &self.result);
        let types = self.parameters.iter().map(|parameter| {
            let (ty, _) = pointee(parameter);
            if parameter.is_slice() { mixed!(#private::Elements<#ty>) } else { mixed!(#ty) }
        });
        mixed!((#(#types,)* #result,))
    }

    /// Keeps the arguments and the result.
    fn save(&self) -> TokenStream {
        let private = &self.private;
        let names: Vec<_> = self.activities().map(|(index, ..)| local("kept", index)).collect();
        let reads = self.parameters.iter().map(|parameter| {
            let (ty, _) = pointee(parameter);
            let span = ty.span().resolved_at(Span::mixed_site());
            if parameter.is_slice() {
                quote_spanned!(span=> #private::copied::<#ty>(__slots.slice::<#ty>()))
            } else {
                quote_spanned!(span=> #private::cloned::<#ty>(__slots.reference::<#ty>()))
            }
        });
        let (kept, result) = (self.kept(), &self.result);
        mixed! {
            #(let #names = #reads;)*
            let __result = __slots.value::<#result>();
            #private::keep::<#kept>(__tape, (#(#names,)* __result,));
        }
    }

    fn release(&self) -> TokenStream {
        let (private, kept) = (&self.private, self.kept());
        mixed!(#private::release::<#kept>(__tape);)
    }

    /// Calls the rule for reverse mode.
    fn reverse(&self, rule: &Path, has_result: bool) -> TokenStream {
        let (private, kept, result) = (&self.private, self.kept(), &self.result);
        let names: Vec<_> = self.activities().map(|(index, ..)| local("kept", index)).collect();
        let mut parts = Parts::default();
        for (index, parameter, activity) in self.activities() {
            parts.reverse(index, parameter, activity);
        }
        let Parts { mut arguments, mut types, places, returned } = parts;
        if has_result {
            arguments.push(mixed!(*__result));
            types.push(result.clone());
        }
        let mut seed = mixed!(__slots.forget::<#result>(););
        if self.is_active {
            seed = mixed!(let __seed = __slots.seed::<#result>(__result););
            arguments.push(mixed!(__seed));
            types.push(result.clone());
        }
        let gradients: Vec<_> = (0..returned.len()).map(|index| local("gradient", index)).collect();
        let pattern = tuple(&gradients.iter().map(|name| mixed!(#name)).collect::<Vec<_>>());
        let sums: Vec<_> = returned.iter().map(|(place, _)| place).collect();
        let rule_result = tuple(&returned.iter().map(|(_, ty)| ty.clone()).collect::<Vec<_>>());
        let rule = typed(rule, &types, &rule_result);
        mixed! {
            let (#(#names,)* __result,) = #private::saved::<#kept>(__tape);
            #(#places)*
            #seed
            #rule
            let #pattern = __rule(#(#arguments),*);
            #(#private::Tangent::add(#sums.only(), &#gradients);)*
        }
    }

    /// Calls the rule for forward mode.
    fn forward(&self, rule: &Path) -> TokenStream {
        let mut parts = Parts::default();
        for (index, parameter, activity) in self.activities() {
            parts.forward(index, parameter, activity);
        }
        let Parts { arguments, types, places, .. } = parts;
        let (private, result) = (&self.private, &self.result);
        let (rule_result, write) = if self.is_active {
            (mixed!((#result, #result)), mixed!(__slots.write_dual(__value.0, __value.1);))
        } else {
            let zero = mixed!(#private::Tangent::zero(&__value));
            (result.clone(), mixed!(__slots.write_dual::<#result>(__value, #zero);))
        };
        let rule = typed(rule, &types, &rule_result);
        mixed! {
            #(#places)*
            #rule
            let __value = __rule(#(#arguments),*);
            #write
        }
    }
}

/// Parts of the call of a rule.
#[derive(Default)]
struct Parts {
    arguments: Vec<TokenStream>,
    types: Vec<TokenStream>,
    /// Statements before the call.
    places: Vec<TokenStream>,
    /// Where returned adjoints are added, and their types.
    returned: Vec<(Ident, TokenStream)>,
}

impl Parts {
    /// Adds what the rule for reverse mode takes of an argument.
    fn reverse(&mut self, index: usize, parameter: &Parameter, activity: Activity) {
        let (ty, mutable) = pointee(parameter);
        let (kept, place) = (local("kept", index), local("adjoint", index));
        let is_slice = parameter.is_slice();
        let is_value = matches!(parameter.form, Form::Value);
        let (argument, argument_type) = match (is_slice, is_value) {
            (true, _) => (mixed!(&#kept[..]), mixed!(&[#ty])),
            (_, true) => (mixed!(*#kept), mixed!(#ty)),
            _ => (mixed!(#kept), mixed!(&#ty)),
        };
        self.arguments.push(argument);
        self.types.push(argument_type);
        if activity == Activity::Const {
            let read = if is_slice { mixed!(slice) } else { mixed!(result) };
            self.places.push(mixed!(__slots.#read::<#ty>();));
            return;
        }
        let function = match (is_slice, mutable) {
            (true, false) => mixed!(adjoint_slice),
            (true, true) => mixed!(adjoint_slice_mut),
            (false, false) => mixed!(adjoint),
            (false, true) => mixed!(adjoint_mut),
        };
        self.places.push(mixed!(let mut #place = __slots.#function::<#ty>(#kept);));
        if is_value {
            self.returned.push((place, mixed!(#ty)));
        } else if is_slice {
            self.arguments.push(mixed!(#place.elements()));
            self.types.push(mixed!(&mut [#ty]));
        } else {
            self.arguments.push(mixed!(#place.only()));
            self.types.push(mixed!(&mut #ty));
        }
    }

    /// Adds what the rule for forward mode takes of an argument.
    fn forward(&mut self, index: usize, parameter: &Parameter, activity: Activity) {
        let (ty, mutable) = pointee(parameter);
        let (argument, tangent) = (local("argument", index), local("tangent", index));
        let is_slice = parameter.is_slice();
        let is_value = matches!(parameter.form, Form::Value);
        let declared = &parameter.ty;
        self.types.push(mixed!(#declared));
        if activity == Activity::Const {
            let read = read(parameter);
            self.places.push(mixed!(let #argument = #read;));
            self.arguments.push(mixed!(#argument));
            return;
        }
        let function = match (is_slice, mutable) {
            (true, false) => mixed!(dual_slice),
            (true, true) => mixed!(dual_slice_mut),
            (false, false) => mixed!(dual),
            (false, true) => mixed!(dual_mut),
        };
        self.places.push(mixed!(let (#argument, mut #tangent) = __slots.#function::<#ty>();));
        self.arguments.push(if is_value { mixed!(*#argument) } else { mixed!(#argument) });
        self.arguments.push(match (is_slice, mutable, is_value) {
            (_, _, true) => mixed!(#tangent),
            (true, true, _) => mixed!(#tangent.elements()),
            (false, true, _) => mixed!(#tangent.only()),
            _ => mixed!(&#tangent),
        });
        self.types.push(mixed!(#declared));
    }
}

/// Reads an argument as the function takes it.
fn read(parameter: &Parameter) -> TokenStream {
    let (ty, _) = pointee(parameter);
    match &parameter.form {
        Form::Slice { mutable: false, .. } => mixed!(__slots.slice::<#ty>()),
        Form::Slice { .. } => mixed!(__slots.slice_mut::<#ty>()),
        Form::Reference { mutable: false, .. } => mixed!(__slots.reference::<#ty>()),
        Form::Reference { .. } => mixed!(__slots.reference_mut::<#ty>()),
        Form::Pointer { .. } | Form::Value => {
            quote_spanned!(ty.span().resolved_at(Span::mixed_site())=> __slots.value::<#ty>())
        }
    }
}

/// The rule with the type that it must have: an error is one of the path that the user wrote.
fn typed(rule: &Path, types: &[TokenStream], result: &TokenStream) -> TokenStream {
    let result = (result.to_string() != "()").then(|| mixed!(-> #result));
    let span = rule.span().resolved_at(Span::mixed_site());
    let binding = quote_spanned!(span=> let __rule: fn(#(#types),*) #result);
    mixed!(#binding = #rule;)
}

/// What a slot points to, and whether the function may write there.
fn pointee(parameter: &Parameter) -> (&Type, bool) {
    match &parameter.form {
        Form::Slice { element, mutable } => (element, *mutable),
        Form::Reference { target, mutable } => (target, *mutable),
        Form::Pointer { target } => (target, true),
        Form::Value => (&parameter.ty, false),
    }
}

/// A name that clashes with no parameter.
fn local(name: &str, index: usize) -> Ident {
    format_ident!("__{name}_{index}", span = Span::mixed_site())
}
