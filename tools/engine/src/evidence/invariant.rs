//! What a proof rests on: a formula for each position where an abstraction is computed.
//!
//! Does not know how a formula was found, or what it proves.

use program::cfa::LocationId;
use smt::TermId;

use crate::control::Position;

/// A formula over variables that holds whenever control is at a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invariant {
    /// Where.
    pub position: Position,
    /// What holds; with the index symbol of [`super::instances`], of every index.
    pub formula: TermId,
}

impl Invariant {
    /// The location.
    #[must_use]
    pub fn location(&self) -> LocationId {
        self.position.location
    }
}
