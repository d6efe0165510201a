//! The C printer: types, expressions, operations and file-scope declarations of a CFA as C text.
//!
//! What it prints compiles with `gcc -std=gnu11` and builds the same operations again: every conversion is written as a
//! cast, constants carry their suffix or cast, and typedefs are replaced by what they stand for. Functions as a whole
//! are printed by whoever knows their control structure (`reduce`).
//! Invariants: a name stands for one thing in the whole text ([`Names`]); top-level `const` of objects and members is
//! dropped, because initialisation has become assignment; records whose layout the plain declaration would not give
//! are printed packed, with explicit padding.
//! Does not know source text; typedef names, macros and comments are gone.

mod constant;
mod declaration;
mod expression;
mod initializer;
mod names;
mod statement;
mod types;

#[cfg(test)]
mod tests;

pub use self::names::Names;
pub use self::statement::{UNSUPPORTED, unsupported};

use crate::cfa::Cfa;

/// What cannot be printed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PrintError {
    /// No declaration gives the record this layout.
    #[error("the layout of {0} cannot be written down")]
    Layout(Box<str>),
    /// No initialiser gives the object these bytes.
    #[error("the initial value of {0} cannot be written down")]
    Initializer(Box<str>),
    /// No C text stands for the operation.
    #[error("{0} cannot be written down")]
    Operation(Box<str>),
}

/// Prints parts of one CFA.
#[derive(Clone, Copy, Debug)]
pub struct Printer<'a> {
    cfa: &'a Cfa,
    names: &'a Names,
}

impl<'a> Printer<'a> {
    /// A printer that calls things as `names` says.
    #[must_use]
    pub const fn new(cfa: &'a Cfa, names: &'a Names) -> Self {
        Self { cfa, names }
    }

    /// The names it uses.
    #[must_use]
    pub const fn names(&self) -> &'a Names {
        self.names
    }
}
