//! The crate `libm`. It computes elementary functions by bit tricks and by adding and subtracting
//! large numbers to round, through which the true derivative does not pass: `exp2` would get the
//! slope zero. Enzyme has rules for the C library's functions, by their names; so the crate's
//! functions get these names for as long as Enzyme runs. Their bodies stay their own.

use super::allocator::MANGLED;
use crate::llvm::{Attribute, Context, Function, Module, Place, Type};
use crate::symbol;

/// The functions with a rule. Those on `f32` end in `f`.
const KNOWN: [&str; 31] = [
    "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "cos", "cosh", "erf", "erfc", "exp",
    "exp10", "exp2", "expm1", "fabs", "fdim", "fmod", "hypot", "log", "log10", "log1p", "log2", "pow", "sin",
    "sinh", "sqrt", "tan", "tanh", "tgamma",
];

/// Gives the crate's functions the names that Enzyme knows.
pub(super) fn rename<'c>(context: &'c Context, module: &Module<'c>) {
    for function in module.functions().filter(|function| !function.is_declaration()) {
        let mangled = function.name();
        let Some(name) = known(&mangled).filter(|name| computes_numbers(function, name)) else { continue };
        if let Some(existing) = module.function(&name) {
            function.replace_uses(*existing);
        } else {
            function.set_name(&name);
            function.add_attribute(context, Place::Function, Attribute::Text(MANGLED, &mangled));
            function.add_attribute(context, Place::Function, Attribute::Enum("noinline", 0));
        }
    }
}

/// The C name of one of the crate's functions, if Enzyme has a rule for it.
fn known(mangled: &str) -> Option<String> {
    // Quick and for most functions final.
    if !mangled.contains("4libm") {
        return None;
    }
    let path = symbol::demangle(mangled);
    let name = path.strip_prefix("libm::math::")?.rsplit("::").next()?;
    has_rule(name).then(|| name.to_owned())
}

/// Whether Enzyme has a rule for a function of the C library.
pub(super) fn has_rule(name: &str) -> bool {
    KNOWN.contains(&name.strip_suffix('f').filter(|name| *name != "er").unwrap_or(name))
}

/// Whether a function takes and returns numbers of the type that its name says.
fn computes_numbers<'c>(function: Function<'c>, name: &str) -> bool {
    let wanted = if KNOWN.contains(&name) { "double" } else { "float" };
    let right = |ty: Type<'c>| ty.float_name() == Some(wanted);
    let signature = function.signature();
    right(signature.result()) && signature.params().into_iter().all(right)
}

#[cfg(test)]
mod tests {
    use super::known;

    #[test]
    fn the_crates_functions_are_known_by_their_paths() {
        let name = |symbol| known(symbol);
        assert_eq!(name("_RNvNtNtCs1_4libm4math4exp24exp2").as_deref(), Some("exp2"));
        assert_eq!(name("_RNvNtNtCs1_4libm4math4sinf4sinf").as_deref(), Some("sinf"));
        assert_eq!(name("_RNvNtNtCs1_4libm4math3erf3erf").as_deref(), Some("erf"));
        assert_eq!(name("_RNvNtNtCs1_4libm4math3erf4erff").as_deref(), Some("erff"));
        assert_eq!(name("_RNvNtNtCs1_4libm4math5k_cos5k_cos"), None);
        assert_eq!(name("_RNvNtCs1_5other4exp24exp2"), None);
    }
}
