//! Violations that are operations: of the properties about arithmetic and memory.
//!
//! Where an operation may violate the property that a program is checked for, the automaton has an assume before it, and
//! behind its false branch a call of an error function. The name of that function says what is wrong; it is C that other
//! programs can read, so a residual program keeps it. Does not know where such operations are ([`crate::lower`] finds those of
//! arithmetic, [`crate::instrument`] those of memory).

use formats::Property;

/// What is wrong with an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Violation {
    /// `/` or `%` by zero.
    DivisionByZero,
    /// A shift by less than 0 or by the width or more.
    ShiftCount,
    /// `<<` of a negative number, or one that loses a bit of a signed number.
    ShiftLoss,
    /// Signed arithmetic whose result does not fit.
    Overflow,
    /// An access through a null pointer.
    NullPointer,
    /// An access through a pointer to no object that is there, or across the end of one.
    InvalidPointer,
    /// An index that the array does not have.
    Index,
    /// `free` of what was not allocated, or is freed already.
    InvalidFree,
    /// Memory that nothing points to at the end.
    Leak,
    /// `__builtin_unreachable` that is reached.
    Unreachable,
    /// `__builtin_clz` or a relative of zero.
    ScanOfZero,
    /// An array whose variable length is not positive.
    Length,
}

/// How the names of the error functions begin.
const PREFIX: &str = "__residue_violation_";

impl Violation {
    /// All of them.
    pub const ALL: [Self; 12] = [
        Self::DivisionByZero,
        Self::ShiftCount,
        Self::ShiftLoss,
        Self::Overflow,
        Self::NullPointer,
        Self::InvalidPointer,
        Self::Index,
        Self::InvalidFree,
        Self::Leak,
        Self::Unreachable,
        Self::ScanOfZero,
        Self::Length,
    ];

    /// The property that is violated.
    #[must_use]
    pub const fn property(self) -> Property {
        match self {
            Self::DivisionByZero => Property::DivZero,
            Self::ShiftCount | Self::ShiftLoss => Property::Shift,
            // No property asks for the last three by themselves: they are guarded where all of them are.
            Self::Overflow | Self::Unreachable | Self::ScanOfZero | Self::Length => Property::NoOverflow,
            Self::NullPointer | Self::InvalidPointer | Self::Index => Property::ValidDeref,
            Self::InvalidFree => Property::ValidFree,
            Self::Leak => Property::ValidMemtrack,
        }
    }

    /// The name of the error function.
    #[must_use]
    pub fn function(self) -> String {
        format!("{PREFIX}{}", self.name().replace(' ', "_"))
    }

    /// A phrase for messages.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::DivisionByZero => "division by zero",
            Self::ShiftCount => "shift by a wrong number of bits",
            Self::ShiftLoss => "left shift that loses bits",
            Self::Overflow => "signed overflow",
            Self::NullPointer => "null pointer access",
            Self::InvalidPointer => "access outside of every object",
            Self::Index => "index out of bounds",
            Self::InvalidFree => "invalid free",
            Self::Leak => "memory leak",
            Self::Unreachable => "unreachable point that is reached",
            Self::ScanOfZero => "bit scan of zero",
            Self::Length => "array length that is not positive",
        }
    }

    /// The violation that an error function stands for.
    #[must_use]
    pub fn of_function(name: &str) -> Option<Self> {
        name.strip_prefix(PREFIX)?;
        Self::ALL.into_iter().find(|violation| violation.function() == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_for_one_violation_each() {
        for violation in Violation::ALL {
            assert_eq!(Violation::of_function(&violation.function()), Some(violation));
            assert!(violation.property().is_of_operations());
        }
        assert_eq!(Violation::of_function("reach_error"), None);
    }
}
