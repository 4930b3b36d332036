//! Numbers that are made into text and read from it again. To Enzyme text is constant, so their
//! derivative would be lost without a word.

use std::collections::HashSet;

use super::flow::Flow;
use crate::class::Class;
use crate::library;
use crate::llvm::{Function, Instruction, Module, Value};
use crate::reason::Reason;

/// Finds text that numbers are read from and that may have been made of numbers.
pub(super) fn check<'c>(module: &Module<'c>, flow: &mut Flow<'c>) -> Option<Reason> {
    let functions = module.functions().filter(|function| !function.is_declaration());
    let calls: Vec<_> = functions
        .flat_map(Function::instructions)
        .filter(|it| it.is_call())
        .filter_map(|call| Some((call, call.callee()?.name())))
        .collect();
    let readers: Vec<_> = calls.iter().filter(|(_, name)| library::reads_numbers(name)).collect();
    if readers.is_empty() {
        return None;
    }
    let makers: Vec<_> = calls.iter().filter(|(_, name)| library::makes_text(name)).collect();
    let texts = made_of_numbers(module, &makers, flow);
    readers.into_iter().find_map(|(reader, _)| {
        let arguments = reader.arguments();
        let mut pointers = arguments.into_iter().filter(|argument| argument.ty().is_pointer());
        let made = pointers.any(|pointer| !flow.objects(pointer).is_disjoint(&texts));
        made.then(|| Reason::at(Class::ThroughText, *reader))
    })
}

/// The memory of text that may have been made of numbers, or of such text.
fn made_of_numbers<'c>(
    module: &Module<'c>,
    makers: &[&(Instruction<'c>, String)],
    flow: &mut Flow<'c>,
) -> HashSet<u32> {
    let writers: Vec<_> =
        module.functions().filter(|function| library::writes_numbers(&function.name())).collect();
    let mut texts = HashSet::new();
    let mut known = None;
    while known != Some(texts.len()) {
        known = Some(texts.len());
        for (call, name) in makers {
            // Where the text goes to comes first; what it is made of, with the functions that make it, follows.
            let mut others =
                call.arguments().into_iter().skip(1).filter(|argument| argument.ty().is_pointer());
            let of_numbers = library::writes_numbers(name)
                || others.any(|other| {
                    writers.iter().any(|writer| flow.leads_to(other, **writer))
                        || !flow.all_objects(other).is_disjoint(&texts)
                });
            if of_numbers {
                texts.extend(destination(*call).into_iter().flat_map(|place| flow.all_objects(place)));
            }
        }
    }
    texts
}

/// Where a call puts the text that it makes.
fn destination(call: Instruction<'_>) -> Vec<Value<'_>> {
    let first = call.arguments().into_iter().take(1);
    first.chain([call.value()]).filter(|place| place.ty().is_pointer()).collect()
}
