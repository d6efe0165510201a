//! What makes a graph smaller and can be left out: each kind by itself, so that what it brings can be measured.
//!
//! Nothing here is needed for soundness (that is [`crate::Rules`]): a graph without a kind covers less, never more.

use clap::ValueEnum;

/// A kind of reasoning that can be left out.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The guess from the texts which edge was which (what waits or is identical is found without it)
    Alignment,
    /// Functions and variables that correspond by what they do, or by use, although their names differ
    Renames,
    /// What variables are known to hold (ALGORITHM.md 4.13)
    Names,
    /// What the original certainly gets past, or into (ALGORITHM.md 4.10, 4.11)
    Walks,
    /// Parts of the modified program from which the error is out of reach (ALGORITHM.md 4.11)
    DeadEnds,
    /// A first look at both programs without the bodies of the C library
    Library,
}

impl Kind {
    /// All of them, in the order in which they are written down.
    #[must_use]
    pub fn all() -> &'static [Self] {
        Self::value_variants()
    }

    /// As it is named on the command line and in graphs.
    #[must_use]
    pub fn name(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }
}

/// The kinds that are left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeftOut(u8);

impl LeftOut {
    /// Whether a kind is.
    #[must_use]
    pub fn has(self, kind: Kind) -> bool {
        self.0 & (1 << kind as u8) != 0
    }

    /// Their names with commas; none if there are none.
    #[must_use]
    pub fn names(self) -> Option<String> {
        let names: Vec<String> = Kind::all().iter().filter(|kind| self.has(**kind)).map(|kind| kind.name()).collect();
        (!names.is_empty()).then(|| names.join(","))
    }
}

impl FromIterator<Kind> for LeftOut {
    fn from_iter<I: IntoIterator<Item = Kind>>(kinds: I) -> Self {
        Self(kinds.into_iter().fold(0, |all, kind| all | 1 << kind as u8))
    }
}
