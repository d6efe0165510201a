//! The one place where exit codes are decided.

use crate::exhaustion::Exhaustion;
use formats::Verdict;
use std::process::ExitCode;

/// How a tool ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// The artifact was written, or the verdict is TRUE or "equivalent".
    Success,
    /// The verdict is FALSE or "not equivalent".
    Negative,
    /// The command line or an input cannot be used.
    Usage,
    /// The verdict is UNKNOWN.
    Unknown,
    /// What the run may use was used up before the artifact could be written.
    Exhausted(Exhaustion),
    /// A tool has a bug.
    Internal,
    /// This signal ended the run.
    Interrupted(u8),
}

impl Exit {
    /// The number the shell sees.
    #[must_use]
    pub const fn code(self) -> u8 {
        match self {
            Self::Success => 0,
            Self::Negative => 1,
            Self::Usage => 2,
            Self::Unknown => 3,
            Self::Exhausted(Exhaustion::Cpu | Exhaustion::Interrupted) => 4,
            Self::Exhausted(Exhaustion::Memory) => 5,
            Self::Internal => 101,
            Self::Interrupted(signal) => 128u8.saturating_add(signal),
        }
    }
}

impl From<&Verdict> for Exit {
    fn from(verdict: &Verdict) -> Self {
        match verdict {
            Verdict::True => Self::Success,
            Verdict::False(_) => Self::Negative,
            Verdict::Unknown(_) => Self::Unknown,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}
