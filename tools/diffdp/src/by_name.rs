//! A pair without the bodies of the C library.
//!
//! What is known of a library function by name holds whatever it is called with, so a pair that has nothing left to check
//! without bodies has nothing left with them; and it is decided there more often: a call of `snprintf` is one operation, its
//! body a loop over everything its arguments lead to. So that is looked at first, before the bodies are read. The difference
//! graph is then about the programs without bodies, and says so: who reads it reads them in the same way.
//! Does not know how to detect anything.

use console::Budget;
use formats::ProgramOptions;
use program::cfa::Cfa;
use program::diagnostic::Diagnostic;
use program::preprocess::read_source;
use program::{Choice, Unlinked};
use std::path::Path;

/// The two programs of a change, still without bodies of the library.
pub(crate) struct Pair {
    /// The one before it.
    original: Unlinked,
    /// The one after it.
    modified: Unlinked,
    is_own: bool,
}

impl Pair {
    /// Reads both programs, about the property that the modified one is about.
    ///
    /// # Errors
    /// As [`program::load_about`].
    pub(crate) fn read(original: &Path, modified: &Path, options: &ProgramOptions, choice: Choice) -> Result<Self, Diagnostic> {
        let (original, modified) = (read_source(original, options)?, read_source(modified, options)?);
        let modified = Unlinked::read(modified, options, choice)?;
        let property = modified.by_name().options.property;
        let named = ProgramOptions { property, ..options.clone() };
        let original = Unlinked::read(original, &named, Choice::Named)?;
        Ok(Self { original, modified, is_own: options.library.is_own() })
    }

    /// The pair without bodies, the original program first; `None` if there are none that either lacks in the library that
    /// comes with the tools, or if time is short.
    pub(crate) fn by_name(&self, budget: &Budget) -> Option<(&Cfa, &Cfa)> {
        let is_asked = self.is_own && (self.original.lacks_bodies() || self.modified.lacks_bodies());
        let has_time = budget.remaining().is_none_or(|left| left > 4 * Budget::cpu_used());
        (is_asked && has_time).then(|| (self.original.by_name(), self.modified.by_name()))
    }

    /// Both programs as they are read otherwise, the original one first.
    pub(crate) fn linked(self) -> (Cfa, Cfa) {
        (self.original.linked(), self.modified.linked())
    }

    /// Both programs without bodies.
    pub(crate) fn programs(&self) -> [&Cfa; 2] {
        [self.original.by_name(), self.modified.by_name()]
    }
}
