//! k-induction: no violation within k blocks from the start, and none at the end of any k blocks from anywhere.
//!
//! The unit is the block: the last k blocks of a path to an error either begin with the program, or at a loop head, where
//! nothing is known but the facts. A violation ends a path, so that the blocks before the last are free of one by
//! construction. Paths are joined as in bounded search. As long as the unrolling is short, no two visits of a loop head on a
//! path may find the same values everywhere: the shortest path to an error has no such pair (*simple paths*).
//! Source: Sheeran, Singh, Stålmarck, FMCAD 2000, over blocks in place of transitions; auxiliary invariants as in Beyer, Dangl,
//! Wendler, CAV 2015: they are the facts of the session.
//! Does not find facts.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use smt::{Answer, TermId};

use crate::analysis::{Analysis, Pause, Share};
use crate::block::build::{Arrival, join};
use crate::block::guard::{GuardId, Guards};
use crate::control::{Cause, Position, Stop, SymbolicState, Target};
use crate::goal::{GoalId, Goals, Proof, Referee};
use crate::session::{Memory, Session, Start};

/// Blocks of an unrolling.
const DEEPEST: u32 = 24;

/// Copies of edges in one unrolling.
const EDGES: usize = 60_000;

/// Loop heads that an unrolling begins at.
const HEADS: usize = 40;

/// Visits of one loop head that are told apart.
const VISITS: usize = 8;

/// The analysis.
#[derive(Debug)]
pub struct Induction {
    simple_paths: bool,
    /// The facts that the unrollings were built with; `None` before there are any.
    facts: Option<u64>,
    base: Option<Unrolling>,
    steps: Vec<Unrolling>,
    /// Blocks that are looked at now.
    depth: u32,
    /// Goals that a short path may reach.
    reached: BTreeSet<GoalId>,
}

impl Default for Induction {
    fn default() -> Self {
        Self::new(true)
    }
}

impl Induction {
    /// An induction that tells visits of a loop head apart, or does not.
    #[must_use]
    #[expect(clippy::fn_params_excessive_bools, reason = "the one choice there is")]
    pub fn new(simple_paths: bool) -> Self {
        Self { simple_paths, facts: None, base: None, steps: Vec::new(), depth: 1, reached: BTreeSet::new() }
    }
}

impl<'p> Analysis<'p> for Induction {
    fn name(&self) -> &'static str {
        "k-induction"
    }

    fn run(
        &mut self,
        session: &mut Session<'p>,
        goals: &mut Goals,
        _referee: &mut dyn Referee,
        _share: &mut Share<'_>,
    ) -> Result<Pause, Stop> {
        let result = self.go_on(session, goals);
        session.explorer.set_round(0);
        match result {
            Err(Cause::Stopped(Stop::Interrupted)) => Err(Stop::Interrupted),
            // Others may do without.
            Ok(()) | Err(_) => Ok(Pause::Done(None)),
        }
    }

    fn numbers(&self) -> Vec<(&'static str, u64)> {
        vec![("blocks of the induction", u64::from(self.depth))]
    }
}

impl Induction {
    fn go_on(&mut self, session: &mut Session, goals: &mut Goals) -> Result<(), Cause> {
        self.begin(session)?;
        let Some(mut base) = self.base.take() else { return Ok(()) };
        let result = self.deepen(session, goals, &mut base);
        self.base = Some(base);
        result
    }

    fn deepen(&mut self, session: &mut Session, goals: &mut Goals, base: &mut Unrolling) -> Result<(), Cause> {
        while self.depth <= DEEPEST {
            let last = self.depth - 1;
            base.unroll(session, last)?;
            if base.obstacle(session, last)? {
                return Ok(());
            }
            let open: Vec<GoalId> = goals.all_open().filter(|goal| !self.reached.contains(goal)).collect();
            for goal in open {
                if base.violates(session, goals, goal, last)? {
                    self.reached.insert(goal);
                }
            }
            if goals.all_open().all(|goal| self.reached.contains(&goal)) {
                return Ok(());
            }
            let mut failed: BTreeSet<GoalId> = self.reached.clone();
            self.step(session, goals, &mut failed)?;
            if failed.len() < goals.all().len() {
                let proof =
                    Proof { invariants: session.facts(), inductive: false, memory: Memory::Abstracted, by: "k-induction" };
                goals.settle_safe(&Rc::new(proof), |goal| failed.contains(&goal));
                if goals.done() {
                    return Ok(());
                }
            }
            self.depth += 1;
        }
        Ok(())
    }

    /// Adds the goals that may be violated at the end of so many blocks from some loop head; all of them if something without
    /// treatment may be reached there.
    fn step(&mut self, session: &mut Session, goals: &Goals, failed: &mut BTreeSet<GoalId>) -> Result<(), Cause> {
        let last = self.depth - 1;
        for at in 0..self.steps.len() {
            let unrolling = &mut self.steps[at];
            unrolling.unroll(session, last)?;
            let all = unrolling.obstacle(session, last)?;
            let open: Vec<GoalId> = goals.all_open().filter(|goal| !failed.contains(goal)).collect();
            for goal in open {
                if all || unrolling.violates(session, goals, goal, last)? {
                    failed.insert(goal);
                }
            }
            if goals.all_open().all(|goal| failed.contains(&goal)) {
                // The head that fails now is likely to fail first at the next depth.
                self.steps.swap(0, at);
                failed.extend((0..goals.all().len()).map(GoalId));
                return Ok(());
            }
        }
        Ok(())
    }

    /// Finds the loop heads and begins an unrolling at each; again if more is known since.
    fn begin(&mut self, session: &mut Session) -> Result<(), Cause> {
        if self.facts == Some(session.facts_version()) {
            return Ok(());
        }
        let Some(start) = session.explorer.start() else { return Err(Cause::NoProgress) };
        let mut heads: BTreeSet<Position> = BTreeSet::new();
        let mut open = vec![(start, Start::Program)];
        while let Some((position, start)) = open.pop() {
            session.explorer.check_limits(0)?;
            for exit in &session.block(position, start)?.exits {
                if let Target::Head(next) = exit.target
                    && heads.insert(next)
                {
                    open.push((next, Start::Anywhere));
                }
            }
            if heads.len() > HEADS {
                return Err(Cause::NoProgress);
            }
        }
        let Ok(state) = session.explorer.initial_state(&mut session.store) else { return Err(Cause::NoProgress) };
        self.base = Some(Unrolling::new(session, start, Start::Program, state, false));
        let simple = self.simple_paths;
        let step = |head: &Position| Unrolling::new(session, *head, Start::Anywhere, SymbolicState::unchanged(), simple);
        self.steps = heads.iter().map(step).collect();
        self.facts = Some(session.facts_version());
        self.depth = 1;
        self.reached.clear();
        Ok(())
    }
}

/// All paths from a position, joined per position and round. Whatever is interrupted leaves it as it was before.
#[derive(Debug)]
struct Unrolling {
    from: Start,
    simple: bool,
    guards: Guards,
    pending: BTreeMap<(u32, Vec<u32>, Position), Vec<Arrival>>,
    errors: Vec<(u32, Position, GuardId)>,
    obstacles: Vec<(u32, GuardId)>,
    /// What holds of every path, with the round that says so.
    known: Vec<(u32, TermId)>,
    /// When loop heads are passed, and with which values.
    visits: BTreeMap<Position, Vec<(TermId, SymbolicState)>>,
    edges: usize,
}

impl Unrolling {
    #[expect(clippy::fn_params_excessive_bools, reason = "the one choice there is")]
    fn new(session: &Session, start: Position, from: Start, state: SymbolicState, simple: bool) -> Self {
        let guards = Guards::new(&session.store);
        let pending = BTreeMap::from([((0, Vec::new(), start), vec![Arrival { guard: GuardId::ROOT, state }])]);
        let (errors, obstacles, known, visits) = (Vec::new(), Vec::new(), Vec::new(), BTreeMap::new());
        Self { from, simple, guards, pending, errors, obstacles, known, visits, edges: 0 }
    }

    /// Follows all paths to the end of a round.
    fn unroll(&mut self, session: &mut Session, last: u32) -> Result<(), Cause> {
        while let Some((key, _)) = self.pending.first_key_value() {
            if key.0 > last {
                break;
            }
            session.explorer.check_limits(0)?;
            if self.edges > EDGES {
                return Err(Cause::NoProgress);
            }
            let Some(((round, _, position), arrivals)) = self.pending.pop_first() else { break };
            let arrival = join(&mut self.guards, &mut session.store, arrivals);
            if session.explorer.is_head(position) {
                self.visit(session, round, position, &arrival);
            }
            self.expand(session, round, position, &arrival);
        }
        Ok(())
    }

    /// Notes what is known of a loop head that is passed.
    fn visit(&mut self, session: &mut Session, round: u32, position: Position, arrival: &Arrival) {
        let guard = self.guards.term(&mut session.store, arrival.guard);
        if self.from == Start::Program {
            return;
        }
        if let Some(fact) = session.fact(position) {
            let here = arrival.state.substitution(&session.store).apply(&mut session.store, fact);
            self.known.push((round, session.store.implies(guard, here)));
        }
        if !self.simple {
            return;
        }
        let visits = self.visits.entry(position).or_default();
        if visits.len() >= VISITS {
            return;
        }
        for (earlier, values) in visits.iter() {
            let variables: BTreeSet<TermId> = values.iter().chain(arrival.state.iter()).map(|(variable, _)| variable).collect();
            let mut differs = Vec::with_capacity(variables.len());
            for variable in variables {
                differs.push(session.store.ne(values.get(variable), arrival.state.get(variable)));
            }
            let both = session.store.and(&[*earlier, guard]);
            let differ = session.store.or(&differs);
            self.known.push((round, session.store.implies(both, differ)));
        }
        visits.push((guard, arrival.state.clone()));
    }

    fn expand(&mut self, session: &mut Session, round: u32, position: Position, arrival: &Arrival) {
        session.explorer.set_round(round);
        for edge in session.explorer.out_edges(position) {
            self.edges += 1;
            let Some(successor) = session.explorer.successors(&mut session.store, position, edge, &arrival.state) else {
                continue;
            };
            let passed = self.guards.passing(&mut session.store, arrival.guard, &successor.conditions);
            let Some(guard) = passed else { continue };
            let next = Arrival { guard, state: successor.state };
            let (round, target) = match successor.target {
                Ok(target) => (round, target),
                Err(Target::Head(target)) => (round + 1, target),
                Err(Target::Error(at)) => {
                    self.errors.push((round, at, guard));
                    continue;
                }
                Err(Target::Obstacle(..)) => {
                    self.obstacles.push((round, guard));
                    continue;
                }
            };
            let key = (round, session.explorer.order(target), target);
            self.pending.entry(key).or_default().push(next);
        }
    }

    /// Whether something without treatment may be reached in a round.
    fn obstacle(&mut self, session: &mut Session, round: u32) -> Result<bool, Cause> {
        let guards: Vec<GuardId> = self.obstacles.iter().filter(|(at, _)| *at == round).map(|(_, guard)| *guard).collect();
        self.any(session, round, &guards, None)
    }

    /// Whether a goal may be violated in a round.
    fn violates(&mut self, session: &mut Session, goals: &Goals, goal: GoalId, round: u32) -> Result<bool, Cause> {
        let here = |(at, position, _): &&(u32, Position, GuardId)| *at == round && goals.of(position.location) == Some(goal);
        let guards: Vec<GuardId> = self.errors.iter().filter(here).map(|(_, _, guard)| *guard).collect();
        self.any(session, round, &guards, goals.get(goal).only)
    }

    fn any(&mut self, session: &mut Session, round: u32, guards: &[GuardId], only: Option<TermId>) -> Result<bool, Cause> {
        if guards.is_empty() {
            return Ok(false);
        }
        let terms: Vec<TermId> = guards.iter().map(|guard| self.guards.term(&mut session.store, *guard)).collect();
        let mut formulas: Vec<TermId> = self.known.iter().filter(|(at, _)| *at <= round).map(|(_, known)| *known).collect();
        formulas.push(session.store.or(&terms));
        formulas.extend(only);
        Ok(!matches!(session.check(&formulas)?, Answer::Unsat(_)))
    }
}
