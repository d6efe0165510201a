//! Explicit-value analysis: which constants the variables hold at each position.
//!
//! An abstract state is a position and the variables whose value is known there; everything else is arbitrary. Paths
//! between two loop heads are followed one by one and never joined, so that values stay constants; what depends on an
//! input is forgotten at the next loop head. Suits state machines, whose variables hold few constants that only branches
//! tell apart. Gives up where too many paths or states come up, or where forgetting reaches the error.
//! Soundness: a state stands for all values of the variables it does not name; nothing is dropped but what is covered by
//! an equal state.

use rustc_hash::{FxHashMap, FxHashSet};
use smt::{Answer, Op, TermId, TermStore};

use crate::block::build::{Arrival, join};
use crate::block::guard::{GuardId, Guards};
use crate::block::{SymbolicState, Target};
use crate::bounded::follow;
use crate::counterexample::Counterexample;
use crate::explore::Stop;
use crate::invariant::Invariant;
use crate::position::Position;
use crate::session::Session;

/// Paths between two loop heads from one state.
const PATHS: usize = 4_000;
/// Edges of these paths together.
const EDGES: usize = 400_000;
/// States.
const STATES: usize = 60_000;

/// What the analysis found.
#[derive(Clone, Debug)]
pub enum Found {
    /// The error cannot be reached.
    Safe(Vec<Invariant>),
    /// A feasible path to the error.
    Unsafe(Counterexample),
    /// It gave up.
    Nothing,
}

/// Known values by variable, oldest variable first.
type Values = Vec<(TermId, TermId)>;

struct State {
    position: Position,
    values: Values,
    parent: Option<usize>,
}

/// Where a path from a state ended, and what is known there.
struct End {
    target: Target,
    values: Values,
}

/// Explores all states until a result or `give_up` says so.
///
/// # Errors
/// [`Stop`] if the run was interrupted.
pub fn analyse(session: &mut Session, mut give_up: impl FnMut() -> bool) -> Result<Found, Stop> {
    let Some(start) = session.explorer.start() else { return Ok(Found::Safe(Vec::new())) };
    let Ok(initial) = session.explorer.initial_state(&mut session.store) else { return Ok(Found::Nothing) };
    let mut analysis = Analysis { states: Vec::new(), seen: FxHashSet::default(), ground: FxHashMap::default() };
    let values: Values = initial.iter().collect();
    analysis.states.push(State { position: start, values, parent: None });
    let mut next = 0;
    while next < analysis.states.len() {
        if give_up() || analysis.states.len() > STATES {
            return Ok(Found::Nothing);
        }
        let Some(ends) = analysis.expand(session, next)? else { return Ok(Found::Nothing) };
        for end in ends {
            match end.target {
                Target::Head(position) => analysis.add(position, end.values, next),
                Target::Error(_) => return analysis.confirm(session, next),
                Target::Obstacle(..) => return Ok(Found::Nothing),
            }
        }
        next += 1;
    }
    Ok(Found::Safe(analysis.invariants(&mut session.store)))
}

struct Analysis {
    states: Vec<State>,
    seen: FxHashSet<(Position, Values)>,
    /// Whether a term has a value of its own.
    ground: FxHashMap<TermId, bool>,
}

impl Analysis {
    fn add(&mut self, position: Position, values: Values, parent: usize) {
        if self.seen.insert((position, values.clone())) {
            self.states.push(State { position, values, parent: Some(parent) });
        }
    }

    /// Follows all paths from a state to the next loop heads; `None` if there are too many.
    fn expand(&mut self, session: &mut Session, at: usize) -> Result<Option<Vec<End>>, Stop> {
        let mut state = SymbolicState::unchanged();
        for (variable, value) in &self.states[at].values {
            state.set(*variable, *value);
        }
        let mut guards = Guards::new(&session.store);
        let start = Arrival { guard: GuardId::ROOT, state };
        let Some(ends) = paths(session, &mut guards, self.states[at].position, start)? else { return Ok(None) };
        let found = ends.into_iter().map(|(target, end)| {
            let values = match &target {
                Target::Head(next) => self.known_values(session, *next, &end.state),
                Target::Error(_) | Target::Obstacle(..) => Values::new(),
            };
            End { target, values }
        });
        Ok(Some(found.collect()))
    }

    /// The values that are constants, of variables that may still be read.
    fn known_values(&mut self, session: &Session, position: Position, state: &SymbolicState) -> Values {
        state
            .iter()
            .filter(|(variable, value)| {
                self.is_ground(&session.store, *value) && session.explorer.is_live_at(&session.store, position, *variable)
            })
            .collect()
    }

    fn is_ground(&mut self, store: &TermStore, term: TermId) -> bool {
        if let Some(known) = self.ground.get(&term) {
            return *known;
        }
        let mut ground = true;
        store.visit(&[term], |part, op| {
            if matches!(op, Op::Variable { .. }) {
                // The address of an object never changes.
                ground &= store.as_variable(part).is_some_and(|(id, _)| store.variable_name(id).starts_with('&'));
            }
            ground
        });
        self.ground.insert(term, ground);
        ground
    }

    /// Looks for values that drive the program through the states up to this one and to the error.
    fn confirm(&self, session: &mut Session, last: usize) -> Result<Found, Stop> {
        let mut chain = vec![last];
        while let Some(parent) = self.states[chain[chain.len() - 1]].parent {
            chain.push(parent);
        }
        chain.reverse();
        let heads: Vec<(Position, Values)> =
            chain.into_iter().map(|at| (self.states[at].position, self.states[at].values.clone())).collect();
        let Some(formula) = along(session, &heads)? else { return Ok(Found::Nothing) };
        let answer = session.check(&[formula])?;
        let found = match answer {
            Answer::Sat(model) => Found::Unsafe(follow(session, heads[0].0, &model)?),
            Answer::Unsat(_) | Answer::Unknown(_) => Found::Nothing,
        };
        session.explorer.set_round(0);
        Ok(found)
    }

    /// For each position, the disjunction of its states.
    fn invariants(&self, store: &mut TermStore) -> Vec<Invariant> {
        let mut found: indexmap::IndexMap<Position, Vec<TermId>> = indexmap::IndexMap::new();
        for state in self.states.iter().skip(1) {
            let literals: Vec<TermId> = state.values.iter().map(|(variable, value)| store.eq(*variable, *value)).collect();
            let conjunction = store.and(&literals);
            found.entry(state.position).or_default().push(conjunction);
        }
        found.into_iter().map(|(position, states)| Invariant { position, formula: store.or(&states) }).collect()
    }
}

/// The condition under which the program passes these loop heads with these values and then reaches the error. Nothing is
/// forgotten; `None` if there are too many paths.
fn along(session: &mut Session, heads: &[(Position, Values)]) -> Result<Option<TermId>, Stop> {
    let Ok(state) = session.explorer.initial_state(&mut session.store) else { return Ok(None) };
    let mut guards = Guards::new(&session.store);
    let mut here = Arrival { guard: GuardId::ROOT, state };
    for (at, (position, _)) in heads.iter().enumerate() {
        session.explorer.set_round(u32::try_from(at).unwrap_or(u32::MAX));
        let Some(ends) = paths(session, &mut guards, *position, here)? else { return Ok(None) };
        let wanted = heads.get(at + 1);
        let reached: Vec<Arrival> =
            ends.into_iter().filter_map(|(target, end)| pin(session, &mut guards, wanted, &target, end)).collect();
        if reached.is_empty() {
            return Ok(None);
        }
        here = join(&mut guards, &mut session.store, reached);
    }
    Ok(Some(guards.term(&mut session.store, here.guard)))
}

/// An end of a path if it is the wanted loop head, with the values wanted there; without a wanted one, if it is the error.
fn pin(
    session: &mut Session,
    guards: &mut Guards,
    wanted: Option<&(Position, Values)>,
    target: &Target,
    end: Arrival,
) -> Option<Arrival> {
    match (target, wanted) {
        (Target::Error(_), None) => Some(end),
        (Target::Head(head), Some((position, values))) if head == position => {
            let guard = values.iter().try_fold(end.guard, |guard, (variable, value)| {
                let same = session.store.eq(end.state.get(*variable), *value);
                guards.child(&mut session.store, guard, same)
            })?;
            Some(Arrival { guard, state: end.state })
        }
        (Target::Error(_) | Target::Head(_) | Target::Obstacle(..), _) => None,
    }
}

/// The ends of all paths from a position to the next loop heads, errors and obstacles, not joined; `None` if there are
/// too many.
fn paths(
    session: &mut Session,
    guards: &mut Guards,
    position: Position,
    start: Arrival,
) -> Result<Option<Vec<(Target, Arrival)>>, Stop> {
    let mut open = vec![(position, start)];
    let mut ends = Vec::new();
    let mut edges = 0;
    while let Some((position, Arrival { guard, state })) = open.pop() {
        session.explorer.check_limits(edges)?;
        for edge in session.explorer.out_edges(position) {
            edges += 1;
            let Some(successor) = session.explorer.successors(&mut session.store, position, edge, &state) else { continue };
            let passed = successor
                .conditions
                .iter()
                .try_fold(guard, |guard, condition| guards.child(&mut session.store, guard, *condition));
            let Some(guard) = passed else { continue };
            let arrival = Arrival { guard, state: successor.state };
            match successor.target {
                Ok(next) => open.push((next, arrival)),
                Err(target) => ends.push((target, arrival)),
            }
        }
        if ends.len() + open.len() > PATHS || edges > EDGES {
            return Ok(None);
        }
    }
    Ok(Some(ends))
}
