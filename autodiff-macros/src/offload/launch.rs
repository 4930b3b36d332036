//! `offload! { .. }`.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::{Expr, Token};

use crate::errors::Errors;

const KEYS: [&str; 8] =
    ["kernel", "args", "workgroup_dim", "thread_dim", "dyn_cache", "device", "queue", "crate"];

/// The launch, as an expression.
pub(crate) fn offload(input: TokenStream) -> TokenStream {
    let mut errors = Errors::default();
    let entries = match syn::parse2::<Entries>(input) {
        Ok(entries) => entries,
        Err(error) => {
            errors.push(error);
            return errors.to_tokens();
        }
    };
    let launch = Launch::read(entries, &mut errors);
    match launch {
        Some(launch) if errors.is_empty() => launch.write(),
        _ => {
            let errors = errors.to_tokens();
            quote!({ #errors })
        }
    }
}

/// `key = value, ..`.
struct Entries(Vec<(Ident, Expr)>);

impl Parse for Entries {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let mut entries = Vec::new();
        while !input.is_empty() {
            let key = input.call(Ident::parse_any)?;
            input.parse::<Token![=]>()?;
            entries.push((key, input.parse()?));
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(Self(entries))
    }
}

/// The values of the keys.
struct Launch {
    kernel: Expr,
    args: Vec<Expr>,
    workgroup_dim: Option<Expr>,
    thread_dim: Option<Expr>,
    dyn_cache: Option<Expr>,
    device: Option<Expr>,
    queue: Option<Expr>,
    krate: TokenStream,
}

impl Launch {
    fn read(Entries(entries): Entries, errors: &mut Errors) -> Option<Self> {
        let mut values: [Option<Expr>; KEYS.len()] = Default::default();
        for (key, value) in entries {
            let text = key.unraw().to_string();
            match KEYS.iter().position(|known| *known == text) {
                None => errors.at(
                    key.span(),
                    format!("unknown key `{text}`: there are `{}`", KEYS[..KEYS.len() - 1].join("`, `")),
                ),
                Some(index) if values[index].is_some() => {
                    errors.at(key.span(), format!("`{text}` is given twice"));
                }
                Some(index) => values[index] = Some(value),
            }
        }
        let [kernel, args, workgroup_dim, thread_dim, dyn_cache, device, queue, krate] = values;
        let missing = |errors: &mut Errors, what: &str| errors.at(Span::call_site(), what);
        if kernel.is_none() {
            missing(errors, "there is no kernel to launch: write `kernel = function`");
        }
        if args.is_none() {
            missing(errors, "there are no arguments: write `args = (..)`, a tuple of them, or `args = ()`");
        }
        if let (Some(device), Some(_)) = (&device, &queue) {
            errors
                .on(device, "a queue has a device of its own: write `device = ..` or `queue = ..`, not both");
        }
        let kernel = path(kernel?, errors);
        let args = tuple(args?, errors)?;
        let krate = krate.map_or_else(|| quote!(::autodiff), |krate| quote!(#krate));
        Some(Self { kernel: kernel?, args, workgroup_dim, thread_dim, dyn_cache, device, queue, krate })
    }

    fn write(&self) -> TokenStream {
        let Self { kernel, args, krate, .. } = self;
        let site = Span::mixed_site();
        let offload = quote_spanned!(site=> #krate::offload);
        let private = quote_spanned!(site=> #offload::__private);
        let dimension = |value: &Option<Expr>| {
            value.as_ref().map_or_else(|| quote_spanned!(site=> [1, 1, 1]), |value| quote!(#value))
        };
        let (blocks, threads) = (dimension(&self.workgroup_dim), dimension(&self.thread_dim));
        let bytes = self.dyn_cache.as_ref().map_or_else(|| quote_spanned!(site=> 0), |value| quote!(#value));
        let (function, target) = match (&self.device, &self.queue) {
            (_, Some(queue)) => (quote_spanned!(site=> launch_in), quote!(#queue)),
            (Some(device), _) => (
                quote_spanned!(site=> launch),
                quote_spanned!(site=> ::core::option::Option::Some(#offload::IntoDevice::into_device(#device))),
            ),
            _ => (quote_spanned!(site=> launch), quote_spanned!(site=> ::core::option::Option::None)),
        };
        quote_spanned! {site=>
            #private::#function(#kernel(#(#args),*), #offload::Shape::new(#blocks, #threads, #bytes), #target)
        }
    }
}

/// The kernel, which must be the path of a function.
fn path(kernel: Expr, errors: &mut Errors) -> Option<Expr> {
    if matches!(kernel, Expr::Path(_)) {
        return Some(kernel);
    }
    errors.on(&kernel, "a kernel is a function with `#[offload_kernel]`: write its path");
    None
}

/// The arguments, which must be written as a tuple.
fn tuple(args: Expr, errors: &mut Errors) -> Option<Vec<Expr>> {
    match args {
        Expr::Tuple(tuple) => Some(tuple.elems.into_iter().collect()),
        Expr::Paren(one) => {
            errors.on(&one, "the arguments are a tuple: write a comma behind a single one, `(argument,)`");
            None
        }
        other => {
            errors.on(&other, "the arguments are a tuple, written out: `(first, second)`");
            None
        }
    }
}
