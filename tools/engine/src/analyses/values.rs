//! Explicit-value analysis: which constants the variables hold at each position.
//!
//! An abstract state is a position and the variables whose value is known there; everything else is arbitrary. Paths
//! between two loop heads are followed one by one and never joined, so that values stay constants; what depends on an
//! input is forgotten at the next loop head. Suits state machines, whose variables hold few constants that only branches
//! tell apart. Gives up where too many paths or states come up, or where forgetting reaches the error.
//! What the way on does not depend on is forgotten.
//! Soundness: a state stands for all values of the variables it does not name; nothing is dropped but what is covered by
//! an equal state.

use std::collections::BTreeSet;
use std::rc::Rc;

use program::cfa::LocationId;
use rustc_hash::{FxHashMap, FxHashSet};
use smt::terms::Symbol;
use smt::{Answer, Op, TermId, TermStore};

use crate::analysis::{Analysis, Pause, Share};
use crate::block::build::{Arrival, join};
use crate::block::guard::{GuardId, Guards};
use crate::control::{Position, Stop, SymbolicState, Target};
use crate::evidence::counterexample::{Counterexample, follow};
use crate::evidence::deciding::Deciding;
use crate::evidence::invariant::Invariant;
use crate::goal::{GoalId, Goals, Proof, Referee};
use crate::session::{Memory, Session};

/// Paths between two loop heads from one state.
const PATHS: usize = 4_000;
/// Edges of these paths together.
const EDGES: usize = 400_000;
/// States.
const STATES: usize = 60_000;

/// Known values by variable, oldest variable first.
type Values = Vec<(TermId, TermId)>;

#[derive(Debug)]
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

/// The explicit-value analysis.
#[derive(Debug, Default)]
pub struct ExplicitValues {
    states: Vec<State>,
    seen: FxHashSet<(Position, Values)>,
    /// What the way on may depend on: in a program of hundreds of files most variables are nothing of that.
    deciding: Deciding,
    /// Whether a term has a value of its own.
    ground: FxHashMap<TermId, bool>,
    /// The first state that was not expanded yet.
    next: usize,
    /// Goals that are reached where values were forgotten, and not otherwise.
    lost: BTreeSet<GoalId>,
}

impl<'p> Analysis<'p> for ExplicitValues {
    fn name(&self) -> &'static str {
        "explicit values"
    }

    fn run(
        &mut self,
        session: &mut Session<'p>,
        goals: &mut Goals,
        referee: &mut dyn Referee,
        _share: &mut Share<'_>,
    ) -> Result<Pause, Stop> {
        if self.states.is_empty() {
            let Some(start) = session.explorer.start() else {
                goals.settle_safe(&proof(Vec::new()), |_| false);
                return Ok(Pause::Done(None));
            };
            let Ok(initial) = session.explorer.initial_state(&mut session.store) else { return Ok(Pause::Done(None)) };
            self.deciding = Deciding::new(session.cfa());
            let values: Values = initial.iter().filter(|(variable, _)| self.decides(session, *variable)).collect();
            self.states.push(State { position: start, values, parent: None });
        }
        while self.next < self.states.len() {
            session.explorer.check_limits(0)?;
            if self.states.len() > STATES {
                return Ok(Pause::Done(None));
            }
            let Some(ends) = self.expand(session, self.next)? else { return Ok(Pause::Done(None)) };
            for end in &ends {
                if let Target::Error(at) = end.target {
                    self.error(session, (goals, referee), at)?;
                }
            }
            if goals.done() || goals.all_open().all(|goal| self.lost.contains(&goal)) {
                return Ok(Pause::Done(None));
            }
            if ends.iter().any(|end| matches!(end.target, Target::Obstacle(..))) {
                return Ok(Pause::Done(None));
            }
            for end in ends {
                if let Target::Head(position) = end.target {
                    self.add(position, end.values, self.next);
                }
            }
            self.next += 1;
        }
        let invariants = self.invariants(&mut session.store);
        goals.settle_safe(&proof(invariants), |goal| self.lost.contains(&goal));
        Ok(Pause::Done(None))
    }

    fn numbers(&self) -> Vec<(&'static str, u64)> {
        vec![("states of explicit values", self.states.len() as u64)]
    }
}

fn proof(invariants: Vec<Invariant>) -> Rc<Proof> {
    Rc::new(Proof { invariants, inductive: true, memory: Memory::Exact, by: "explicit values" })
}

impl ExplicitValues {
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

    /// Whether the way on may depend on a variable.
    fn decides(&self, session: &Session, variable: TermId) -> bool {
        match session.store.symbol_of(variable) {
            Some(Symbol::Leaf(leaf)) => self.deciding.depends_on(session.cfa(), leaf.object),
            _ => true,
        }
    }

    /// The values that are constants, of variables that may still be read and on which the way on may depend.
    fn known_values(&mut self, session: &Session, position: Position, state: &SymbolicState) -> Values {
        state
            .iter()
            .filter(|(variable, value)| {
                self.is_ground(&session.store, *value)
                    && session.explorer.is_read_behind(&session.store, position, *variable)
                    && self.decides(session, *variable)
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
                // These never change.
                ground &= matches!(store.symbol_of(part), Some(Symbol::Address { .. } | Symbol::Code { .. }));
            }
            ground
        });
        self.ground.insert(term, ground);
        ground
    }

    /// Looks for values that drive the program through the states up to the one that is being expanded and to the error.
    fn error(
        &mut self,
        session: &mut Session,
        (goals, referee): (&mut Goals, &mut dyn Referee),
        at: Position,
    ) -> Result<(), Stop> {
        while let Some((goal, only)) = goals.open(at.location) {
            if self.lost.contains(&goal) {
                return Ok(());
            }
            let path = self.path_to(session, at, only);
            session.explorer.set_round(0);
            let confirmed = match path? {
                Some(path) => goals.claim(goal, session, referee, &path).is_none(),
                None => false,
            };
            if !confirmed {
                self.lost.insert(goal);
            }
        }
        Ok(())
    }

    fn path_to(&self, session: &mut Session, at: Position, only: Option<TermId>) -> Result<Option<Counterexample>, Stop> {
        let mut chain = vec![self.next];
        while let Some(parent) = self.states[chain[chain.len() - 1]].parent {
            chain.push(parent);
        }
        chain.reverse();
        let heads: Vec<(Position, Values)> =
            chain.into_iter().map(|state| (self.states[state].position, self.states[state].values.clone())).collect();
        let Some(formula) = along(session, &heads, at.location)? else { return Ok(None) };
        let only = only.unwrap_or_else(|| session.store.tt());
        Ok(match session.check(&[formula, only])? {
            Answer::Sat(model) => Some(session.unmetered(|session| follow(session, heads[0].0, &model))?),
            Answer::Unsat(_) | Answer::Unknown(_) => None,
        })
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
fn along(session: &mut Session, heads: &[(Position, Values)], error: LocationId) -> Result<Option<TermId>, Stop> {
    let Ok(state) = session.explorer.initial_state(&mut session.store) else { return Ok(None) };
    let mut guards = Guards::new(&session.store);
    let mut here = Arrival { guard: GuardId::ROOT, state };
    for (at, (position, _)) in heads.iter().enumerate() {
        session.explorer.set_round(u32::try_from(at).unwrap_or(u32::MAX));
        let Some(ends) = paths(session, &mut guards, *position, here)? else { return Ok(None) };
        let wanted = heads.get(at + 1);
        let reached: Vec<Arrival> =
            ends.into_iter().filter_map(|(target, end)| pin(session, &mut guards, (wanted, error), &target, end)).collect();
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
    (wanted, error): (Option<&(Position, Values)>, LocationId),
    target: &Target,
    end: Arrival,
) -> Option<Arrival> {
    match (target, wanted) {
        (Target::Error(at), None) if at.location == error => Some(end),
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
            let passed = guards.passing(&mut session.store, guard, &successor.conditions);
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

#[cfg(test)]
mod tests {
    use super::ExplicitValues;
    use crate::analysis::{Share, run_share};
    use crate::goal::{GoalId, Goals, Replay, Status};
    use crate::session::Memory;
    use crate::tests::random::{Loops, Program};
    use crate::tests::{contains_all_states, load, sessions};

    /// Whatever a program can do at the head of a loop is in the states of a proof; no claim is wrong.
    #[test]
    fn every_concrete_state_is_in_an_abstract_one() {
        let (mut proofs, mut violations, mut states) = (0, 0, 0);
        for seed in 0..300 {
            let program = Program::draw(seed, Loops::Any);
            let (cfa, truth) = (load(&program.text()), program.truth());
            let mut sessions = sessions(&cfa);
            let session = sessions.of(Memory::Exact);
            let mut goals = Goals::every_error(&cfa);
            let mut share = Share { steps: 50_000, observer: &mut () };
            run_share(&mut ExplicitValues::default(), session, &mut goals, &mut Replay, &mut share);
            match &goals.get(GoalId(0)).status {
                Status::Safe(proof) => {
                    assert!(!truth.violated, "{seed}\n{}", program.text());
                    assert!(contains_all_states(session, &proof.invariants, &truth), "{seed}\n{}", program.text());
                    states += truth.heads.iter().map(std::collections::BTreeSet::len).sum::<usize>();
                    proofs += 1;
                }
                Status::Unsafe(_) => {
                    assert!(truth.violated, "{seed}\n{}", program.text());
                    violations += 1;
                }
                Status::Open | Status::Unknown(_) => {}
            }
        }
        assert!(proofs > 60 && violations > 60 && states > 200, "{proofs} proofs, {violations} violations, {states} states");
    }
}
