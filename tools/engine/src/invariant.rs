//! What a proof rests on: for each position where an abstraction is computed, the union of the reached regions.

use program::cfa::LocationId;
use smt::TermId;

use crate::arg::Arg;
use crate::cegar::{Session, region_formula};
use crate::position::Position;
use crate::predicate::region::Regions;

/// A formula over variables that holds whenever control is at a position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invariant {
    /// Where.
    pub position: Position,
    /// What holds.
    pub formula: TermId,
}

impl Invariant {
    /// The location.
    #[must_use]
    pub fn location(&self) -> LocationId {
        self.position.location
    }
}

/// The invariants of a finished exploration, in order of discovery.
pub fn invariants(session: &mut Session, arg: &Arg) -> Vec<Invariant> {
    let positions: Vec<Position> = arg.positions().collect();
    positions
        .into_iter()
        .map(|position| {
            let mut region = session.regions.none();
            for id in arg.at(position) {
                region = session.regions.or(&region, &arg.node(id).region);
            }
            Invariant { position, formula: region_formula(session, &region) }
        })
        .collect()
}
