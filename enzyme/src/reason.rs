//! Why a derivative cannot be made, before it is put in the user's terms.

use crate::class::Class;
use crate::llvm::{Function, Instruction};
use crate::protocol::Location;

/// A reason. Its words are those of its class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Reason {
    pub(crate) class: Class,
    /// Symbol of the function it was found in, or that is missing.
    pub(crate) function: Option<String>,
    /// Where it was found: the place in the source, then where that was inlined, and so on outwards.
    pub(crate) places: Vec<Location>,
    /// What else it is about.
    pub(crate) what: Option<String>,
    /// All that the engine said, if it was the one to find it.
    pub(crate) said: Option<String>,
}

impl Reason {
    /// A reason that is found nowhere in particular.
    pub(crate) fn new(class: Class) -> Self {
        Reason { class, function: None, places: Vec::new(), what: None, said: None }
    }

    /// A reason that is found in a function.
    pub(crate) fn within(class: Class, function: Function<'_>) -> Self {
        Reason { function: Some(function.name()), ..Reason::new(class) }
    }

    /// A reason that is an instruction.
    pub(crate) fn at(class: Class, instruction: Instruction<'_>) -> Self {
        Reason { places: instruction.places(), ..Reason::within(class, instruction.block().function()) }
    }

    /// The same, about `what`.
    pub(crate) fn about(self, what: impl Into<String>) -> Self {
        Reason { what: Some(what.into()), ..self }
    }
}
