//! The files of `expansions/` show what the macros make of typical code. Each begins with the code,
//! in comments. `BLESS=1 cargo test` writes anew what follows.

use std::path::{Path, PathBuf};
use std::{env, fs};

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::{Attribute, Item, ItemFn, Meta};

use crate::activity::Mode;
use crate::{derive, expand};

/// The code in the comments that begin a file.
fn source(text: &str) -> String {
    let comments = text.lines().map_while(|line| line.strip_prefix("//"));
    let lines: Vec<_> = comments.map(|line| line.strip_prefix(' ').unwrap_or(line)).collect();
    lines.join("\n")
}

/// What the first attribute makes of the item, which it replaces or adds to.
fn expansion(source: &str) -> TokenStream {
    let is_ours = |attribute: &Attribute| attribute.path().is_ident("derive");
    if let Ok(Item::Struct(item)) = syn::parse_str(source)
        && item.attrs.iter().any(is_ours)
    {
        return derive::differentiable(item.to_token_stream());
    }
    let mut function: ItemFn = syn::parse_str(source).expect("a function");
    let Meta::List(attribute) = function.attrs.remove(0).meta else { panic!("no list in the attribute") };
    let mode = if attribute.path.is_ident("autodiff_forward") { Mode::Forward } else { Mode::Reverse };
    expand::attribute(mode, attribute.tokens, &function.to_token_stream())
}

/// Formats items, whether they stand in a module or in an `impl`.
fn format(tokens: &TokenStream) -> String {
    let text = tokens.to_string();
    let file = syn::parse_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
    prettyplease::unparse(&file)
}

#[test]
fn expansions_are_as_shown() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("expansions");
    let entries = fs::read_dir(folder).expect("the folder of expansions");
    let files: Vec<PathBuf> = entries.map(|entry| entry.expect("an expansion").path()).collect();
    assert!(files.len() >= 5, "fewer expansions than there are: {files:?}");
    for file in files {
        let shown = fs::read_to_string(&file).expect("an expansion");
        let source = source(&shown);
        let comments = format!("// {}\n", source.replace('\n', "\n// "));
        let expanded = format!("{comments}\n{}", format(&expansion(&source)));
        if env::var_os("BLESS").is_some() {
            fs::write(&file, expanded).expect("the expansion can be written");
        } else {
            assert_eq!(shown, expanded, "{} shows another expansion", file.display());
        }
    }
}
