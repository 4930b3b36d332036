//! What the engine's words mean.

#[cfg(test)]
mod tests;

use crate::class::Class;
use crate::prepare::RULE;
use crate::reason::Reason;

/// The reason that an engine's words give.
pub(crate) fn reason(text: &str) -> Reason {
    let complaint = complaint(text);
    let failed_check = text.lines().find(|line| line.contains("Assertion `"));
    let said = complaint.or(failed_check).unwrap_or_default();
    let meaning = MEANINGS.iter().find(|(_, signs)| signs.iter().any(|sign| said.contains(sign)));
    let function = function(said);
    let rule = function.as_deref().and_then(|function| function.strip_prefix(RULE));
    let reason = match (meaning, failed_check) {
        (Some((Class::NoBody, _)), _) if let Some(rule) = rule => {
            Reason::new(Class::NoRule).about(no_rule(rule, said))
        }
        (Some((class, _)), _) => Reason::new(*class),
        (None, Some(check)) => Reason::new(Class::Failed).about(failure(check)),
        (None, None) => unknown(complaint, text),
    };
    let function = if rule.is_some() { None } else { function };
    Reason { function, said: Some(text.to_owned()), ..reason }
}

/// What is missing of a function with rules.
fn no_rule(rule: &str, complaint: &str) -> String {
    let path = rule.split_once('.').map_or(rule, |(_, path)| path).replace('.', "::");
    let mode = if complaint.contains("mode derivative found") { "forward" } else { "reverse" };
    format!("`{path}` has no rule for {mode} mode, and its body is not differentiated")
}

/// A kind of metadata: what it is on may be a number.
pub(crate) const DOUBT: &str = "autodiff_doubt";

/// What an engine that has not complained says of a number that it took for an address.
pub(crate) fn guess(text: &str) -> Option<&str> {
    let remarks = text.lines().filter_map(|line| line.strip_prefix("remark: "));
    let mut guesses = remarks.filter(|remark| remark.contains(GUESS) && remark.contains(DOUBT));
    guesses.find(|guess| guess.ends_with("assumed {[-1]:Pointer}"))
}

/// The beginning of what an engine says where it guesses.
const GUESS: &str = ": Cannot deduce type of ";

/// The symbol of the function that a complaint is about.
fn function(complaint: &str) -> Option<String> {
    // A function without a rule or body is worse than the function that calls it.
    ["found for ", "of empty function (", "in function "]
        .iter()
        .find_map(|before| symbol_after(first_line(complaint), before))
}

/// The line that an engine complains of, in the sense of [`Lines`](crate::lines::Lines).
pub(crate) fn line(text: &str) -> Option<usize> {
    let said = first_line(complaint(text)?);
    let (place, _) = said.split_once(": in function ").or_else(|| said.split_once(GUESS))?;
    place.rsplit(':').nth(1)?.parse().ok()
}

/// Text by which the same failure of an engine is known again. None for a crash without words.
pub(crate) fn key(text: &str) -> Option<&str> {
    let failed_check = text.lines().find_map(|line| Some(&line[line.find("Assertion `")?..]));
    let said = || match complaint(text) {
        Some(complaint) => reason_in(complaint),
        None => last_words(text),
    };
    // Names of values change when a module does.
    let key = failed_check.or_else(said)?.split(['%', '@']).next()?.trim();
    Some(key).filter(|key| !key.is_empty())
}

/// The value that an engine had no shadow for, as it prints it.
pub(crate) fn lost_value(text: &str) -> Option<&str> {
    let value = text.lines().rev().find_map(|line| line.strip_prefix("oval="))?;
    Some(value.rsplit_once(" icv=").map_or(value, |(value, _)| value))
}

/// A check of the engine's that failed.
fn failure(check: &str) -> String {
    let file = check.split(':').find(|part| part.contains(".cpp") || part.contains(".h"));
    let file = file.and_then(|path| path.rsplit('/').next()).unwrap_or("an unknown place");
    format!("Enzyme failed a check of its own (in {file})")
}

/// What is left when nothing else is known.
fn unknown(complaint: Option<&str>, text: &str) -> Reason {
    if text.contains("LLVM ERROR: out of memory") {
        return Reason::new(Class::Failed).about("Enzyme needs more memory than there is");
    }
    let said = complaint.map_or_else(|| last_words(text), reason_in);
    if said.is_none() && (text.contains(CRASHED) || text.contains("Stack dump:")) {
        return Reason::new(Class::Failed).about(CRASHED);
    }
    Reason::new(Class::Refused).about(shorten(said.unwrap_or("it gave no reason")))
}

/// What is looked for in an engine's words, and what it means.
const MEANINGS: &[(Class, &[&str])] = &[
    (
        Class::NoBody,
        &[
            "forward pass found for",
            "reverse pass found for",
            "derivative found for",
            "nofree of empty function",
        ],
    ),
    (Class::MutableStatic, &["marked shadow global"]),
    (Class::Bytes, &["annot deduce", "ailed to deduce type", "llegal updateAnalysis"]),
    (Class::Integers, &["unknown binary operator"]),
    (Class::Indirect, &["nofree of unknown value"]),
    (Class::Atomic, &["tomic inst not yet handled"]),
    (Class::Address, &["ptr that isnt arg"]),
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
fn reason_in(complaint: &str) -> Option<&str> {
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
