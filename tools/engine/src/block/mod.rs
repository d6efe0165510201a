//! Blocks: the loop-free parts of a program between two positions where abstractions are computed.
//!
//! A block starts at a position and ends at loop heads, at the error, or at an obstacle. It depends on its first position
//! alone, so one encoding serves every abstract state there: each [`Exit`] says under which condition over the values at
//! the start (and over inputs) it is reached, and what the variables are then.
//! Invariant: the guards of the exits of a block exclude each other.

pub mod build;
pub mod guard;
pub mod state;
pub mod trace;

use program::cfa::EdgeId;
use program::source::Span;
use smt::TermId;

use crate::position::Position;
pub use state::SymbolicState;

/// What the verifier cannot treat.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Obstacle {
    /// An operation without sound treatment.
    Unsupported {
        /// Its name.
        construct: String,
        /// The edge it is on.
        edge: EdgeId,
    },
    /// An initialiser without sound treatment.
    Initializer {
        /// Its name.
        construct: String,
        /// Where it stands.
        span: Span,
    },
    /// Recursion deeper than is followed.
    Recursion {
        /// The call.
        edge: EdgeId,
    },
}

/// Where a block ends.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// At a position where an abstraction is computed and the next block starts.
    Head(Position),
    /// At a violation of the property.
    Error(Position),
    /// At something the verifier cannot treat; reaching it makes the verdict UNKNOWN.
    Obstacle(Position, Obstacle),
}

/// One end of a block.
#[derive(Clone, Debug)]
pub struct Exit {
    /// What is there.
    pub target: Target,
    /// When it is reached, over the values at the start and over inputs.
    pub guard: TermId,
    /// The values of the variables there.
    pub state: SymbolicState,
}

/// A block.
#[derive(Clone, Debug)]
pub struct Block {
    /// Where it starts.
    pub entry: Position,
    /// Its ends: obstacles and errors first.
    pub exits: Vec<Exit>,
    /// How many CFA edges were encoded, copies counted.
    pub edges: usize,
}
