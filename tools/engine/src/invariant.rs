//! What a proof rests on: for each position where an abstraction is computed, the union of the reached regions.

use program::cfa::LocationId;
use smt::{Answer, TermId};

use crate::arg::Arg;
use crate::block::build::build;
use crate::block::{SymbolicState, Target};
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

/// What keeps invariants from being a proof.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Gap {
    /// From the invariant at the first position a step leads outside the invariant at the second.
    #[error("not inductive from {0:?} to {1:?}")]
    NotInductive(Option<Position>, Position),
    /// The error can be reached from the invariant.
    #[error("the error can be reached from {0:?}")]
    Error(Option<Position>),
    /// Something on the way cannot be treated.
    #[error("an obstacle can be reached from {0:?}")]
    Obstacle(Option<Position>),
    /// The solver does not know, or the run was interrupted.
    #[error("not decided")]
    Undecided,
}

/// Checks a proof anew: the invariants hold at the start, every block preserves them, and none leads to the error.
/// Blocks are encoded again and every question goes to a fresh solver; positions without an invariant are unreachable.
///
/// # Errors
/// The first [`Gap`].
pub fn check(session: &mut Session, invariants: &[Invariant]) -> Result<(), Gap> {
    let Some(start) = session.explorer.start() else { return Ok(()) };
    let state = session.explorer.initial_state(&mut session.store).map_err(|_| Gap::Obstacle(None))?;
    let truth = session.store.tt();
    check_block(session, invariants, None, start, state, truth)?;
    for invariant in invariants {
        let unchanged = SymbolicState::unchanged();
        check_block(session, invariants, Some(invariant.position), invariant.position, unchanged, invariant.formula)?;
    }
    Ok(())
}

fn check_block(
    session: &mut Session,
    invariants: &[Invariant],
    from: Option<Position>,
    entry: Position,
    state: SymbolicState,
    premise: TermId,
) -> Result<(), Gap> {
    let block = build(&mut session.explorer, &mut session.store, entry, state).map_err(|_| Gap::Undecided)?;
    for exit in &block.exits {
        let (claim, gap) = match &exit.target {
            Target::Head(position) => {
                let known = invariants.iter().find(|invariant| invariant.position == *position);
                let claim = known.map_or(session.store.ff(), |invariant| invariant.formula);
                (claim, Gap::NotInductive(from, *position))
            }
            Target::Error(_) => (session.store.ff(), Gap::Error(from)),
            Target::Obstacle(..) => (session.store.ff(), Gap::Obstacle(from)),
        };
        let mut substitution = exit.state.substitution(&session.store);
        let after = substitution.apply(&mut session.store, claim);
        let violated = session.store.not(after);
        match session.check(&[premise, exit.guard, violated]) {
            Ok(Answer::Unsat(_)) => {}
            Ok(Answer::Sat(_)) => return Err(gap),
            Ok(Answer::Unknown(_)) | Err(_) => return Err(Gap::Undecided),
        }
    }
    Ok(())
}
