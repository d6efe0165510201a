//! The second look at a proof by invariants.

use program::cfa::LocationId;
use smt::terms::Op;
use smt::{Answer, TermId, TermStore};

use super::instances;
use super::invariant::Invariant;
use crate::block::Block;
use crate::control::{Cause, Position, SymbolicState, Target};
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

/// The invariants, and the error locations that count.
type Against<'a> = (&'a [Invariant], &'a dyn Fn(LocationId) -> bool);

/// An invariant of more cases than this is not taken apart.
const MOST_CASES: usize = 64;

/// Checks a proof anew: the invariants hold at the start, every block preserves them, and none leads to the error.
/// Blocks are encoded again and every question goes to a fresh solver; positions without an invariant are unreachable. Only
/// the error locations that `goals` names count.
///
/// # Errors
/// The first [`Gap`].
pub fn check(session: &mut Session, invariants: &[Invariant], goals: &dyn Fn(LocationId) -> bool) -> Result<(), Gap> {
    let Some(start) = session.explorer.start() else { return Ok(()) };
    let truth = session.store.tt();
    let entry = session.new_block(start, Start::Program).map_err(|cause| unbuilt(&cause))?;
    check_block(session, (invariants, goals), (None, truth), &entry)?;
    for invariant in invariants {
        let at = invariant.position;
        let whole = check_from(session, (invariants, goals), (at, invariant.formula), SymbolicState::unchanged());
        match whole {
            Err(gap) if gap != Gap::Undecided => check_cases(session, (invariants, goals), invariant, gap)?,
            Ok(()) | Err(_) => whole?,
        }
    }
    Ok(())
}

/// Checks each case of an invariant by itself, where variables have the values that it gives them: what they say of places that are
/// written is lost where they are any values.
fn check_cases(session: &mut Session, against: Against, invariant: &Invariant, gap: Gap) -> Result<(), Gap> {
    let cases = cases(&session.store, invariant.formula);
    let states: Vec<(TermId, SymbolicState)> = cases.into_iter().map(|case| (case, fixed(&session.store, case))).collect();
    if states.len() > MOST_CASES || states.iter().any(|(_, state)| state.is_empty()) {
        return Err(gap);
    }
    states.into_iter().try_for_each(|(case, state)| check_from(session, against, (invariant.position, case), state))
}

/// The cases of a disjunction.
fn cases(store: &TermStore, formula: TermId) -> Vec<TermId> {
    if store.op(formula) == Op::Or { store.args(formula).to_vec() } else { vec![formula] }
}

/// The state in which variables have the values that a conjunction gives them.
fn fixed(store: &TermStore, case: TermId) -> SymbolicState {
    let mut state = SymbolicState::unchanged();
    for part in store.conjuncts(case) {
        let (Op::Eq, &[a, b]) = (store.op(part), store.args(part)) else { continue };
        for (variable, value) in [(a, b), (b, a)] {
            if matches!(store.op(variable), Op::Variable { instance: 0, .. }) && store.as_bits(value).is_some() {
                state.set(variable, value);
            }
        }
    }
    state
}

fn unbuilt(cause: &Cause) -> Gap {
    match cause {
        Cause::Obstacle(_) => Gap::Obstacle(None),
        Cause::Stopped(_) | Cause::Solver | Cause::NoProgress | Cause::Unconfirmed(_) => Gap::Undecided,
    }
}

fn check_from(
    session: &mut Session,
    against: Against,
    (at, premise): (Position, TermId),
    state: SymbolicState,
) -> Result<(), Gap> {
    let block = session.block_from(at, state).map_err(|cause| unbuilt(&cause))?;
    check_block(session, against, (Some(at), premise), &block)
}

fn check_block(
    session: &mut Session,
    (invariants, goals): Against,
    (from, premise): (Option<Position>, TermId),
    block: &Block,
) -> Result<(), Gap> {
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
