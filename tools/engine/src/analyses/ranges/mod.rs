//! Ranges: in which parts of their values the variables lie at each position.
//!
//! An abstract state is a position and, for some variables, a constant or the part between two thresholds: numbers that the
//! program compares the variable with. Paths between two loop heads are followed one by one as explicit values do; what an
//! interval decides is not followed. At the next head a variable that holds few constants keeps them, and any other falls
//! into one of its parts, each a state of its own. Suits state machines some of whose variables are only compared with
//! bounds, of which explicit values see one number after the other. Finds proofs only. Where a state comes to an error that its
//! path does not lead to, parts are made smaller and all begins anew.
//! Soundness: a state stands for all values of the variables it does not name; every value that a variable can have behind a
//! path is in one of the states that are made there; nothing is dropped but what is covered by an equal state.

pub mod interval;
mod refine;
mod state;
pub mod thresholds;

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use rustc_hash::{FxHashMap, FxHashSet};
use smt::terms::Symbol;
use smt::{Op, Sort, TermId, TermStore};

use self::interval::{Interval, Ranges};
use self::refine::{Word, refine};
use self::state::{Held, Origin, Reached, Values, literal};
use self::thresholds::Thresholds;
use crate::analysis::{Analysis, Pause, Share};
use crate::block::build::Arrival;
use crate::block::guard::{GuardId, Guards};
use crate::control::{Cause, Position, Stop, SymbolicState, Target};
use crate::evidence::invariant::Invariant;
use crate::goal::{GoalId, Goals, Proof, Referee};
use crate::session::{Memory, Session, Start};

/// Paths between two loop heads from one state.
const PATHS: usize = 4_000;
/// Edges of these paths together.
const EDGES: usize = 400_000;
/// States.
const STATES: usize = 20_000;
/// Constants of a variable that are told apart.
const CONSTANTS: usize = 12;
/// States that one path ends in.
const SPLITS: usize = 64;
/// How often all begins anew.
const REFINEMENTS: usize = 40;

/// Where a path has come to.
#[derive(Debug)]
struct Way {
    position: Position,
    arrival: Arrival,
    ranges: Ranges,
    /// What a run that passes it fulfils where it begins; of what has come to an end.
    when: Option<TermId>,
}

/// The ends of all ways from a state to the next loop heads.
type Ends = Rc<Vec<(Target, Way)>>;

/// The analysis.
#[derive(Debug, Default)]
pub struct RangeStates {
    states: Vec<Reached>,
    seen: FxHashSet<(Position, Values)>,
    thresholds: Thresholds,
    /// Positions whose comparisons are known.
    learned: BTreeSet<Position>,
    /// The constants that each variable was seen to hold.
    constants: BTreeMap<TermId, BTreeSet<TermId>>,
    /// Whether a term has a value of its own.
    ground: FxHashMap<TermId, bool>,
    /// The first state that was not expanded yet.
    next: usize,
    /// The ends of ways from states that were followed: most states are there again when all begins anew.
    followed: FxHashMap<(Position, Values), Ends>,
    /// Goals that states come to, though runs need not.
    lost: BTreeSet<GoalId>,
    /// How often it began anew.
    refinements: usize,
}

impl<'p> Analysis<'p> for RangeStates {
    fn name(&self) -> &'static str {
        "ranges"
    }

    fn run(
        &mut self,
        session: &mut Session<'p>,
        goals: &mut Goals,
        _referee: &mut dyn Referee,
        _share: &mut Share<'_>,
    ) -> Result<Pause, Stop> {
        if self.states.is_empty() && !self.begin(session)? {
            return Ok(Pause::Done(None));
        }
        while self.next < self.states.len() {
            session.explorer.check_limits(0)?;
            let Reached { position, values, .. } = self.states[self.next].clone();
            if self.states.len() > STATES || !self.learn(session, position)? {
                return Ok(Pause::Done(None));
            }
            let Some(ends) = self.ends(session, position, &values)? else { return Ok(Pause::Done(None)) };
            let mut refined = false;
            for (target, way) in ends.iter() {
                match target {
                    Target::Error(at) => {
                        let goal = goals.open(at.location).map(|(goal, _)| goal).filter(|goal| !self.lost.contains(goal));
                        if let Some(goal) = goal
                            && self.meet(session, goal, way)?
                        {
                            refined = true;
                            break;
                        }
                    }
                    Target::Obstacle(..) => return Ok(Pause::Done(None)),
                    Target::Head(_) => {}
                }
            }
            if refined {
                self.begin_anew(session)?;
                continue;
            }
            if goals.all_open().all(|goal| self.lost.contains(&goal)) {
                return Ok(Pause::Done(None));
            }
            for (target, way) in ends.iter() {
                let Target::Head(head) = *target else { continue };
                if !self.learn(session, head)? {
                    return Ok(Pause::Done(None));
                }
                self.arrive(session, head, &values, way);
            }
            self.next += 1;
        }
        let proof =
            Proof { invariants: self.invariants(&mut session.store), inductive: true, memory: Memory::Exact, by: "ranges" };
        goals.settle_safe(&Rc::new(proof), |goal| self.lost.contains(&goal));
        Ok(Pause::Done(None))
    }

    fn numbers(&self) -> Vec<(&'static str, u64)> {
        vec![("states of ranges", self.states.len() as u64), ("refinements of ranges", self.refinements as u64)]
    }
}

impl RangeStates {
    /// Makes the first state; `false` if there is none.
    fn begin(&mut self, session: &mut Session<'_>) -> Result<bool, Stop> {
        let Some(start) = session.explorer.start() else { return Ok(false) };
        let Ok(initial) = session.explorer.initial_state(&mut session.store) else { return Ok(false) };
        // Before the first head all is kept: no value is there twice.
        let values = initial.iter().map(|(variable, value)| (variable, Held::Exactly(value))).collect();
        self.states.push(Reached { position: start, values, origin: None });
        self.learn(session, start)
    }

    /// Where ways from a state end; `None` if they are too many.
    fn ends(&mut self, session: &mut Session<'_>, position: Position, values: &Values) -> Result<Option<Ends>, Stop> {
        if let Some(known) = self.followed.get(&(position, values.clone())) {
            return Ok(Some(Rc::clone(known)));
        }
        let Some(ends) = follow(session, position, values)? else { return Ok(None) };
        let ends = Rc::new(ends);
        self.followed.insert((position, values.clone()), Rc::clone(&ends));
        Ok(Some(ends))
    }

    /// Forgets all states.
    fn begin_anew(&mut self, session: &mut Session<'_>) -> Result<(), Stop> {
        self.states.clear();
        self.seen.clear();
        self.constants.clear();
        self.next = 0;
        self.refinements += 1;
        self.begin(session)?;
        Ok(())
    }

    /// The state that is looked at comes to an error. Whether there are thresholds now that keep it from there.
    fn meet(&mut self, session: &mut Session<'_>, goal: GoalId, way: &Way) -> Result<bool, Stop> {
        let word = match way.when {
            Some(when) if self.refinements < REFINEMENTS => {
                refine(session, (&self.states, self.next), when, &mut self.thresholds)?
            }
            Some(_) | None => Word::Reached,
        };
        if word == Word::Reached {
            self.lost.insert(goal);
        }
        Ok(word == Word::Refined)
    }

    /// Finds the thresholds of the block from a position; `false` if that cannot be encoded.
    fn learn(&mut self, session: &mut Session<'_>, position: Position) -> Result<bool, Stop> {
        if self.learned.contains(&position) {
            return Ok(true);
        }
        let block = match session.block(position, Start::Anywhere) {
            Ok(block) => block,
            Err(Cause::Stopped(stop)) => return Err(stop),
            Err(_) => return Ok(false),
        };
        self.learned.insert(position);
        self.thresholds.learn(&session.store, &block);
        Ok(true)
    }

    /// Makes the states that a path ends in at a head.
    fn arrive(&mut self, session: &mut Session<'_>, head: Position, before: &Values, way: &Way) {
        let state = &way.arrival.state;
        let mut all: BTreeSet<TermId> = before.iter().map(|(variable, _)| *variable).collect();
        all.extend(state.iter().map(|(variable, _)| variable));
        // What was arbitrary may have passed a comparison.
        all.extend(way.ranges.variables().filter(|variable| !session.store.is_input(*variable)));
        let mut choices: Vec<(TermId, Vec<Held>)> = Vec::new();
        let mut narrower: Vec<(TermId, Interval)> = Vec::new();
        let mut product = 1_usize;
        for variable in all {
            if !session.explorer.is_live_at(&session.store, head, variable) {
                continue;
            }
            let value = state.get(variable);
            let mut held = self.held(&mut session.store, variable, value, &way.ranges);
            if product.saturating_mul(held.len()) > SPLITS {
                held = hull(&session.store, &held);
            }
            product = product.saturating_mul(held.len().max(1));
            if held.iter().any(|held| matches!(held, Held::Within(_))) {
                narrower.extend(way.ranges.of(&session.store, value).map(|within| (variable, within)));
            }
            if !held.is_empty() {
                choices.push((variable, held));
            }
        }
        for number in 0..product {
            let mut rest = number;
            let values: Values = choices
                .iter()
                .map(|(variable, held)| {
                    let one = held[rest % held.len()];
                    rest /= held.len();
                    (*variable, one)
                })
                .collect();
            if self.seen.insert((head, values.clone())) {
                let origin = way.when.map(|when| Origin {
                    parent: self.next,
                    when,
                    state: way.arrival.state.clone(),
                    before: narrower.clone(),
                });
                self.states.push(Reached { position: head, values, origin });
            }
        }
    }

    /// What a variable may hold, each for a state of its own; nothing if it may hold anything.
    fn held(&mut self, store: &mut TermStore, variable: TermId, value: TermId, ranges: &Ranges) -> Vec<Held> {
        let is_number = matches!(store.sort(variable), Sort::BitVec(_)) && !store.features(value).floats;
        let within = if is_number { ranges.of(store, value) } else { None };
        let constant = within.and_then(Interval::single).map(|number| store.signed_bits(store.width(variable), number));
        let exact = constant.or_else(|| self.is_ground(store, value).then_some(value));
        if let Some(exact) = exact {
            let known = self.constants.entry(variable).or_default();
            if known.contains(&exact) || known.len() < CONSTANTS {
                known.insert(exact);
                return vec![Held::Exactly(exact)];
            }
        }
        let Some(within) = within else { return Vec::new() };
        let parts = self.thresholds.parts(store, variable, within);
        let held = |part: Interval| match part.single() {
            Some(number) => Held::Exactly(store.signed_bits(store.width(variable), number)),
            None => Held::Within(part),
        };
        parts.into_iter().map(held).collect()
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

    /// For each position, the disjunction of its states.
    fn invariants(&self, store: &mut TermStore) -> Vec<Invariant> {
        let mut found: indexmap::IndexMap<Position, Vec<TermId>> = indexmap::IndexMap::new();
        for Reached { position, values, .. } in self.states.iter().skip(1) {
            let literals: Vec<TermId> = values.iter().map(|(variable, held)| literal(store, *variable, *held)).collect();
            let conjunction = store.and(&literals);
            found.entry(*position).or_default().push(conjunction);
        }
        found.into_iter().map(|(position, states)| Invariant { position, formula: store.or(&states) }).collect()
    }
}

/// One range from the first part to the last, if all are numbers.
fn hull(store: &TermStore, held: &[Held]) -> Vec<Held> {
    let interval = |held: &Held| match held {
        Held::Within(interval) => Some(*interval),
        Held::Exactly(value) => store.as_signed(*value).map(Interval::one),
    };
    let (Some(first), Some(last)) = (held.first().and_then(interval), held.last().and_then(interval)) else { return Vec::new() };
    vec![Held::Within(Interval { low: first.low, high: last.high })]
}

/// Follows all paths from a state to the next loop heads, errors and obstacles; `None` if there are too many.
fn follow(session: &mut Session<'_>, position: Position, values: &Values) -> Result<Option<Vec<(Target, Way)>>, Stop> {
    let (mut state, mut ranges) = (SymbolicState::unchanged(), Ranges::default());
    for (variable, held) in values {
        match held {
            Held::Exactly(value) => state.set(*variable, *value),
            Held::Within(interval) => ranges.set(*variable, *interval),
        }
    }
    let mut guards = Guards::new(&session.store);
    let mut open = vec![Way { position, arrival: Arrival { guard: GuardId::ROOT, state }, ranges, when: None }];
    let (mut ends, mut edges) = (Vec::new(), 0);
    while let Some(way) = open.pop() {
        session.explorer.check_limits(edges)?;
        for edge in session.explorer.out_edges(way.position) {
            edges += 1;
            let next = session.explorer.successors(&mut session.store, way.position, edge, &way.arrival.state);
            let Some(successor) = next else { continue };
            let mut ranges = way.ranges.clone();
            if !successor.conditions.iter().all(|condition| ranges.assume(&session.store, *condition, true)) {
                continue;
            }
            let passed = guards.passing(&mut session.store, way.arrival.guard, &successor.conditions);
            let Some(guard) = passed else { continue };
            let arrival = Arrival { guard, state: successor.state };
            match successor.target {
                Ok(position) => open.push(Way { position, arrival, ranges, when: None }),
                Err(target) => {
                    let when = Some(guards.term(&mut session.store, guard));
                    ends.push((target, Way { position: way.position, arrival, ranges, when }));
                }
            }
        }
        if ends.len() + open.len() > PATHS || edges > EDGES {
            return Ok(None);
        }
    }
    Ok(Some(ends))
}

#[cfg(test)]
mod tests;
