//! What the engine's words mean.

#[cfg(test)]
mod tests;

use crate::symbol;

/// The symbol of the function that a complaint is about.
pub(crate) fn function(text: &str) -> Option<String> {
    let complaint = complaint(text)?;
    // A function without a rule or body is worse than the function that calls it.
    ["found for ", "in function "].iter().find_map(|before| symbol_after(first_line(complaint), before))
}

/// Why there is no derivative, and what to do about it.
pub(crate) fn describe(text: &str) -> (String, String) {
    let complaint = complaint(text);
    let failed_check = text.lines().find(|line| line.contains("Assertion `"));
    let head = complaint.map(first_line).unwrap_or_default();
    let inside = symbol_after(head, "in function ").map(|symbol| symbol::demangle(&symbol));
    // What the runtime crate calls its helpers helps nobody.
    let inside = inside.filter(|name| !name.starts_with("autodiff::"));
    let inside = inside.map(|name| format!(" in `{name}`")).unwrap_or_default();

    let said = complaint.or(failed_check).unwrap_or_default();
    if let Some(meaning) =
        MEANINGS.iter().find(|meaning| meaning.signs.iter().any(|sign| said.contains(sign)))
    {
        let callee = symbol_after(head, "found for ").map(|symbol| symbol::demangle(&symbol));
        let callee = callee.map_or_else(|| "a function".to_owned(), |name| format!("`{name}`"));
        let why = meaning.why.replace("{callee}", &callee).replace("{inside}", &inside);
        return (why, meaning.help.to_owned());
    }
    if let Some(check) = failed_check {
        let file = check.split(':').find(|part| part.contains(".cpp") || part.contains(".h"));
        let file = file.and_then(|path| path.rsplit('/').next()).unwrap_or("an unknown place");
        return (format!("Enzyme failed a check of its own (in {file})"), OWN_FAILURE.to_owned());
    }
    let reason = complaint.map_or_else(|| last_words(text), reason);
    if reason.is_none() && (text.contains(CRASHED) || text.contains("Stack dump:")) {
        return (CRASHED.to_owned(), OWN_FAILURE.to_owned());
    }
    let reason = reason.unwrap_or("it gave no reason");
    let help = "report it with what `--dump-ir DIR` writes";
    (format!("Enzyme refuses{inside}: {}", shorten(reason)), help.to_owned())
}

/// What is looked for in a complaint, what it means, and what to do.
struct Meaning {
    signs: &'static [&'static str],
    why: &'static str,
    help: &'static str,
}

const MEANINGS: &[Meaning] = &[
    Meaning {
        signs: &["forward pass found for", "reverse pass found for", "derivative found for"],
        why: "{callee} is called{inside}, and its code is out of reach",
        help: "functions of other languages and of the operating system cannot be differentiated: compute what depends on the arguments in Rust",
    },
    Meaning {
        signs: &["nofree of empty function"],
        why: "code that is out of reach is called{inside}",
        help: "functions of other languages and of the operating system cannot be differentiated: compute what depends on the arguments in Rust",
    },
    Meaning {
        signs: &["marked shadow global"],
        why: "a floating-point value passes through a mutable static{inside}",
        help: "pass the value as an argument or return it instead",
    },
    Meaning {
        signs: &["annot deduce", "ailed to deduce type"],
        why: "Enzyme cannot tell which bytes are floating-point numbers{inside}",
        help: "keep floats and integers out of the same bytes (an enum's variants, a union), or copy field by field",
    },
    Meaning {
        signs: &["llegal updateAnalysis"],
        why: "the same bytes are used as floating-point numbers and as something else{inside}",
        help: "keep floats and integers out of the same bytes (an enum's variants, a union)",
    },
    Meaning {
        signs: &["unknown binary operator"],
        why: "integers are computed from floating-point numbers, or cannot be told from them{inside}",
        help: "compute with floats only what must have a derivative; take hashing and formatting out of the function",
    },
    Meaning {
        signs: &["nofree of unknown value"],
        why: "it calls a function pointer or trait object chosen at run time{inside}",
        help: "pass the function as a generic parameter (`impl Fn`), so that it is known",
    },
    Meaning {
        signs: &["tomic inst not yet handled"],
        why: "it uses an atomic operation{inside}",
        help: "keep counters, locks and other shared state out of the function",
    },
    Meaning {
        signs: &["ptr that isnt arg"],
        why: "Enzyme loses track of an address, or of a floating-point value that travels as an integer{inside}",
        help: "keep addresses and floats out of integers (`as usize`, `to_bits`) and of `black_box` and assembly",
    },
];

/// What the engine says of a derivative that it gave up, from the line that names the function on.
fn complaint(text: &str) -> Option<&str> {
    // A block of a dumped function may be called `error` as well.
    let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1));
    let is_said = |said: &str| !said.starts_with([' ', ';']);
    starts.map(|at| &text[at..]).find(|rest| rest.strip_prefix("error: ").is_some_and(is_said))
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

/// The reason in a complaint. Where it begins with a dump of code, the reason comes after that.
fn reason(complaint: &str) -> Option<&str> {
    let head = first_line(complaint);
    let said = head.split_once("Enzyme: ").or_else(|| head.split_once("error: ")).map(|(_, said)| said)?;
    let is_dump = ["; ", "define ", "<analysis>", "in Mode: "].iter().any(|begin| said.starts_with(begin));
    if !is_dump {
        return Some(said).filter(|said| !said.is_empty());
    }
    let after = complaint.rsplit_once("\n}").or_else(|| complaint.rsplit_once("</analysis>"));
    let after = after.map_or(complaint, |(_, after)| after);
    let is_code = |line: &&str| {
        ["  ", " constantarg[", " constantinst[", " orig: ", "in Mode: "]
            .iter()
            .any(|it| line.starts_with(it))
    };
    after.lines().skip(1).find(|line| !line.trim().is_empty() && !is_code(line)).map(str::trim)
}

/// What an engine said that did not get as far as a function.
fn last_words(text: &str) -> Option<&str> {
    if let Some(fatal) = text.lines().find_map(|line| line.strip_prefix("LLVM ERROR: ")) {
        return Some(fatal);
    }
    // A long text is a dump.
    let is_short = text.lines().count() <= 5 && !text.contains(CRASHED) && !text.contains("Stack dump:");
    text.lines().map(str::trim).rfind(|line| !line.is_empty()).filter(|_| is_short)
}

/// What is added to the words of an engine that did not end by itself.
pub(crate) const CRASHED: &str = "Enzyme crashed";

/// What to do about Enzyme's own failures.
const OWN_FAILURE: &str = "simplify the function, or report it with what `--dump-ir DIR` writes";

/// The symbol that follows `before`, without Enzyme's own prefixes.
fn symbol_after(line: &str, before: &str) -> Option<String> {
    let rest = line.split(before).nth(1)?;
    let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || "_.$".contains(c))).unwrap_or(rest.len());
    let symbol = rest[..end]
        .trim_start_matches("preprocess_")
        .trim_start_matches("fixaugmented_")
        .trim_start_matches("augmented_");
    (!symbol.is_empty()).then(|| symbol.to_owned())
}

fn shorten(text: &str) -> String {
    const MOST: usize = 160;
    if text.chars().count() <= MOST {
        text.to_owned()
    } else {
        text.chars().take(MOST).chain("…".chars()).collect()
    }
}
