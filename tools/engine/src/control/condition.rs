//! Conditions as the engine steps them: a state number per position, nothing for a covered path.

use program::cfa::EdgeId;
use semantics::cursor::{ConditionCursor, Coverage};

/// Steps a condition along edges.
pub trait Condition {
    /// The state before the first edge; `None` if everything is covered.
    fn initial(&self) -> Option<u32>;
    /// The state behind an edge that leaves `state`; `None` if the path is covered now.
    fn step(&self, state: u32, edge: EdgeId) -> Option<u32>;
}

/// A condition automaton.
#[derive(Debug)]
pub struct Covered(pub ConditionCursor);

/// The number of the state that stands for "uncovered for ever".
const UNCOVERED: u32 = u32::MAX;

impl Covered {
    fn state(coverage: Coverage) -> Option<u32> {
        match coverage {
            Coverage::Open(state) => Some(state),
            Coverage::Uncovered => Some(UNCOVERED),
            Coverage::Covered => None,
        }
    }
}

impl Condition for Covered {
    fn initial(&self) -> Option<u32> {
        Self::state(self.0.start())
    }

    fn step(&self, state: u32, edge: EdgeId) -> Option<u32> {
        let coverage = if state == UNCOVERED { Coverage::Uncovered } else { Coverage::Open(state) };
        Self::state(self.0.step(coverage, edge))
    }
}
