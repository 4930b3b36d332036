//! Names of symbols.

/// The allocator's entry points, by their plain names.
pub(crate) const ALLOCATOR: [&str; 4] =
    ["__rust_alloc", "__rust_dealloc", "__rust_realloc", "__rust_alloc_zeroed"];

/// Whether a function allocates or frees and does nothing else: Rust's by their plain names, and
/// the C library's, which moves use.
pub(crate) fn manages_memory(symbol: &str) -> bool {
    ALLOCATOR.contains(&symbol) || ["malloc", "free"].contains(&symbol)
}

/// The plain name of an allocator entry point, which rustc mangles as an item of a crate
/// `__rustc`: `_RNvC…7___rustc12___rust_alloc`.
pub(crate) fn allocator(symbol: &str) -> Option<&'static str> {
    let plain = |name: &str| ALLOCATOR.into_iter().find(|plain| *plain == name);
    let Some((_, item)) = symbol.split_once("7___rustc") else {
        return plain(symbol);
    };
    // The item is its length, an underscore because it starts with one, and its name.
    plain(item.trim_start_matches(|c: char| c.is_ascii_digit()).strip_prefix('_')?)
}

/// Whether a function is the empty one that the allocator's callers call to have it linked.
pub(crate) fn marks_allocator(symbol: &str) -> bool {
    symbol.contains("___rust_no_alloc_shim_is_unstable")
}

/// The runtime crate's allocator for tapes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tape<'a> {
    pub(crate) allocate: &'a str,
    pub(crate) allocate_zeroed: &'a str,
    pub(crate) reallocate: &'a str,
    pub(crate) free: &'a str,
}

impl<'a> Tape<'a> {
    /// Finds it among symbols.
    pub(crate) fn among(symbols: impl Iterator<Item = &'a str> + Clone) -> Option<Self> {
        let symbols = symbols.filter(|symbol| symbol.contains("_8autodiff4tape"));
        let find = |name| symbols.clone().find(|symbol| symbol.ends_with(name));
        Some(Self {
            allocate: find("4tape8allocate")?,
            allocate_zeroed: find("4tape15allocate_zeroed")?,
            reallocate: find("4tape10reallocate")?,
            free: find("4tape4free")?,
        })
    }
}

/// Whether a symbol is an entry point of the allocator or belongs to its shim.
pub(crate) fn is_allocator(symbol: &str) -> bool {
    symbol.contains("7___rustc") || allocator(symbol).is_some()
}

/// A symbol without the suffix that LLVM adds when it makes a local symbol global.
pub(crate) fn without_suffix(symbol: &str) -> &str {
    symbol.split_once(".llvm.").map_or(symbol, |(name, _)| name)
}

/// A function as the user knows it, without the hash.
pub(crate) fn demangle(symbol: &str) -> String {
    format!("{:#}", rustc_demangle::demangle(symbol))
}

/// A function as messages call it: closures have no name of their own.
pub(crate) fn spoken(symbol: &str) -> String {
    let name = demangle(symbol);
    if is_of_library(symbol) {
        let name = without_turbofish(&name);
        return format!("`{}`", if name.starts_with('<') { without_paths(&name) } else { name });
    }
    match name.rfind("::{").filter(|_| is_closure(symbol)) {
        Some(_) => format!("a closure in `{}`", named_closures(function_around(&name))),
        None => format!("`{}`", named_closures(&name)),
    }
}

/// The function that a closure is in.
fn function_around(closure: &str) -> &str {
    let mut name = closure;
    while let Some(at) = name.rfind("::{").filter(|_| name.ends_with('}')) {
        name = &name[..at];
    }
    name
}

/// A name whose generic arguments call closures what we call them.
fn named_closures(name: &str) -> String {
    let in_path = |c: char| c.is_alphanumeric() || "_:{}#".contains(c);
    let mut named = String::new();
    for part in name.split_inclusive(|c: char| !in_path(c)) {
        let path = part.trim_end_matches(|c| !in_path(c));
        match path.split_once("::{") {
            Some(("", _)) => {}
            Some((function, _)) => named.extend(["closure in ", function]),
            None => named.push_str(path),
        }
        named.push_str(&part[path.len()..]);
    }
    named
}

/// Whether a function is a closure.
pub(crate) fn is_closure(symbol: &str) -> bool {
    demangle(symbol).ends_with('}')
}

/// A name without the generic arguments of functions.
fn without_turbofish(name: &str) -> String {
    let Some((before, arguments)) = name.split_once("::<") else { return name.to_owned() };
    let mut depth = 1;
    let mut previous = ' ';
    let end = arguments.char_indices().find(|(_, character)| {
        match character {
            '<' => depth += 1,
            '>' if previous != '-' => depth -= 1,
            _ => {}
        }
        previous = *character;
        depth == 0
    });
    let rest = end.map_or("", |(at, _)| &arguments[at + 1..]);
    format!("{before}{}", without_turbofish(rest))
}

/// A type without the paths in it, which may be private.
pub(crate) fn without_paths(ty: &str) -> String {
    let in_path = |c: char| c.is_alphanumeric() || "_:{}#".contains(c);
    let mut short = String::new();
    for part in ty.split_inclusive(|c: char| !in_path(c)) {
        let name = part.rfind("::").filter(|at| *at > 0).map_or(part, |at| &part[at + 2..]);
        short.push_str(name);
    }
    short
}

/// Whether a function is a derivative that the program calls.
pub(crate) fn is_derivative(symbol: &str) -> bool {
    symbol.starts_with("__autodiff_derivative_")
}

/// Whether a function is the runtime crate's way into a derivative.
pub(crate) fn is_derivative_call(symbol: &str) -> bool {
    symbol.contains("15___autodiff_call") || symbol.ends_with("15__autodiff_call")
}

/// Whether a function is the runtime crate's way into a function with rules.
pub(crate) fn is_rule_call(symbol: &str) -> bool {
    symbol.contains("15___autodiff_rule") || symbol.ends_with("15__autodiff_rule")
}

/// Whether a function belongs to the runtime crate, or was written by its derive macro.
pub(crate) fn is_ours(symbol: &str) -> bool {
    let name = demangle(symbol);
    name.starts_with("autodiff::")
        || krate(symbol) == Some("autodiff")
        || implemented(&name).is_some_and(|of| of.starts_with("autodiff::"))
}

/// The trait of which a method is, in a name such as `<T as Trait>::method`.
fn implemented(name: &str) -> Option<&str> {
    let mut depth = 0;
    let mut before = ' ';
    for (at, character) in name.strip_prefix('<')?.char_indices() {
        match character {
            '<' | '(' | '[' => depth += 1,
            '>' if before == '-' => {}
            '>' | ')' | ']' if depth == 0 => return None,
            '>' | ')' | ']' => depth -= 1,
            ' ' if depth == 0 => {
                if let Some(of) = name[1 + at..].strip_prefix(" as ") {
                    return Some(of);
                }
            }
            _ => {}
        }
        before = character;
    }
    None
}

/// Whether a function belongs to the runtime crate or to the standard library, which the user did
/// not write.
pub(crate) fn is_ours_or_std(symbol: &str) -> bool {
    let name = demangle(symbol);
    let path = name.trim_start_matches(['<', '&', '(']);
    is_ours(symbol)
        || krate(symbol).is_some_and(|krate| ["core", "alloc", "std", "hashbrown"].contains(&krate))
        || ["core::", "alloc::", "std::", "hashbrown::"].iter().any(|own| path.starts_with(own))
        || path.starts_with("dyn ")
        || calls_function_as_closure(&name)
}

/// The crate that a mangled name begins with: the one with the function or, for a method, the `impl`.
fn krate(symbol: &str) -> Option<&str> {
    let (at, _) = symbol.match_indices('C').find(|(at, _)| {
        let next = symbol[at + 1..].chars().next();
        next.is_some_and(|next| next == 's' || next.is_ascii_digit())
    })?;
    let rest = &symbol[at + 1..];
    let rest = rest.strip_prefix('s').and_then(|rest| rest.split_once('_')).map_or(rest, |(_, rest)| rest);
    let name = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    let length = rest[..rest.len() - name.len()].parse().ok()?;
    name.strip_prefix('_').unwrap_or(name).get(..length)
}

/// Whether a function belongs to the standard library, in a way that tells the user something.
pub(crate) fn is_of_library(symbol: &str) -> bool {
    let name = demangle(symbol);
    symbol.starts_with("_R")
        && is_ours_or_std(symbol)
        && !is_ours(symbol)
        && !calls_function_as_closure(&name)
        && !name.contains("{shim:")
}

/// Whether this is how a function is called where a closure may be: `<f as Fn<(f64,)>>::call`.
fn calls_function_as_closure(name: &str) -> bool {
    name.starts_with('<')
        && name.contains(" as core::ops::function::Fn")
        && [">::call", ">::call_mut", ">::call_once"].iter().any(|method| name.ends_with(method))
}

/// Whether a function of the standard library only looks after state of its own: it waits for a
/// lock, or counts panics, say. All of these are called by generic code, so libraries export them.
pub(crate) fn keeps_state(symbol: &str) -> bool {
    const NAMES: [&str; 9] = [
        "lock_contended",
        "read_contended",
        "write_contended",
        "wake",
        "wake_writer_or_readers",
        "is_zero_slow_path",
        "register",
        "init_current",
        "current",
    ];
    const PATHS: [&str; 5] = [
        "std::sys::sync::mutex::",
        "std::sys::sync::rwlock::",
        "std::panicking::panic_count::",
        "std::sys::thread_local::destructors::",
        "std::thread::current::",
    ];
    symbol.contains("3std") && {
        let name = demangle(symbol);
        let path = name.trim_start_matches('<');
        let last = name.rsplit("::").next().unwrap_or_default();
        NAMES.contains(&last) && PATHS.iter().any(|own| path.starts_with(own))
    }
}

/// How threads are started; one may use the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Threads {
    Rayon,
    Scope,
    Spawn,
    Builder,
}

/// Whether a function starts threads or hands work to others.
pub(crate) fn starts_threads(symbol: &str) -> Option<Threads> {
    const PATHS: [(&str, Threads); 4] = [
        ("rayon_core::", Threads::Rayon),
        ("std::thread::scoped::scope", Threads::Scope),
        ("std::thread::functions::spawn::", Threads::Spawn),
        ("std::thread::builder::Builder>::spawn", Threads::Builder),
    ];
    if !["6thread", "10rayon_core"].iter().any(|part| symbol.contains(part)) {
        return None;
    }
    let name = demangle(symbol);
    let path = name.trim_start_matches('<');
    PATHS.into_iter().find(|(begin, _)| path.starts_with(begin)).map(|(_, threads)| threads)
}

/// Whether a function of the standard library initialises a static or thread-local when it is used
/// for the first time.
pub(crate) fn initialises(symbol: &str) -> bool {
    calls_once(symbol)
        || symbol.contains("16get_or_init_slow")
            && demangle(symbol).trim_start_matches('<').starts_with("std::sys::thread_local::")
}

/// Whether a function is the one of the standard library that calls a closure once.
pub(crate) fn calls_once(symbol: &str) -> bool {
    symbol.contains("3std") && {
        let name = demangle(symbol);
        name.starts_with("<std::sys::sync::once::") && name.ends_with(">::call")
    }
}

/// Whether a function is a destructor that may do more than free memory.
pub(crate) fn is_destructor(symbol: &str) -> bool {
    destructor(symbol).is_some()
}

/// The type whose destructor a function is, if that may do more than free memory. The collections
/// of `alloc` and `hashbrown` do not; nor does `core`, but for its cells.
pub(crate) fn destructor(symbol: &str) -> Option<String> {
    if !symbol.contains("4Drop") && !symbol.contains("13drop_in_place") {
        return None;
    }
    let name = demangle(symbol);
    if let Some(ty) =
        name.strip_prefix('<').and_then(|name| name.strip_suffix(" as core::ops::drop::Drop>::drop"))
    {
        // Helpers inside a destructor are named after the type it is of.
        let path = ty.trim_start_matches('<');
        let harmless =
            ["alloc::", "hashbrown::", "core::", "std::io::error::"].iter().any(|own| path.starts_with(own));
        return (!harmless || path.starts_with("core::cell::")).then(|| ty.to_owned());
    }
    // The optimiser of rustc may have put a destructor into the function that calls it.
    let ty = name.strip_prefix("core::ptr::drop_in_place::<")?.strip_suffix('>')?;
    let guard =
        ["core::cell::Ref", "core::cell::BorrowRef", "std::sync::"].iter().any(|path| ty.starts_with(path));
    guard.then(|| ty.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closures_are_called_after_the_function_they_are_in() {
        assert_eq!(spoken("_RNCNvCs4Q_1a1f0"), "a closure in `a::f`");
        assert_eq!(spoken("_RNCNCNvCs4Q_1a1f00"), "a closure in `a::f`");
        assert_eq!(spoken("_RNvCs4Q_1a1f"), "`a::f`");
        assert_eq!(spoken("_RINvCs4Q_1a5applyNCNvB2_4main0dE"), "`a::apply::<closure in a::main, f64>`");
        assert_eq!(spoken("mystery"), "`mystery`");
    }

    #[test]
    fn methods_belong_to_their_trait() {
        let of = |name| implemented(name);
        assert_eq!(
            of("<[f64] as autodiff::point::View>::__of_parts"),
            Some("autodiff::point::View>::__of_parts")
        );
        assert_eq!(of("<fn(f64) -> (f64,) as a::B>::c"), Some("a::B>::c"));
        assert_eq!(of("<a::B<<c::D as e::F>::G>>::h"), None);
        assert_eq!(of("a::b::<c::D>"), None);
    }

    #[test]
    fn types_lose_paths_only() {
        assert_eq!(without_paths("std::sync::poison::mutex::MutexGuard<a::B>"), "MutexGuard<B>");
        assert_eq!(without_paths("std::cell::Ref<(a::B, [c::d::E; 3])>"), "Ref<(B, [E; 3])>");
        assert_eq!(without_paths("Guard"), "Guard");
        assert_eq!(without_paths("<a::B as c::D>::E"), "<B as D>::E");
    }

    #[test]
    fn derivative_call_is_known_by_its_mangled_name() {
        assert!(is_derivative_call("_RNvNtCs1_8autodiff4call15___autodiff_call"));
        assert!(!is_derivative_call("_RNvNtCs1_8autodiff4call4call"));
    }

    #[test]
    fn allocator_symbols_are_found_mangled_and_plain() {
        assert_eq!(allocator("_RNvCsfLfy6EI15iL_7___rustc12___rust_alloc"), Some("__rust_alloc"));
        assert_eq!(
            allocator("_RNvCsfLfy6EI15iL_7___rustc19___rust_alloc_zeroed"),
            Some("__rust_alloc_zeroed")
        );
        assert_eq!(allocator("__rust_dealloc"), Some("__rust_dealloc"));
        assert_eq!(allocator("_RNvCsfLfy6EI15iL_7___rustc35___rust_no_alloc_shim_is_unstable_v2"), None);
        assert!(is_allocator("_RNvCsfLfy6EI15iL_7___rustc35___rust_no_alloc_shim_is_unstable_v2"));
        assert_eq!(allocator("_RNvCs6xxl1lAjzDf_1a4main"), None);
    }

    #[test]
    fn function_called_as_a_closure_is_not_the_users() {
        let name = "<ext::energy as core::ops::function::Fn<(&[f64],)>>::call";
        assert!(calls_function_as_closure(name));
        assert!(!calls_function_as_closure("ext::energy::<<F as core::ops::function::Fn<()>>::Output>"));
    }

    #[test]
    fn destructors_of_collections_are_harmless() {
        let guard = "_RNvXs1_NtCs1_3std4syncNtB5_10MutexGuardNtNtNtCs2_4core3ops4drop4Drop4drop";
        assert_eq!(destructor(guard).as_deref(), Some("std::sync::MutexGuard"));
        let vec = "_RNvXs1_NtCs1_5alloc3vecNtB5_3VecNtNtNtCs2_4core3ops4drop4Drop4drop";
        assert_eq!(destructor(vec), None);
    }

    #[test]
    fn destructors_that_do_more_are_named_by_their_type() {
        let table = [
            ("_RNvXCs4Q_1aNtB2_4LoudNtNtNtCs5_4core3ops4drop4Drop4drop", Some("a::Loud")),
            (
                "_RNvXsO_NtCs5_4core4cellNtB5_12BorrowRefMutNtNtNtB7_3ops4drop4Drop4drop",
                Some("core::cell::BorrowRefMut"),
            ),
            (
                "_RINvNtCs5_4core3ptr13drop_in_placeINtNtB4_4cell6RefMutdEECs4Q_1a",
                Some("core::cell::RefMut<f64>"),
            ),
            (
                "_RINvNtCs5_4core3ptr13drop_in_placeINtNtNtNtCs6_3std4sync6poison5mutex10MutexGuarddEECs4Q_1a",
                Some("std::sync::poison::mutex::MutexGuard<f64>"),
            ),
            // Which calls the one of the type itself.
            ("_RINvNtCs5_4core3ptr13drop_in_placeNtCs4Q_1a4LoudEBI_", None),
            ("_RINvNtCs5_4core3ptr13drop_in_placeINtNtCs7_5alloc3vec3VechEECs4Q_1a", None),
            ("_RNvXsE_NtCs7_5alloc4syncINtB5_3ArcdENtNtNtCs5_4core3ops4drop4Drop4dropCs4Q_1a", None),
            (
                "_RNvXsg_NtCs8_9hashbrown3rawINtB5_8RawTableTmdEENtNtNtCs5_4core3ops4drop4Drop4dropCs4Q_1a",
                None,
            ),
            ("_RNvMs6_NtCs7_5alloc2rcINtB5_2RcdE9drop_slowCs4Q_1a", None),
            ("_RNvCs4Q_1a1f", None),
            ("free", None),
        ];
        for (symbol, expected) in table {
            assert_eq!(destructor(symbol).as_deref(), expected, "{symbol}: {}", demangle(symbol));
        }
    }

    #[test]
    fn users_functions_are_told_from_ours_and_the_standard_librarys() {
        let users = [
            "_RNvCs4Q_1a1f",
            "_RNCNvCs4Q_1a1f0",
            "_RNvXCs4Q_1aNtB2_4LoudNtNtNtCs5_4core3ops4drop4Drop4drop",
            // A crate whose name begins like ours.
            "_RNvCs4Q_13autodiff_user1f",
            "mystery",
        ];
        let others = [
            "_RNvNtCs1_8autodiff4call15___autodiff_call",
            "_RNvMNtCs1_8autodiff4siteNtB2_4Site6reason",
            "_RINvNtCs1_8autodiff4shim5valueNvCs4Q_1a1fddEB1_",
            "_RINvNvXs4_NtCs1_8autodiff9attributepINtB8_4ShimTpppEE7ADDRESS4shimNCNvCs4Q_1a1f0dEB1_",
            "_RINvNtCs5_4core3ptr13drop_in_placeNtCs4Q_1a4LoudEBI_",
            "_RNvMs6_NtCs7_5alloc2rcINtB5_2RcdE9drop_slowCs4Q_1a",
            "_RINvXs1_NtNtNtCs5_4core4iter6traits5accumdNtB5_3Sum3sumNCNvCs4Q_1a1f0E",
            "_RNvXs8_NtNtNtCs6_3std11collections4hash3mapINtB5_7HashMapmdEINtNtNtCs5_4core3ops5index5IndexRmE5indexCs4Q_1a",
        ];
        for symbol in users {
            assert!(!is_ours_or_std(symbol), "{}", demangle(symbol));
        }
        for symbol in others {
            assert!(is_ours_or_std(symbol), "{}", demangle(symbol));
        }
    }

    #[test]
    fn names_that_rustc_did_not_mangle_stay_as_they_are() {
        for symbol in ["mystery", "__rust_alloc", "_RNv", "", "llvm.memcpy.p0.p0.i64"] {
            assert_eq!(demangle(symbol), symbol);
        }
        assert_eq!(demangle("_RNCNvCs4Q_1a1f0"), "a::f::{closure#0}");
    }

    #[test]
    fn what_starts_threads_is_known() {
        let scope = "_RINvNtNtCs3_3std6thread6scoped5scopeNCNvCs4Q_1a1f0dEB3_";
        let spawn = "_RINvNtNtCs3_3std6thread9functions5spawnNCNvCs4Q_1a1f0dEB3_";
        let builder = "_RINvMNtNtCs3_3std6thread7builderNtB3_7Builder5spawnNCNvCs4Q_1a1f0dEB9_";
        let current = "_RNvNtNtCs3_3std6thread7current7current";
        assert_eq!(starts_threads(scope), Some(Threads::Scope), "{}", demangle(scope));
        assert_eq!(starts_threads(spawn), Some(Threads::Spawn), "{}", demangle(spawn));
        assert_eq!(starts_threads(builder), Some(Threads::Builder), "{}", demangle(builder));
        assert_eq!(starts_threads(current), None, "{}", demangle(current));
        assert!(keeps_state(current));
        assert!(!keeps_state(scope));
    }

    #[test]
    fn what_initialises_statics_is_known() {
        let once = "_RNvMs_NtNtNtNtCs3_3std3sys4sync4once5futexNtB4_4Once4call";
        let lazy = "_RINvMs0_NtNtNtNtCs3_3std3sys12thread_local6native4lazyINtB6_7StoragedE16get_or_init_slowNvCs4Q_1a1fEB3_";
        assert!(calls_once(once) && initialises(once), "{}", demangle(once));
        assert!(initialises(lazy) && !calls_once(lazy), "{}", demangle(lazy));
        assert!(!initialises("_RNvCs4Q_1a16get_or_init_slow"));
    }

    #[test]
    fn promotion_suffix_is_cut() {
        assert_eq!(without_suffix("_RNv1f.llvm.1234"), "_RNv1f");
        assert_eq!(without_suffix("_RNv1f"), "_RNv1f");
    }
}
