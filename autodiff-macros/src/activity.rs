//! Directions of differentiation, and what happens to each argument.

use std::fmt;

/// Direction of differentiation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    Forward,
    Reverse,
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Forward => "forward",
            Self::Reverse => "reverse",
        })
    }
}

/// What happens to an argument or to the return value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Activity {
    Const,
    Active,
    ActiveOnly,
    Dual,
    DualOnly,
    Dualv,
    DualvOnly,
    Duplicated,
    DuplicatedOnly,
    /// One that was reported already. It fits everywhere, so as to be no second mistake.
    Unknown,
}

impl Activity {
    const ALL: [(&'static str, Self); 9] = [
        ("Const", Self::Const),
        ("Active", Self::Active),
        ("ActiveOnly", Self::ActiveOnly),
        ("Dual", Self::Dual),
        ("DualOnly", Self::DualOnly),
        ("Dualv", Self::Dualv),
        ("DualvOnly", Self::DualvOnly),
        ("Duplicated", Self::Duplicated),
        ("DuplicatedOnly", Self::DuplicatedOnly),
    ];

    /// The activity of that name.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(known, _)| *known == name).map(|(_, activity)| *activity)
    }

    /// Whether arguments may have it in that mode.
    pub(crate) fn fits_input(self, mode: Mode) -> bool {
        match mode {
            Mode::Forward => self.is_dual() || matches!(self, Self::Const | Self::Unknown),
            Mode::Reverse => {
                matches!(self, Self::Const | Self::Active | Self::Unknown) || self.is_duplicated()
            }
        }
    }

    /// Whether a return value may have it in that mode.
    pub(crate) fn fits_output(self, mode: Mode) -> bool {
        match mode {
            Mode::Forward => self.is_dual() || matches!(self, Self::Const | Self::Unknown),
            Mode::Reverse => {
                matches!(self, Self::Const | Self::Active | Self::ActiveOnly | Self::Unknown)
            }
        }
    }

    /// `Dual` and its relatives.
    pub(crate) fn is_dual(self) -> bool {
        matches!(self, Self::Dual | Self::DualOnly | Self::Dualv | Self::DualvOnly)
    }

    /// `Duplicated` and `DuplicatedOnly`.
    pub(crate) fn is_duplicated(self) -> bool {
        matches!(self, Self::Duplicated | Self::DuplicatedOnly)
    }

    /// Whether one shadow holds all directions, one after the other.
    pub(crate) fn is_packed(self) -> bool {
        matches!(self, Self::Dualv | Self::DualvOnly)
    }

    /// Whether the primal is not needed afterwards.
    pub(crate) fn is_only(self) -> bool {
        matches!(self, Self::ActiveOnly | Self::DualOnly | Self::DualvOnly | Self::DuplicatedOnly)
    }
}

impl fmt::Display for Activity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = Self::ALL.iter().find(|(_, activity)| activity == self).map_or("", |(name, _)| name);
        f.write_str(name)
    }
}

/// What to write for arguments, as text.
pub(crate) fn legal_inputs(mode: Mode) -> &'static str {
    match mode {
        Mode::Forward => "`Const`, `Dual`, `DualOnly`, `Dualv` or `DualvOnly`",
        Mode::Reverse => "`Const`, `Active`, `Duplicated` or `DuplicatedOnly`",
    }
}

/// What to write for a return value, as text.
pub(crate) fn legal_outputs(mode: Mode) -> &'static str {
    match mode {
        Mode::Forward => "`Const`, `Dual` or `DualOnly`",
        Mode::Reverse => "`Const`, `Active` or `ActiveOnly`",
    }
}
