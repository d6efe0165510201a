//! The second look at a proof by invariants.

use program::cfa::LocationId;
use smt::Answer;
use smt::TermId;

use super::instances;
use super::invariant::Invariant;
use crate::control::{Cause, Position, Target};
use crate::session::{Session, Start};

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
/// Blocks are encoded again and every question goes to a fresh solver; positions without an invariant are unreachable. Only
/// the error locations that `goals` names count.
///
/// # Errors
/// The first [`Gap`].
pub fn check(session: &mut Session, invariants: &[Invariant], goals: &dyn Fn(LocationId) -> bool) -> Result<(), Gap> {
    let Some(start) = session.explorer.start() else { return Ok(()) };
    let truth = session.store.tt();
    check_block(session, (invariants, goals), None, (start, Start::Program), truth)?;
    for invariant in invariants {
        let entry = (invariant.position, Start::Anywhere);
        check_block(session, (invariants, goals), Some(invariant.position), entry, invariant.formula)?;
    }
    Ok(())
}

fn check_block(
    session: &mut Session,
    (invariants, goals): (&[Invariant], &dyn Fn(LocationId) -> bool),
    from: Option<Position>,
    (entry, start): (Position, Start),
    premise: TermId,
) -> Result<(), Gap> {
    let block = session.new_block(entry, start).map_err(|cause| match cause {
        Cause::Obstacle(_) => Gap::Obstacle(None),
        Cause::Stopped(_) | Cause::Solver | Cause::NoProgress | Cause::Unconfirmed(_) => Gap::Undecided,
    })?;
    for exit in &block.exits {
        let (claim, gap) = match &exit.target {
            Target::Head(position) => {
                let known = invariants.iter().find(|invariant| invariant.position == *position);
                let claim = known.map_or(session.store.ff(), |invariant| invariant.formula);
                (claim, Gap::NotInductive(from, *position))
            }
            Target::Error(at) if !goals(at.location) => continue,
            Target::Error(_) => (session.store.ff(), Gap::Error(from)),
            Target::Obstacle(..) => (session.store.ff(), Gap::Obstacle(from)),
        };
        let mut substitution = exit.state.substitution(&session.store);
        let after = substitution.apply(&mut session.store, claim);
        let premise = instances::premise(&mut session.store, premise, &[exit.guard, after]);
        let violated = session.store.not(after);
        match session.check(&[premise, exit.guard, violated]) {
            Ok(Answer::Unsat(_)) => {}
            Ok(Answer::Sat(_)) => return Err(gap),
            Ok(Answer::Unknown(_)) | Err(_) => return Err(Gap::Undecided),
        }
    }
    Ok(())
}
