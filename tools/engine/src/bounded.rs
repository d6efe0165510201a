//! Bounded search: symbolic execution from the start of the program, all paths at once, loop by loop.
//!
//! Control passes loop heads in *rounds*: everything that is reached through equally many heads is joined per position.
//! Known values fold conditions on the way, so programs with few inputs are executed rather than solved. Finds short
//! counterexamples, and proves programs whose loops all end within the bound.
//! Does not abstract: where the bound is reached nothing is known.

use std::collections::BTreeMap;

use smt::terms::Assignment;
use smt::{Answer, TermId};

use crate::block::build::{Arrival, join};
use crate::block::guard::{GuardId, Guards};
use crate::block::{SymbolicState, Target};
use crate::counterexample::{Counterexample, choices_on, initial_values};
use crate::explore::Stop;
use crate::position::Position;
use crate::session::Session;

/// How far the search goes.
#[derive(Clone, Copy, Debug)]
pub struct Bound {
    /// Copies of edges.
    pub edges: usize,
    /// Terms built.
    pub terms: usize,
}

/// What the search found.
#[derive(Clone, Debug)]
pub enum Found {
    /// Every path ends within the bound, none at the error.
    Safe {
        /// Rounds until the last path ended.
        rounds: u32,
    },
    /// A feasible path to the error.
    Unsafe(Counterexample),
    /// The bound was reached, or something stood in the way.
    Nothing,
}

/// Searches until a result, the bound, or `give_up` says so.
///
/// # Errors
/// [`Stop`] if the run was interrupted.
pub fn search(session: &mut Session, bound: Bound, mut give_up: impl FnMut() -> bool) -> Result<Found, Stop> {
    let Some(start) = session.explorer.start() else { return Ok(Found::Safe { rounds: 0 }) };
    let Ok(state) = session.explorer.initial_state(&mut session.store) else { return Ok(Found::Nothing) };
    session.explorer.encoder.follow_from_start();
    let found = search_from(session, start, state, bound, &mut give_up);
    session.explorer.encoder.follow_from_anywhere();
    session.explorer.set_round(0);
    found
}

fn search_from(
    session: &mut Session,
    start: Position,
    state: SymbolicState,
    bound: Bound,
    give_up: &mut dyn FnMut() -> bool,
) -> Result<Found, Stop> {
    let mut search = Search { guards: Guards::new(&session.store), pending: BTreeMap::new(), edges: 0, complete: true };
    let first = Arrival { guard: GuardId::ROOT, state };
    search.pending.insert((0, Vec::new(), start), vec![first]);
    let terms = session.store.len();
    let mut last = 0;
    while let Some(((round, _, position), arrivals)) = search.pending.pop_first() {
        if search.edges > bound.edges || session.store.len() - terms > bound.terms || give_up() {
            return Ok(Found::Nothing);
        }
        last = round;
        let arrival = join(&mut search.guards, &mut session.store, arrivals);
        if session.explorer.is_head(position) && !search.feasible(session, arrival.guard)? {
            continue;
        }
        if let Some(model) = search.expand(session, round, position, &arrival)? {
            return Ok(Found::Unsafe(follow(session, start, &model)?));
        }
    }
    Ok(if search.complete { Found::Safe { rounds: last } } else { Found::Nothing })
}

struct Search {
    guards: Guards,
    pending: BTreeMap<(u32, Vec<u32>, Position), Vec<Arrival>>,
    edges: usize,
    /// Nothing was left out so far.
    complete: bool,
}

impl Search {
    /// Follows the edges of a position; a model if one leads to the error.
    fn expand(
        &mut self,
        session: &mut Session,
        round: u32,
        position: Position,
        arrival: &Arrival,
    ) -> Result<Option<Assignment>, Stop> {
        session.explorer.check_limits(0)?;
        session.explorer.set_round(round);
        for edge in session.explorer.out_edges(position) {
            self.edges += 1;
            let Some(successor) = session.explorer.successors(&mut session.store, position, edge, &arrival.state) else {
                continue;
            };
            let guard = successor
                .conditions
                .iter()
                .try_fold(arrival.guard, |guard, condition| self.guards.child(&mut session.store, guard, *condition));
            let Some(guard) = guard else { continue };
            let next = Arrival { guard, state: successor.state };
            match successor.target {
                Ok(target) => self.wait(session, round, target, next),
                Err(Target::Head(target)) => self.wait(session, round + 1, target, next),
                Err(Target::Error(_)) => {
                    let formula = self.guards.term(&mut session.store, guard);
                    match session.check(&[formula])? {
                        Answer::Sat(model) => return Ok(Some(model)),
                        Answer::Unsat(_) => {}
                        Answer::Unknown(_) => self.complete = false,
                    }
                }
                // Where paths were joined, one that is none may lead to what has no treatment.
                Err(Target::Obstacle(..)) => self.complete &= !self.feasible(session, guard)?,
            }
        }
        Ok(None)
    }

    fn wait(&mut self, session: &mut Session, round: u32, target: Position, arrival: Arrival) {
        let key = (round, session.explorer.order(target), target);
        self.pending.entry(key).or_default().push(arrival);
    }

    /// Whether control can come here at all; a guard that is not decided counts as feasible.
    fn feasible(&mut self, session: &mut Session, guard: GuardId) -> Result<bool, Stop> {
        let formula: TermId = self.guards.term(&mut session.store, guard);
        if session.store.as_bool(formula) == Some(true) {
            return Ok(true);
        }
        Ok(!matches!(session.check(&[formula])?, Answer::Unsat(_)))
    }
}

/// The path that a model selects, from the start on.
pub(crate) fn follow(session: &mut Session, start: Position, model: &Assignment) -> Result<Counterexample, Stop> {
    let mut found = Counterexample { initial: initial_values(session, model), ..Counterexample::default() };
    let mut state: SymbolicState = session.explorer.initial_state(&mut session.store).unwrap_or_default();
    let mut cache = rustc_hash::FxHashMap::default();
    let (mut round, mut position) = (0, start);
    'path: loop {
        session.explorer.check_limits(0)?;
        session.explorer.set_round(round);
        for edge in session.explorer.out_edges(position) {
            let Some(successor) = session.explorer.successors(&mut session.store, position, edge, &state) else { continue };
            let store = &session.store;
            let holds = successor.conditions.iter().all(|condition| {
                store.eval_with(*condition, model, &mut cache).ok().and_then(|value| value.as_bool()) == Some(true)
            });
            if !holds {
                continue;
            }
            choices_on(session, &mut found, position, edge, model);
            state = successor.state;
            match successor.target {
                Ok(next) => position = next,
                Err(Target::Head(next)) => (round, position) = (round + 1, next),
                Err(Target::Error(_) | Target::Obstacle(..)) => return Ok(found),
            }
            continue 'path;
        }
        return Ok(found);
    }
}
