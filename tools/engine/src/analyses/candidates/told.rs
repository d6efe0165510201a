//! What can be said of a program that was proved, with few questions: of its loops, and of statements before errors.
//!
//! Nothing here is what a proof rests on. Does not know how the proof was found, nor how any of it is written.

use std::collections::BTreeSet;

use program::cfa::LocationId;

use super::{Greatest, templates};
use crate::analysis::{STEP, Share};
use crate::control::{Cause, Position, Stop, Target};
use crate::evidence::invariant::Invariant;
use crate::session::{Session, Start};

/// A statement in more calls than this is left out.
const POSITIONS_EACH: usize = 12;

/// What can be said of the loops of a program: invariants of the positions from which a violation can be reached for all that the
/// call graph says, inductive together. `None` where a run may come to what has no treatment.
///
/// # Errors
/// [`Stop::Interrupted`] if the share is used up: nothing is known then.
pub fn of_loops(session: &mut Session<'_>, share: &mut Share<'_>) -> Result<Option<Vec<Invariant>>, Stop> {
    metered(session, share, settled)
}

/// What can be said of statements of a program of which it is known that no run comes to an error: what keeps the rest of
/// the way from one, and what else holds there as far as it is found. To be asked in a session that nothing was encoded in.
///
/// # Errors
/// [`Stop::Interrupted`] if the share is used up: nothing is known then.
pub fn before_errors(
    session: &mut Session<'_>,
    statements: &BTreeSet<LocationId>,
    share: &mut Share<'_>,
) -> Result<Vec<Invariant>, Stop> {
    session.explorer.cut_at(statements.clone());
    let kept = metered(session, share, |session| {
        let positions = statements.iter().filter_map(|at| session.explorer.positions(*at, POSITIONS_EACH)).flatten();
        let positions: Vec<Position> = positions.collect();
        positions.into_iter().map(|position| kept_from_errors(session, position)).collect::<Result<Vec<_>, Cause>>().map(Some)
    })?;
    // What takes too long to find is not said.
    let found = metered(session, share, settled).unwrap_or_default().unwrap_or_default();
    let mut said = kept.unwrap_or_default();
    for one in &mut said {
        let more = found.iter().filter(|more| more.position == one.position).map(|more| more.formula);
        let parts: Vec<_> = std::iter::once(one.formula).chain(more).collect();
        one.formula = session.store.and(&parts);
    }
    Ok(said)
}

/// What holds at a position if no run from there comes to an error before the block ends.
fn kept_from_errors(session: &mut Session, position: Position) -> Result<Invariant, Cause> {
    let block = session.block(position, Start::Anywhere)?;
    let ways = block.exits.iter().filter(|exit| matches!(exit.target, Target::Error(_))).map(|exit| exit.guard);
    let parts: Vec<_> = ways.map(|guard| session.store.not(guard)).collect();
    Ok(Invariant { position, formula: session.store.and(&parts) })
}

fn settled(session: &mut Session) -> Result<Option<Vec<Invariant>>, Cause> {
    let mut search = Greatest::new(templates::propose(session)?, None);
    search.run(session)?;
    Ok(if search.may_end_in_obstacle(session)? { None } else { Some(search.facts(session)) })
}

/// Does some work with the steps of a share; what ends for a reason of its own finds nothing.
fn metered<T>(
    session: &mut Session<'_>,
    share: &mut Share<'_>,
    work: impl FnOnce(&mut Session<'_>) -> Result<Option<T>, Cause>,
) -> Result<Option<T>, Stop> {
    session.meter().grant(share.steps.saturating_mul(STEP));
    let found = work(session);
    session.meter().grant(u64::MAX);
    match found {
        Ok(found) => Ok(found),
        Err(Cause::Stopped(stop)) => Err(stop),
        Err(_) => Ok(None),
    }
}
