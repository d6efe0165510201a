//! Witnesses in YAML, format 2.0 and 2.1: `violation_sequence` and `invariant_set`.
//!
//! A violation sequence is a list of segments; a segment is passed by passing its last waypoint and none of the others.
//! Our own witnesses are of version 2.0, which every reader of the format knows.
//! Does not know GraphML, nor entries of other types, which are skipped as the format demands.

mod positions;
mod reader;
mod wire;
mod writer;

pub use positions::Positions;
pub(super) use reader::read;

use super::{Metadata, Place};

/// The version that is written.
pub const VERSION: &str = "2.0";
/// The versions that are read.
pub const VERSIONS: &[&str] = &["2.0", "2.1"];

/// The JSON schema of these versions.
pub const SCHEMA: &str = include_str!("../../../schemas/witness-2.schema.json");

/// A violation witness as a list of waypoints, all to be followed; the last one is the target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ViolationSequence {
    /// Who says so, of which program.
    pub metadata: Metadata,
    /// The waypoints in the order in which the path passes them.
    pub waypoints: Vec<Waypoint>,
}

/// Something a path passes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waypoint {
    /// What is passed.
    pub kind: WaypointKind,
    /// Where: the place the format prescribes for the kind.
    pub place: Place,
}

/// What a path passes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WaypointKind {
    /// Before the statement or declaration that begins at the place, a C expression is not 0.
    Assumption(String),
    /// The branching statement whose keyword stands at the place goes this way.
    Branching(bool),
    /// The function that is called at the place (the closing parenthesis of the call) is entered.
    FunctionEnter,
    /// The call whose closing parenthesis stands at the place has this result (a constant).
    FunctionReturn(String),
    /// The violation, at the beginning of the statement or full expression at the place.
    Target,
}

#[cfg(test)]
mod tests;
