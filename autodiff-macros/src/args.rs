//! Reads what stands in the attribute's parentheses.

use proc_macro2::{Delimiter, Ident, Literal, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};

use crate::activity::{Activity, Mode, legal_inputs};
use crate::errors::Errors;

/// The parts of an attribute.
#[derive(Debug)]
pub(crate) struct Args {
    /// Name of the derivative.
    pub(crate) name: Ident,
    /// How many directions at once.
    pub(crate) width: u32,
    /// Where the width is written.
    pub(crate) width_span: Option<Span>,
    /// Activities of the parameters, and of the return value if there is one.
    pub(crate) activities: Vec<(Activity, Span)>,
    /// Path of the runtime crate.
    pub(crate) krate: TokenStream,
}

/// Reads the attribute. Without a name there is nothing to generate.
pub(crate) fn parse(mode: Mode, tokens: TokenStream, errors: &mut Errors) -> Option<Args> {
    let entries = split(tokens);
    let mut entries = entries.iter();
    let usage = "write the name of the derivative and an activity for each parameter";
    let name = match entries.next().map(Vec::as_slice) {
        Some([TokenTree::Ident(name)]) if name != "_" => name.clone(),
        Some([token, ..]) => {
            errors.at(token.span(), format!("expected the name of the derivative, an identifier; {usage}"));
            return None;
        }
        Some([]) | None => {
            let example = format!("#[autodiff_{mode}(name, Const, ..)]");
            errors.at(Span::call_site(), format!("missing name; {usage}: `{example}`"));
            return None;
        }
    };
    let mut args =
        Args { name, width: 1, width_span: None, activities: Vec::new(), krate: quote!(::autodiff) };
    for (position, entry) in entries.enumerate() {
        match entry.as_slice() {
            [TokenTree::Literal(width)] if position == 0 => args.read_width(width, errors),
            [TokenTree::Ident(key), TokenTree::Punct(equals), path @ ..]
                if key == "crate" && equals.as_char() == '=' =>
            {
                args.read_crate(path, equals.span(), errors);
            }
            entry => args.read_activity(mode, entry, errors),
        }
    }
    Some(args)
}

impl Args {
    fn read_width(&mut self, literal: &Literal, errors: &mut Errors) {
        self.width_span = Some(literal.span());
        let parsed = syn::parse2::<syn::LitInt>(literal.to_token_stream());
        match parsed.and_then(|width| width.base10_parse::<u32>()) {
            Ok(0) => errors.at(literal.span(), "the width must be at least 1, the number of directions"),
            Ok(width) => self.width = width,
            Err(_) => {
                errors.at(literal.span(), format!("the width must fit u32, and `{literal}` does not"));
            }
        }
    }

    fn read_crate(&mut self, path: &[TokenTree], span: Span, errors: &mut Errors) {
        let path: TokenStream = path.iter().cloned().collect();
        match syn::parse2::<syn::Path>(path) {
            Ok(path) => self.krate = path.to_token_stream(),
            Err(_) => errors.at(span, "expected `crate = path::of::autodiff`"),
        }
    }

    fn read_activity(&mut self, mode: Mode, entry: &[TokenTree], errors: &mut Errors) {
        let expected = legal_inputs(mode);
        match entry {
            [TokenTree::Ident(name)] => match Activity::from_name(&name.to_string()) {
                Some(activity) => self.activities.push((activity, name.span())),
                None => errors.at(name.span(), format!("unknown activity `{name}`; write {expected}")),
            },
            [token, ..] => errors.at(token.span(), format!("expected an activity: {expected}")),
            [] => errors.at(Span::call_site(), "an entry between two commas is missing"),
        }
    }
}

/// The entries between commas; a comma at the end is allowed. Groups that macros put around a
/// token are opened.
fn split(tokens: TokenStream) -> Vec<Vec<TokenTree>> {
    let mut entries = vec![Vec::new()];
    for token in flatten(tokens) {
        match token {
            TokenTree::Punct(comma) if comma.as_char() == ',' => entries.push(Vec::new()),
            token => entries.last_mut().expect("starts with one entry").push(token),
        }
    }
    if entries.last().is_some_and(Vec::is_empty) {
        entries.pop();
    }
    entries
}

fn flatten(tokens: TokenStream) -> Vec<TokenTree> {
    let mut flat = Vec::new();
    for token in tokens {
        match token {
            TokenTree::Group(group) if group.delimiter() == Delimiter::None => {
                flat.extend(flatten(group.stream()));
            }
            token => flat.push(token),
        }
    }
    flat
}
