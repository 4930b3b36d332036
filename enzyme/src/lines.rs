//! Finding the instruction that an engine complains of: each gets a line number of its own.

use std::iter;

use crate::llvm::{Context, Function, Instruction, Module, Value};
use crate::protocol::Location;

/// The places in the source of numbered instructions.
pub(crate) struct Lines(Vec<Vec<Location>>);

impl Lines {
    /// Numbers the instructions of a module that has debug information.
    pub(crate) fn number<'c>(context: &'c Context, module: &Module<'c>) -> Self {
        let instructions: Vec<_> = module.functions().flat_map(Function::instructions).collect();
        // All are read before the first is changed.
        let known: Vec<_> = instructions.iter().map(|instruction| near(*instruction)).collect();
        let mut places = Vec::new();
        for (instruction, place) in instructions.into_iter().zip(known) {
            // Line 0 is none.
            if instruction.set_line(context, places.len() as u32 + 1) {
                places.push(place);
            }
        }
        Lines(places)
    }

    /// The places of the only instruction that reads like a value, as the engine prints it, in the
    /// text of the numbered module. Names and numbers of values differ.
    pub(crate) fn resembling(&self, value: &str, module: &str) -> Vec<Location> {
        let value = without_names(value.strip_prefix("ptr ").unwrap_or(value));
        let fits = |line: &&str| {
            let line = without_names(line);
            if value.starts_with("asm ") { line.contains(&value) } else { line == value }
        };
        let mut fitting = module.lines().filter(|line| line.contains(", !dbg !")).filter(fits);
        let (Some(line), None) = (fitting.next(), fitting.next()) else { return Vec::new() };
        let number = line.rsplit_once(", !dbg !").map(|(_, number)| number.split(',').next());
        let location = number.flatten().map(|number| format!("\n!{number} = !DILocation(line: "));
        let found = location.and_then(|location| module.split_once(&location));
        let line = found.and_then(|(_, rest)| rest.split(|c: char| !c.is_ascii_digit()).next());
        line.and_then(|line| line.parse().ok()).map(|line| self.places(line)).unwrap_or_default()
    }

    /// The places of the instruction with a number.
    pub(crate) fn places(&self, number: usize) -> Vec<Location> {
        number.checked_sub(1).and_then(|index| self.0.get(index)).cloned().unwrap_or_default()
    }
}

/// The places of an instruction or, where LLVM has made it up, of one that it has to do with.
fn near(instruction: Instruction<'_>) -> Vec<Location> {
    let operands = instruction.operands().filter_map(Value::as_instruction);
    let users = instruction.users().into_iter().filter_map(Value::as_instruction);
    let candidates = iter::once(instruction).chain(operands).chain(users);
    let is_somewhere = |places: &Vec<Location>| places.iter().any(|place| place.line > 0);
    candidates.map(Instruction::places).find(is_somewhere).unwrap_or_default()
}

/// What is left of an instruction's text when what differs from module to module is taken away.
fn without_names(text: &str) -> String {
    let text = text.split(", !").next().unwrap_or_default();
    let words = text.split_whitespace().filter(|word| !word.starts_with(['%', '#']) && *word != "tail");
    words.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const MODULE: &str = "
  %2 = inttoptr i64 %1 to ptr, !dbg !7
  %3 = call ptr asm sideeffect \"\", \"r\"(ptr %2) #3, !dbg !8, !srcloc !2
  %4 = add i64 %1, 1, !dbg !9
  %5 = add i64 %4, 1, !dbg !7
!7 = !DILocation(line: 1, scope: !3)
!8 = !DILocation(line: 2, scope: !3)
!9 = !DILocation(line: 3, scope: !3)
";

    #[test]
    fn instruction_is_known_by_its_words() {
        let place = |line| Location { file: "f".to_owned(), line, column: 0 };
        let lines = Lines((10..13).map(|line| vec![place(line)]).collect());
        assert_eq!(lines.places(2), [place(11)]);
        assert_eq!(lines.places(0), []);
        assert_eq!(lines.resembling("  %9 = inttoptr i64 %8 to ptr, !dbg !70", MODULE), [place(10)]);
        assert_eq!(lines.resembling("ptr asm sideeffect \"\", \"r\"", MODULE), [place(11)]);
        // There are two of these.
        assert_eq!(lines.resembling("  %9 = add i64 %8, 1", MODULE), []);
    }
}
