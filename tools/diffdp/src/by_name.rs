//! A pair without the bodies of the C library.
//!
//! What is known of a library function by name holds whatever it is called with, so a pair that has nothing left to check
//! without bodies has nothing left with them; and it is decided there more often: a call of `snprintf` is one operation, its
//! body a loop over everything its arguments lead to. The difference graph is then about the programs without bodies, and
//! says so: who reads it reads them in the same way.
//! Does not know how to detect anything.

use console::Budget;
use formats::{Library, ProgramOptions};
use program::cfa::Cfa;
use program::diagnostic::Diagnostic;
use program::source::SourceFile;
use program::{Choice, load_source, load_source_about};

/// The two programs of a change.
pub(crate) struct Pair {
    /// The one before it.
    pub(crate) original: Cfa,
    /// The one after it.
    pub(crate) modified: Cfa,
}

/// The texts of the two programs.
pub(crate) struct Texts {
    /// The one before the change.
    pub(crate) original: SourceFile,
    /// The one after it.
    pub(crate) modified: SourceFile,
}

impl Texts {
    /// Both programs, about the property that the modified one is about.
    ///
    /// # Errors
    /// As [`load_source`].
    pub(crate) fn load(&self, options: &ProgramOptions, choice: Choice) -> Result<Pair, Diagnostic> {
        let modified = load_source_about(self.modified.clone(), options, choice)?;
        let options = ProgramOptions { property: modified.options.property, ..options.clone() };
        Ok(Pair { original: load_source(self.original.clone(), &options)?, modified })
    }

    /// The pair without the bodies that the library that comes with the tools gave it; `None` if it gave none, or if time is
    /// short.
    pub(crate) fn load_by_name(&self, pair: &Pair, budget: &Budget) -> Option<Pair> {
        let has_bodies = |cfa: &Cfa| cfa.functions.iter().any(|function| cfa.source.is_library(function.span));
        let is_asked = pair.modified.options.library.is_own() && (has_bodies(&pair.original) || has_bodies(&pair.modified));
        let has_time = budget.remaining().is_none_or(|left| left > 4 * Budget::cpu_used());
        if !is_asked || !has_time {
            return None;
        }
        let options = ProgramOptions { library: Library::None, ..pair.modified.options.clone() };
        // It was read a moment ago: whatever fails now fails for the bodies, too.
        self.load(&options, Choice::Named).ok()
    }
}
