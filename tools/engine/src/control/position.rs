//! Positions: the part of an abstract state that is never merged or covered across.
//!
//! A position is location × call stack × condition state. Merge and stop require equal positions.

use program::cfa::LocationId;
use semantics::stack::StackId;

/// Where control stands, in which calls, and what the condition knows of the path so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// The location.
    pub location: LocationId,
    /// The calls that are open.
    pub stack: StackId,
    /// The state of the condition; 0 without a condition.
    pub condition: u32,
}
