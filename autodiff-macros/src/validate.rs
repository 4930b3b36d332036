//! Checks an attribute against the function it stands on.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::Type;

use crate::activity::{Activity, Mode, legal_inputs, legal_outputs};
use crate::args::Args;
use crate::errors::Errors;
use crate::primal::{Parameter, Primal};

/// Checks the kind of function: what can be seen from its header.
pub(crate) fn function(primal: &Primal, parameters: &[Parameter], errors: &mut Errors) {
    let signature = &primal.signature;
    if let Some(token) = &signature.asyncness {
        errors.on(token, "an `async` function cannot be differentiated; move the arithmetic to a plain `fn`");
    }
    if let Some(variadic) = &signature.variadic {
        errors.on(variadic, "a variadic function cannot be differentiated; pass a slice");
    }
    if let Some(output) = primal.output() {
        if let Some(span) = find_impl(output) {
            errors.at(
                span,
                "`impl Trait` cannot be returned by a differentiated function; write the type of the result",
            );
        }
        if matches!(output, Type::Never(_)) {
            errors.on(output, "a function that never returns has no derivative");
        }
    }
    for parameter in parameters {
        if parameter.name.to_string().starts_with("__") {
            errors.on(
                &parameter.source.0,
                "expected a name that does not begin with `__`, as names inside of the derivative do; write another one",
            );
        }
        if let Type::Verbatim(tokens) = &parameter.ty {
            errors.on(tokens, "expected the name of a type; declare the type outside of the function");
        }
    }
    // Two for a slice, one for everything else; the runtime has shims of up to 32 words.
    let words: usize = parameters.iter().map(|parameter| 1 + usize::from(parameter.is_slice())).sum();
    if words + usize::from(primal.output().is_some()) > 32 {
        errors.at(
            signature.ident.span(),
            "too many parameters: a differentiated function may have 32, where a slice counts twice and the return value once; put them into a struct",
        );
    }
}

/// Checks the activities; if there are too many or too few, nothing can be said of each.
pub(crate) fn activities(
    mode: Mode,
    args: &Args,
    primal: &Primal,
    parameters: &[Parameter],
    errors: &mut Errors,
) {
    if !count(mode, args, primal, parameters, errors) {
        return;
    }
    for (parameter, (activity, span)) in parameters.iter().zip(&args.activities) {
        input(mode, parameter, *activity, *span, errors);
    }
    if primal.output().is_some()
        && let Some((activity, span)) = args.activities.last()
    {
        output(mode, *activity, *span, errors);
        if let Some(span) = primal.output().filter(|_| *activity != Activity::Const).and_then(find_reference)
        {
            errors.at(
                span,
                "the derivative of a reference cannot be returned; let the function write to a `&mut` parameter, or return the number itself",
            );
        }
    }
    if let (true, Some((Activity::Dualv, span))) = (args.width > 1, args.activities.last())
        && primal.output().is_some()
    {
        errors.at(*span, "a return value is no slice, so `Dualv` cannot pack its directions; write `Dual`");
    }
}

fn count(mode: Mode, args: &Args, primal: &Primal, parameters: &[Parameter], errors: &mut Errors) -> bool {
    let expected = parameters.len() + usize::from(primal.output().is_some());
    let found = args.activities.len();
    let noun = if expected == 1 { "activity" } else { "activities" };
    let intro = format!("expected {expected} {noun} but found {found}");
    let name = &args.name;
    if found + 1 == expected && Activity::from_name(&name.to_string()).is_some() {
        errors.at(
            name.span(),
            format!(
                "{intro}, because `{name}` is taken for the name of the derivative; write a name before it"
            ),
        );
    } else if found > expected {
        let (activity, span) = args.activities[expected];
        let reason = if expected == parameters.len() && found == expected + 1 {
            "; the function returns nothing, so its return value takes none"
        } else {
            ""
        };
        errors.at(span, format!("{intro}: `{activity}` belongs to no parameter{reason}"));
    } else if let Some(parameter) = parameters.get(found) {
        let name = &parameter.name;
        let legal = legal_inputs(mode);
        errors.on(&parameter.source.0, format!("{intro}: none is left for `{name}`; write {legal}"));
    } else if found < expected {
        let legal = legal_outputs(mode);
        errors.on(primal.output(), format!("{intro}: none is left for the return value; write {legal}"));
    }
    found == expected
}

fn input(mode: Mode, parameter: &Parameter, activity: Activity, span: Span, errors: &mut Errors) {
    let name = &parameter.name;
    let ty = &parameter.source.1;
    if !activity.fits_input(mode) {
        let legal = legal_inputs(mode);
        errors.at(span, format!("`{activity}` cannot be used in {mode} mode; for `{name}` write {legal}"));
    }
    if activity.is_duplicated() && !parameter.is_indirect() {
        let instead = match mode {
            Mode::Forward => "`Dual` or `Const`",
            Mode::Reverse if name == "self" => "`Const`",
            Mode::Reverse => "`Active` or `Const`",
        };
        errors.on(
            ty,
            format!("`{activity}` cannot be used for this type: `{name}` is passed by value; write {instead}, or pass a reference, written with `&`"),
        );
    }
    if mode == Mode::Reverse && activity == Activity::Active && parameter.is_indirect() {
        errors.on(
            ty,
            format!("`Active` cannot be used for this type: its gradient is returned by value; for `{name}` write `Duplicated`"),
        );
    }
    if mode == Mode::Forward && activity.is_packed() && !parameter.is_slice() {
        errors.on(
            ty,
            format!("`{activity}` cannot be used for this type: it packs the directions of a slice; for `{name}` write `Dual`"),
        );
    }
}

fn output(mode: Mode, activity: Activity, span: Span, errors: &mut Errors) {
    if !activity.fits_output(mode) {
        let legal = legal_outputs(mode);
        errors.at(
            span,
            format!("`{activity}` cannot be used for a return value in {mode} mode; write {legal}"),
        );
    }
}

/// Where the type contains `impl`.
pub(crate) fn find_impl(ty: &Type) -> Option<Span> {
    find(ty.to_token_stream(), &|token| matches!(token, TokenTree::Ident(word) if word == "impl"))
}

/// Where the type contains a reference or a lifetime.
pub(crate) fn find_reference(ty: &Type) -> Option<Span> {
    let begins = |token: &TokenTree| matches!(token, TokenTree::Punct(mark) if "&'".contains(mark.as_char()));
    find(ty.to_token_stream(), &begins)
}

fn find(tokens: TokenStream, is_sought: &dyn Fn(&TokenTree) -> bool) -> Option<Span> {
    tokens.into_iter().find_map(|token| match token {
        TokenTree::Group(group) => find(group.stream(), is_sought),
        token => is_sought(&token).then(|| token.span()),
    })
}
