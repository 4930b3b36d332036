//! What is known of the standard library: functions through which no derivative flows.
//!
//! They make text, print, hash, tell the time. Enzyme must not look into them: they treat the bits
//! of numbers as integers, take locks and call the operating system. So they stay as they are,
//! landing pads included, and to Enzyme they are inactive.

use crate::symbol;

/// A group of functions, and why nothing flows through them.
struct Group {
    #[cfg_attr(not(test), expect(dead_code, reason = "it is for those who read the table"))]
    why: &'static str,
    /// Functions, and modules of functions.
    functions: &'static [&'static str],
    /// Types, and modules of types: their methods, and those of traits for them.
    types: &'static [&'static str],
    /// Methods of traits, whatever the type, or modules of traits.
    traits: &'static [&'static str],
}

const TEXT: Group = Group {
    why: "text made of numbers is no number",
    functions: &["core::fmt::write", "alloc::fmt::format"],
    types: &["core::fmt::Formatter", "core::fmt::builders::"],
    traits: &["core::fmt::", "alloc::string::ToString::", "alloc::string::SpecToString::"],
};

const READING: Group = Group {
    why: "text says the same whatever the arguments are; text made of them is looked for",
    functions: &["core::num::dec2flt::", "core::num::imp::dec2flt::"],
    types: &["core::num::dec2flt::", "core::num::imp::dec2flt::"],
    traits: &[],
};

const GROUPS: &[Group] = &[
    TEXT,
    Group {
        why: "what is printed leaves the program; what is read is constant",
        functions: &["std::io::stdio::", "std::io::default_write_fmt"],
        types: &["std::io::stdio::"],
        traits: &["std::io::Write::write_fmt", "std::io::Write::flush"],
    },
    Group {
        why: "a hash is an integer",
        functions: &["core::hash::", "std::hash::"],
        types: &["core::hash::", "std::hash::"],
        traits: &["core::hash::"],
    },
    Group {
        why: "sizes and control bytes of hash tables are integers",
        functions: &["hashbrown::raw::capacity_to_buckets", "hashbrown::raw::bucket_mask_to_capacity"],
        types: &["hashbrown::raw::TableLayout", "hashbrown::control::"],
        traits: &[],
    },
    READING,
    Group {
        why: "clocks do not depend on the arguments",
        functions: &["std::sys::time::"],
        types: &["std::time::", "std::sys::time::", "std::sys::pal::unix::time::"],
        traits: &[],
    },
    Group {
        why: "nor does the environment",
        functions: &["std::env::", "std::sys::env::", "std::sys::args::"],
        types: &["std::env::"],
        traits: &[],
    },
    Group {
        why: "nor does the thread that runs",
        functions: &["std::thread::current", "std::thread::id", "std::thread::functions::"],
        types: &["std::thread::Thread", "std::thread::thread::", "std::thread::id::"],
        traits: &[],
    },
    Group {
        why: "log lines leave the program",
        functions: &["log::__private_api::", "log::logger", "log::max_level"],
        types: &[],
        traits: &["log::Log::"],
    },
];

/// Functions of the C library that LLVM makes calls of, and that compare bytes.
const OF_C: [&str; 4] = ["bcmp", "memchr", "memcmp", "strlen"];

/// Whether no derivative flows through a function, by its symbol.
pub(crate) fn is_inactive(symbol: &str) -> bool {
    let known = |name: &str| group(name).is_some() || reads(name);
    OF_C.contains(&symbol) || symbol.starts_with("_R") && known(&symbol::demangle(symbol))
}

/// Whether a function reads numbers from text.
pub(crate) fn reads_numbers(symbol: &str) -> bool {
    symbol.starts_with("_R") && reads(&symbol::demangle(symbol))
}

fn reads(name: &str) -> bool {
    let from_text = |ty: &str| name.starts_with(&format!("<{ty} as core::str::traits::FromStr>"));
    READING.has(name) || from_text("f64") || from_text("f32")
}

/// Whether a function makes text of something; where the text goes to is its first argument.
pub(crate) fn makes_text(symbol: &str) -> bool {
    symbol.starts_with("_R") && TEXT.has(&symbol::demangle(symbol))
}

/// Whether a function may make text of numbers that are not integers.
pub(crate) fn writes_numbers(symbol: &str) -> bool {
    if !symbol.starts_with("_R") {
        return false;
    }
    let name = symbol::demangle(symbol);
    match Path::of(&name) {
        Path::OfTrait(ty, method) => {
            TEXT.has(&name) && !method.starts_with("core::fmt::Write::") && !is_plain(ty)
        }
        _ => false,
    }
}

/// Whether a type is one of integers or text.
fn is_plain(ty: &str) -> bool {
    const PLAIN: [&str; 19] = [
        "i8",
        "i16",
        "i32",
        "i64",
        "i128",
        "isize",
        "u8",
        "u16",
        "u32",
        "u64",
        "u128",
        "usize",
        "bool",
        "char",
        "str",
        "alloc::string::String",
        "core::fmt::Arguments",
        "mut",
        "dyn",
    ];
    let words = ty.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':'));
    words.filter(|word| !word.is_empty()).all(|word| PLAIN.contains(&word))
}

fn group(name: &str) -> Option<&'static Group> {
    GROUPS.iter().find(|group| group.has(name))
}

impl Group {
    fn has(&self, name: &str) -> bool {
        let begins = |starts: &[&str], path: &str| starts.iter().any(|start| is_below(path, start));
        match Path::of(name) {
            Path::Function(path) => begins(self.functions, path),
            Path::Method(ty) => begins(self.types, ty),
            Path::OfTrait(ty, method) => begins(self.types, ty) || begins(self.traits, &method),
        }
    }
}

/// Whether a path is the given one, or one in the given module.
fn is_below(path: &str, start: &str) -> bool {
    path.strip_prefix(start).is_some_and(|rest| {
        start.ends_with("::") || !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_')
    })
}

/// A demangled name, taken apart.
enum Path<'a> {
    Function(&'a str),
    /// An inherent method: its type.
    Method(&'a str),
    /// A method of a trait: the type and the path of the method.
    OfTrait(&'a str, String),
}

impl<'a> Path<'a> {
    fn of(name: &'a str) -> Self {
        // Destructors belong to the type.
        if let Some(ty) = name.strip_prefix("core::ptr::drop_in_place::<") {
            return Path::Method(ty);
        }
        let Some((inside, method)) = in_brackets(name) else { return Path::Function(name) };
        match split_as(inside) {
            Some((ty, of)) => {
                let of = of.split('<').next().unwrap_or(of);
                Path::OfTrait(ty, format!("{of}{method}"))
            }
            None => Path::Method(inside),
        }
    }
}

/// What is in the angle brackets that a name begins with, and what follows them.
fn in_brackets(name: &str) -> Option<(&str, &str)> {
    let mut depth = 0;
    for (at, c) in name.char_indices() {
        match c {
            '<' => depth += 1,
            // Not the arrow of a function type.
            '>' if !name[..at].ends_with('-') => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return (at > 0).then(|| (&name[1..at], &name[at + 1..]));
        }
    }
    None
}

/// `A as B` outside of brackets within.
fn split_as(inside: &str) -> Option<(&str, &str)> {
    let mut depth = 0;
    for (at, c) in inside.char_indices() {
        match c {
            '<' | '(' | '[' => depth += 1,
            '>' if !inside[..at].ends_with('-') => depth -= 1,
            ')' | ']' => depth -= 1,
            ' ' if depth == 0 && inside[at..].starts_with(" as ") => {
                return Some((&inside[..at], &inside[at + 4..]));
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(name: &str) -> bool {
        group(name).is_some_and(|group| !group.why.is_empty())
    }

    #[test]
    fn what_has_no_derivative_is_known() {
        for name in [
            "core::fmt::write",
            "alloc::fmt::format",
            "alloc::fmt::format::format_inner",
            "<f64 as core::fmt::Display>::fmt",
            "<a::Point as core::fmt::Debug>::fmt",
            "<&[a::Point; 3] as core::fmt::LowerExp>::fmt",
            "<alloc::string::String as core::fmt::Write>::write_fmt",
            "<f64 as alloc::string::SpecToString>::spec_to_string",
            "std::io::stdio::_eprint",
            "<std::io::stdio::StdoutLock as std::io::Write>::write_all",
            "<alloc::vec::Vec<u8> as std::io::Write>::write_fmt",
            "core::ptr::drop_in_place::<std::io::stdio::StdoutLock>",
            "<std::hash::random::RandomState as core::hash::BuildHasher>::hash_one::<&usize>",
            "<std::hash::random::RandomState>::new",
            "<core::option::Option<fn(u8) -> u8> as core::hash::Hash>::hash::<a::H>",
            "core::num::dec2flt::dec2flt::<f64>",
            "<std::time::Instant>::now",
            "<std::time::Instant as core::ops::arith::Sub>::sub",
            "std::env::var::<&str>",
            "std::thread::current::current",
        ] {
            assert!(known(name), "{name}");
        }
    }

    #[test]
    fn what_may_carry_numbers_is_not() {
        for name in [
            "core::fmt::rt::Argument::new",
            "<core::fmt::Arguments>::new::<3, 2>",
            "<core::fmt::rt::Argument>::new_display::<f64>",
            "<alloc::vec::Vec<u8> as std::io::Write>::write_all",
            "<core::time::Duration>::as_secs_f64",
            "<f64 as core::iter::traits::accum::Sum>::sum::<core::fmt::Error>",
            "core::ptr::drop_in_place::<alloc::vec::Vec<std::time::Instant>>",
            "<alloc::vec::Vec<f64>>::push",
            "std::thread::scoped::scope::<a::f::{closure#0}, f64>",
            "std::environment",
            "<a::Y as a::Display>::fmt",
        ] {
            assert!(!known(name), "{name}");
        }
    }
}
