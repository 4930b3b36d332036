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

/// More directions than anybody wants, each with its parameters.
const WIDEST: u32 = 1024;

/// What stands between two commas.
#[derive(Default)]
struct Entry {
    tokens: Vec<TokenTree>,
    comma: Option<Span>,
}

/// Reads the attribute. Without a name there is nothing to generate.
pub(crate) fn parse(mode: Mode, tokens: TokenStream, errors: &mut Errors) -> Option<Args> {
    let entries = split(tokens);
    let mut entries = entries.iter();
    let usage = "write the name of the derivative and an activity for each parameter";
    let name = match entries.next().map(|entry| entry.tokens.as_slice()) {
        Some([TokenTree::Ident(name)]) if name != "_" => name.clone(),
        Some(tokens @ [_, ..]) => {
            let found: TokenStream = tokens.iter().cloned().collect();
            let found = found.to_string();
            let message =
                format!("expected the name of the derivative, an identifier, found `{found}`; {usage}");
            errors.on_tokens(tokens, message);
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
        match entry.tokens.as_slice() {
            [TokenTree::Literal(width)] if position == 0 => args.read_width(width, errors),
            [TokenTree::Ident(key), TokenTree::Punct(equals), path @ ..]
                if key == "crate" && equals.as_char() == '=' =>
            {
                args.read_crate(path, equals.span(), errors);
            }
            _ => args.read_activity(mode, entry, errors),
        }
    }
    Some(args)
}

impl Args {
    fn read_width(&mut self, literal: &Literal, errors: &mut Errors) {
        let span = literal.span();
        self.width_span = Some(span);
        let Ok(width) = syn::parse2::<syn::LitInt>(literal.to_token_stream()) else {
            let message = format!("expected a width, an integer, or an activity, found `{literal}`");
            return errors.at(span, message);
        };
        match width.base10_parse::<u32>() {
            Ok(0) => errors.at(span, "the width must be at least 1, the number of directions"),
            Ok(width) if width > WIDEST => {
                errors.at(span, format!("the width must be at most {WIDEST}; take several calls"));
            }
            Ok(width) => self.width = width,
            Err(_) => errors.at(span, format!("the width must fit u32, and `{literal}` does not")),
        }
    }

    fn read_crate(&mut self, path: &[TokenTree], span: Span, errors: &mut Errors) {
        let path: TokenStream = path.iter().cloned().collect();
        match syn::parse2::<syn::Path>(path) {
            Ok(path) => self.krate = path.to_token_stream(),
            Err(_) => errors.at(span, "expected `crate = path::of::autodiff`"),
        }
    }

    fn read_activity(&mut self, mode: Mode, entry: &Entry, errors: &mut Errors) {
        let expected = legal_inputs(mode);
        match entry.tokens.as_slice() {
            [TokenTree::Ident(name)] => {
                let activity = Activity::from_name(&name.to_string());
                if activity.is_none() {
                    let renamed = match name.to_string().as_str() {
                        "Constant" => "; it is called `Const`",
                        "DuplicatedNoNeed" => "; it is called `DuplicatedOnly`",
                        _ => "",
                    };
                    errors.at(name.span(), format!("unknown activity `{name}`{renamed}; write {expected}"));
                }
                self.activities.push((activity.unwrap_or(Activity::Unknown), name.span()));
            }
            [TokenTree::Literal(literal)] => {
                let message =
                    format!("expected an activity, found `{literal}`; a width stands right after the name");
                errors.at(literal.span(), message);
            }
            tokens @ [token, ..] => {
                let found: TokenStream = tokens.iter().cloned().collect();
                errors.on_tokens(tokens, format!("expected an activity, found `{found}`; write {expected}"));
                self.activities.push((Activity::Unknown, token.span()));
            }
            [] => errors
                .at(entry.comma.unwrap_or_else(Span::call_site), "expected an activity before this comma"),
        }
    }
}

/// The entries between commas; a comma at the end is allowed. Groups that macros put around a
/// token are opened.
fn split(tokens: TokenStream) -> Vec<Entry> {
    let mut entries = Vec::new();
    let mut entry = Entry::default();
    for token in flatten(tokens) {
        match token {
            TokenTree::Punct(comma) if comma.as_char() == ',' => {
                entry.comma = Some(comma.span());
                entries.push(std::mem::take(&mut entry));
            }
            token => entry.tokens.push(token),
        }
    }
    if !entry.tokens.is_empty() {
        entries.push(entry);
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
