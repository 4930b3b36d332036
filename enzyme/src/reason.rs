//! Why a derivative cannot be made, before it is put in the user's terms.

use crate::symbol::Threads;

/// A reason, with the symbols of the functions it is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Reason {
    /// No function to differentiate was found.
    NoBitcode,
    /// A derivative is taken inside, of a function that cannot be found out.
    Nested { function: String },
    /// Threads are started by this function.
    Threads { function: String, kind: Threads },
    /// A panic is caught inside.
    Catches { function: String },
    /// A panic would have to run destructors that cannot be told from other code.
    Cleanup { function: String },
    /// A function pointer from outside is called.
    Indirect { function: String },
    /// A floating-point value is stored in memory that counts as constant.
    StoresInConstant { function: String },
    /// A floating-point value that depends on the arguments passes through a static.
    ThroughStatic { function: String, name: String },
    /// An address may be of constant memory or of memory with a shadow.
    Mixes { function: String },
    /// What a `OnceLock` or its like is initialised with depends on the arguments.
    Initialises { function: String },
    /// Memory that it allocates stays in an argument.
    LeavesMemory { function: String },
    /// What the engine made would never end.
    Endless,
    /// The engine gave up; its words.
    Engine(String),
}

impl Reason {
    /// The function that the reason is found in.
    pub(crate) fn function(&self) -> Option<&str> {
        match self {
            Reason::NoBitcode | Reason::Endless | Reason::Engine(_) => None,
            Reason::Nested { function }
            | Reason::Catches { function }
            | Reason::Cleanup { function }
            | Reason::Indirect { function }
            | Reason::StoresInConstant { function }
            | Reason::Mixes { function }
            | Reason::Initialises { function }
            | Reason::Threads { function, .. }
            | Reason::ThroughStatic { function, .. }
            | Reason::LeavesMemory { function } => Some(function),
        }
    }
}
