//! What ends a run before its end.

use formats::Reason;

/// What is used up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exhaustion {
    /// The CPU budget.
    Cpu,
    /// The memory limit.
    Memory,
    /// Nothing, but a signal or [`crate::Budget::stop`] ended the run.
    Interrupted,
}

impl Exhaustion {
    /// The reason of a verdict UNKNOWN.
    #[must_use]
    pub const fn reason(self) -> Reason {
        match self {
            Self::Cpu => Reason::Budget,
            Self::Memory => Reason::Memory,
            Self::Interrupted => Reason::Interrupted,
        }
    }

    pub(crate) const fn code(self) -> u8 {
        match self {
            Self::Interrupted => 0,
            Self::Cpu => 1,
            Self::Memory => 2,
        }
    }
}

impl std::fmt::Display for Exhaustion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Cpu => "the CPU budget is used up",
            Self::Memory => "the memory limit is reached",
            Self::Interrupted => "the run was interrupted",
        })
    }
}
