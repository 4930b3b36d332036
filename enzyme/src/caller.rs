//! Where the user has asked for the derivative of a closure: a call of the runtime crate, which
//! passes on the place that it is called from.

use crate::llvm::{Context, Function, Image, Instruction};
use crate::protocol::Location;
use crate::source::Source;
use crate::symbol;

/// The place of a call that asks for the derivative of a shim, if the shim is made for a type.
pub(crate) fn place(sources: &[Source], shim: &str) -> Option<Location> {
    let name = symbol::demangle(symbol::without_suffix(shim));
    let passed = first_argument(&name)?;
    sources.iter().filter(|source| !source.std).find_map(|source| {
        let context = Context::new();
        let module = context.parse_bitcode(&source.bytes).ok()?;
        let functions = module.functions().filter(|function| !symbol::is_ours(&function.name()));
        functions.flat_map(Function::instructions).find_map(|call| {
            let name = call.callee()?.name();
            let asks = symbol::is_ours(&name) && mentions(&symbol::demangle(&name), passed);
            asks.then(|| passed_place(call)).flatten()
        })
    })
}

/// The `core::panic::Location` that a call passes on, its last argument.
fn passed_place(call: Instruction<'_>) -> Option<Location> {
    let place = Image::of(call.arguments().pop()?.as_global()?)?;
    let file = Image::of(place.pointer(0)?.as_global()?)?;
    let file = file.bytes(0..usize::try_from(place.u64(8)?).ok()?)?;
    let file = std::str::from_utf8(file).ok()?.to_owned();
    Some(Location { file, line: place.u32(16)?, column: place.u32(20)? })
}

/// The first generic argument of a function's name.
fn first_argument(name: &str) -> Option<&str> {
    let (_, arguments) = name.split_once("::<")?;
    let mut depth = 0;
    let mut before = ' ';
    for (at, character) in arguments.char_indices() {
        match character {
            '<' | '(' | '[' => depth += 1,
            '>' if before == '-' => {}
            ',' | '>' if depth == 0 => return Some(&arguments[..at]),
            '>' | ')' | ']' => depth -= 1,
            _ => {}
        }
        before = character;
    }
    None
}

/// Whether a name has a type among its generic arguments.
fn mentions(name: &str, ty: &str) -> bool {
    let ends = |rest: &str| rest.starts_with([',', '>']);
    name.match_indices(ty).any(|(at, _)| name[..at].ends_with(['<', ' ']) && ends(&name[at + ty.len()..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_told_from_others_that_begin_alike() {
        let closure = "a::main::{closure#0}";
        let shim = format!("autodiff::shim::value::<{closure}, f64>");
        assert_eq!(first_argument(&shim), Some(closure));
        assert_eq!(
            first_argument("autodiff::shim::f::<fn(f64, u8) -> f64, f64>"),
            Some("fn(f64, u8) -> f64")
        );
        assert_eq!(first_argument("first"), None);
        assert!(mentions(&format!("autodiff::transform::derivative::<f64, {closure}>"), closure));
        assert!(!mentions("autodiff::transform::derivative::<f64, a::main::{closure#0}::inner>", closure));
        assert!(!mentions("autodiff::transform::derivative::<f64, a::f2>", "a::f"));
    }
}
