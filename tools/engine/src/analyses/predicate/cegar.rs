//! Counterexample-guided abstraction refinement: the loop of abstractor and refiner.
//!
//! The abstractor grows the abstract reachability graph until an error is abstractly reachable or nothing is open. The
//! formula of an abstract path decides whether it is real; if not, the first refinement strategy with something new
//! extends the precision, the graph is cut where that matters, and the loop goes on. Every round adds a predicate to a
//! state of the path that lacked it, so no path is refuted twice with the same predicates.

use std::collections::BTreeSet;
use std::rc::Rc;

use biodivine_lib_bdd::Bdd;
use indexmap::IndexMap;
use smt::{Answer, Reason, TermId, TermStore};

use super::abstraction::{ExitQuery, Workshop};
use super::arg::{Arg, NodeId, Parent};
use super::precision::Precision;
use super::refine::formula::{Leg, PathFormula, extract};
use super::refine::known::KnownPredicates;
use super::refine::static_atoms::StaticAtoms;
use super::refine::wp::WeakestPreconditions;
use super::refine::{Lemma, Refinement, Refiner, border_location};
use super::region::{BddRegions, PredicateIndex, Regions};
use crate::analysis::Observer;
use crate::block::Block;
use crate::control::{Cause, Obstacle, Position, Stop, Target};
use crate::evidence::invariant::Invariant;
use crate::goal::{Goals, Proof, Referee};
use crate::session::{Growth, Session, Start};

/// What an abstract post costs besides its questions, in units of the [`smt::Meter`].
const POST: u64 = 300;

/// Valuations enumerated per abstract post before the post becomes a conjunction of literals and lemmas.
const VALUATIONS: usize = 150;

/// The name of this analysis in proofs.
const NAME: &str = "predicates";

/// Numbers of one run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Statistics {
    /// Refinements.
    pub refinements: u64,
    /// Nodes created.
    pub nodes: u64,
    /// Blocks encoded.
    pub blocks: u64,
    /// CFA edges encoded in blocks, copies counted.
    pub edges: u64,
}

/// A block with the questions about its exits.
struct Opened {
    block: Rc<Block>,
    queries: Vec<ExitQuery>,
    /// For each exit, what is taken for granted at the start of the block when it is passed.
    given: Vec<TermId>,
}

/// The predicate analysis of the goals that are looked at, with predicates of its own.
pub struct Cegar {
    regions: BddRegions,
    precision: Precision,
    arg: Arg,
    opened: IndexMap<(Position, bool), Opened>,
    waitlist: BTreeSet<(usize, Vec<u32>, NodeId)>,
    strategies: Vec<Box<dyn Refiner>>,
    obstacle: Option<Obstacle>,
    /// Which facts the graph was built with; `None` before it has a root.
    facts: Option<u64>,
    seeds: usize,
    /// Counts.
    pub statistics: Statistics,
}

impl Default for Cegar {
    fn default() -> Self {
        Self::new()
    }
}

impl std::fmt::Debug for Cegar {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Cegar").field("statistics", &self.statistics).finish_non_exhaustive()
    }
}

/// An abstract path: nodes, and the exit of the last one's block.
struct AbstractPath {
    nodes: Vec<NodeId>,
    exit: usize,
}

impl Cegar {
    /// An analysis with the usual strategies.
    #[must_use]
    pub fn new() -> Self {
        Self {
            regions: BddRegions::new(),
            precision: Precision::default(),
            arg: Arg::default(),
            opened: IndexMap::new(),
            waitlist: BTreeSet::new(),
            strategies: vec![
                Box::new(KnownPredicates),
                Box::new(WeakestPreconditions { lemmas: 8 }),
                Box::new(WeakestPreconditions { lemmas: 100 }),
                Box::new(StaticAtoms),
            ],
            obstacle: None,
            facts: None,
            seeds: 0,
            statistics: Statistics::default(),
        }
    }

    /// How many predicates there are.
    #[must_use]
    pub fn predicates(&self) -> usize {
        self.precision.len()
    }

    /// Settles the goals that are looked at.
    ///
    /// # Errors
    /// Why they are still open. After [`Stop::Interrupted`] it goes on where it stopped when it is called again.
    pub fn run(
        &mut self,
        session: &mut Session,
        goals: &mut Goals,
        referee: &mut dyn Referee,
        observer: &mut dyn Observer,
    ) -> Result<(), Cause> {
        match (self.rounds(session, goals, referee, observer), &self.obstacle) {
            (Err(Cause::Stopped(Stop::Interrupted)), _) => Err(Cause::Stopped(Stop::Interrupted)),
            (Err(_), Some(obstacle)) => Err(Cause::Obstacle(obstacle.clone())),
            (result, _) => result,
        }
    }

    /// What cannot be treated and is reached, as far as anyone knows.
    #[must_use]
    pub fn obstacle(&self) -> Option<&Obstacle> {
        self.obstacle.as_ref()
    }

    fn rounds(
        &mut self,
        session: &mut Session,
        goals: &mut Goals,
        referee: &mut dyn Referee,
        observer: &mut dyn Observer,
    ) -> Result<(), Cause> {
        self.begin(session);
        while !goals.done() {
            let refinements = usize::try_from(self.statistics.refinements).unwrap_or(usize::MAX);
            observer.round(refinements, self.arg.len(), self.precision.len());
            let Some(path) = self.explore(session, goals)? else {
                if let Some(obstacle) = &self.obstacle {
                    return Err(Cause::Obstacle(obstacle.clone()));
                }
                let proof = Proof { invariants: self.invariants(session), inductive: true, memory: session.memory, by: NAME };
                goals.settle_safe(&Rc::new(proof), |_| false);
                return Ok(());
            };
            let formula = self.formula(session, &path);
            match session.check(&formula.parts)? {
                Answer::Sat(model) => match &formula.exit(formula.len() - 1).target {
                    Target::Obstacle(_, obstacle) => self.obstacle = Some(obstacle.clone()),
                    Target::Head(_) => return Err(Cause::NoProgress),
                    Target::Error(at) => {
                        let Some((goal, _)) = goals.open(at.location) else { continue };
                        let claimed = session.unmetered(|session| extract(session, &formula, &model))?;
                        if let Some(cause) = goals.claim(goal, session, referee, &claimed) {
                            return Err(cause);
                        }
                    }
                },
                // What was offered is not enough: the path comes up again when there is more time.
                Answer::Unsat(_) if session.growth == Growth::Offered => return Err(Stop::Interrupted.into()),
                Answer::Unsat(_) => self.refine(session, &path, &formula)?,
                Answer::Unknown(_) => return Err(Cause::Solver),
            }
        }
        Ok(())
    }

    /// Takes up offered predicates, and plants the root; again if more is known of the program than when that was done.
    fn begin(&mut self, session: &mut Session) {
        for (location, atom) in &session.seeds()[self.seeds..] {
            self.precision.add(&session.store, *location, *atom);
        }
        self.seeds = session.seeds().len();
        if self.facts == Some(session.facts_version()) {
            return;
        }
        self.facts = Some(session.facts_version());
        self.arg = Arg::default();
        self.opened.clear();
        self.waitlist.clear();
        if let Some(start) = session.explorer.start() {
            let root = self.arg.add(start, self.regions.all(), None, (0, 0));
            self.wait(session, root);
        }
    }

    /// Expands open nodes until an error or an obstacle is abstractly reachable.
    fn explore(&mut self, session: &mut Session, goals: &Goals) -> Result<Option<AbstractPath>, Cause> {
        while let Some((depth, order, node)) = self.waitlist.pop_first() {
            if !self.arg.is_live(node) {
                continue;
            }
            let expanded = match session.explorer.check_limits(0) {
                Ok(()) => self.expand(session, goals, node),
                Err(stop) => Err(stop.into()),
            };
            // What is not finished is done again.
            if !matches!(expanded, Ok(None)) {
                self.waitlist.insert((depth, order, node));
            }
            if let Some(exit) = expanded? {
                return Ok(Some(AbstractPath { nodes: self.arg.path_to(node), exit }));
            }
        }
        Ok(None)
    }

    /// Adds the successors of a node; the exit to an error or obstacle that its region may reach, if there is one.
    fn expand(&mut self, session: &mut Session, goals: &Goals, node: NodeId) -> Result<Option<usize>, Cause> {
        let key = (self.arg.node(node).position, self.arg.node(node).initial);
        let region = self.arg.node(node).region.clone();
        let block = self.open(session, key)?;
        for (at, exit) in block.exits.iter().enumerate() {
            match &exit.target {
                Target::Obstacle(..) if self.obstacle.is_some() => {}
                Target::Error(_) | Target::Obstacle(..) => {
                    if let Target::Error(error) = &exit.target {
                        let Some((_, only)) = goals.open(error.location) else { continue };
                        self.restrict(session, key, at, only);
                    }
                    let none = self.regions.none();
                    let reached = self.post(session, key, at, &region, (&[], None), &none)?;
                    if !self.regions.is_none(&reached) {
                        return Ok(Some(at));
                    }
                }
                Target::Head(next) => self.add_successor(session, node, key, at, &region, *next)?,
            }
        }
        self.arg.set_expanded(node);
        Ok(None)
    }

    fn add_successor(
        &mut self,
        session: &mut Session,
        node: NodeId,
        key: (Position, bool),
        exit: usize,
        region: &Bdd,
        next: Position,
    ) -> Result<(), Cause> {
        let predicates = self.alive_predicates(session, next);
        let known = (self.precision.len_at(next.location), self.precision.lemmas_at(next.location).len());
        let mut covered = self.regions.none();
        for other in self.arg.at(next) {
            covered = self.regions.or(&covered, &self.arg.node(other).region);
        }
        let new = self.post(session, key, exit, region, (&predicates, Some(next)), &covered)?;
        if !self.regions.is_none(&new) {
            let child = self.arg.add(next, new, Some(Parent { node, exit }), known);
            self.statistics.nodes += 1;
            self.wait(session, child);
        }
        Ok(())
    }

    /// The predicates of a position's location that speak of variables that exist there.
    fn alive_predicates(&self, session: &Session, position: Position) -> Vec<PredicateIndex> {
        let Session { explorer, store, .. } = session;
        let exists = |predicate: &PredicateIndex| {
            let variables = store.variables(self.precision.term(*predicate));
            variables.into_iter().all(|variable| explorer.exists_at(store, position, variable))
        };
        self.precision.at(position.location).filter(exists).collect()
    }

    fn post(
        &mut self,
        session: &mut Session,
        key: (Position, bool),
        exit: usize,
        region: &Bdd,
        (predicates, next): (&[PredicateIndex], Option<Position>),
        covered: &Bdd,
    ) -> Result<Bdd, Cause> {
        let lemmas = next.map_or(&[][..], |next| self.precision.lemmas_at(next.location));
        session.meter().charge(POST);
        let mut workshop = Workshop {
            store: &mut session.store,
            backend: &mut session.backend,
            limits: &session.limits,
            regions: &self.regions,
            precision: &self.precision,
            counts: &mut session.counts,
            cap: VALUATIONS,
            lemmas,
        };
        let Some(opened) = self.opened.get_mut(&key) else { return Ok(self.regions.all()) };
        opened.queries[exit]
            .post(&mut workshop, region, predicates, covered)
            .map_err(|reason| if reason == Reason::Interrupted { Cause::Stopped(Stop::Interrupted) } else { Cause::Solver })
    }

    /// The block from a position, at the beginning of the program or not, with its questions.
    fn open(&mut self, session: &mut Session, (position, initial): (Position, bool)) -> Result<Rc<Block>, Cause> {
        if let Some(opened) = self.opened.get(&(position, initial)) {
            return Ok(Rc::clone(&opened.block));
        }
        let start = if initial { Start::Program } else { Start::Anywhere };
        let block = session.block(position, start)?;
        self.statistics.blocks += 1;
        self.statistics.edges += u64::try_from(block.edges).unwrap_or(u64::MAX);
        let given = session.fact(position).filter(|_| !initial).unwrap_or_else(|| session.store.tt());
        let mut queries = Vec::with_capacity(block.exits.len());
        for exit in &block.exits {
            let guard = session.store.and(&[exit.guard, given]);
            queries.push(ExitQuery::new(guard, exit.state.substitution(&session.store)));
        }
        let given = vec![given; block.exits.len()];
        self.opened.insert((position, initial), Opened { block: Rc::clone(&block), queries, given });
        Ok(block)
    }

    /// Asks of an exit to an error about the runs that still count only.
    fn restrict(&mut self, session: &mut Session, key: (Position, bool), exit: usize, only: Option<TermId>) {
        let (Some(only), Some(opened)) = (only, self.opened.get_mut(&key)) else { return };
        let given = session.store.and(&[opened.given[exit], only]);
        if given != opened.given[exit] {
            opened.given[exit] = given;
            let Opened { block, queries, .. } = opened;
            let guard = session.store.and(&[block.exits[exit].guard, given]);
            queries[exit] = ExitQuery::new(guard, block.exits[exit].state.substitution(&session.store));
        }
    }

    fn formula(&self, session: &mut Session, path: &AbstractPath) -> PathFormula {
        let mut legs = Vec::with_capacity(path.nodes.len());
        for (at, id) in path.nodes.iter().enumerate() {
            let node = self.arg.node(*id);
            let exit = match path.nodes.get(at + 1) {
                Some(next) => self.arg.node(*next).parent.map_or(0, |p| p.exit),
                None => path.exit,
            };
            let region = self.region_formula(&mut session.store, &node.region);
            if let Some(Opened { block, given, .. }) = self.opened.get(&(node.position, node.initial)) {
                legs.push(Leg { block: Rc::clone(block), exit, given: given[exit], region });
            }
        }
        PathFormula::new(&mut session.store, legs)
    }

    /// Extends the precision so that the path is excluded, and cuts the graph.
    fn refine(&mut self, session: &mut Session, path: &AbstractPath, formula: &PathFormula) -> Result<(), Cause> {
        for at in 0..self.strategies.len() {
            let Refinement::Candidates(candidates, lemmas) = self.strategies[at].refine(session, formula, &self.precision)?
            else {
                continue;
            };
            let mut first: Option<usize> = None;
            let mut note = |border: usize| first = Some(first.map_or(border, |f: usize| f.min(border)));
            for candidate in candidates {
                let location = border_location(formula, candidate.border);
                self.precision.add(&session.store, location, candidate.atom);
                let known = self.arg.node(path.nodes[candidate.border]).precision;
                if self.precision.position(location, candidate.atom).is_some_and(|place| place >= known) {
                    note(candidate.border);
                }
            }
            for lemma in lemmas {
                let location = border_location(formula, lemma.border);
                let Some(clause) = self.clause(&lemma) else { continue };
                let known = self.arg.node(path.nodes[lemma.border]).lemmas;
                if self.precision.add_lemma(location, clause) >= known {
                    note(lemma.border);
                }
            }
            if let Some(border) = first {
                self.statistics.refinements += 1;
                self.cut(session, path.nodes[border]);
                return Ok(());
            }
        }
        Err(Cause::NoProgress)
    }

    /// A lemma as a region; `None` if one of its atoms is no predicate.
    fn clause(&self, lemma: &Lemma) -> Option<Bdd> {
        let mut clause = self.regions.none();
        for (atom, value) in &lemma.literals {
            clause = self.regions.or(&clause, &self.regions.literal((self.precision.index_of(*atom)?, *value)));
        }
        Some(clause)
    }

    /// Removes a node and what is below it; its parent and everything that relied on removed nodes is opened again.
    fn cut(&mut self, session: &mut Session, node: NodeId) {
        let opened = &self.opened;
        let reopened = self.arg.remove(node, |other, position| {
            opened
                .get(&(other.position, other.initial))
                .is_some_and(|opened| opened.block.exits.iter().any(|exit| exit.target == Target::Head(position)))
        });
        for id in reopened {
            self.wait(session, id);
        }
    }

    fn wait(&mut self, session: &mut Session, node: NodeId) {
        let (depth, position) = (self.arg.node(node).depth, self.arg.node(node).position);
        let order = session.explorer.order(position);
        self.waitlist.insert((depth, order, node));
    }

    /// The invariants of a finished exploration, in order of discovery: the union of the reached regions of a position, and
    /// what was known before.
    fn invariants(&self, session: &mut Session) -> Vec<Invariant> {
        let positions: Vec<Position> = self.arg.positions().collect();
        let invariant = |position: Position| {
            let reached = self.arg.at(position).map(|id| &self.arg.node(id).region);
            let region = reached.fold(self.regions.none(), |all, region| self.regions.or(&all, region));
            let formula = self.region_formula(&mut session.store, &region);
            let fact = session.fact(position).unwrap_or_else(|| session.store.tt());
            Invariant { position, formula: session.store.and(&[formula, fact]) }
        };
        positions.into_iter().map(invariant).collect()
    }

    fn region_formula(&self, store: &mut TermStore, region: &Bdd) -> TermId {
        let store = std::cell::RefCell::new(store);
        let leaf = |leaf| store.borrow().bool(leaf);
        let node = |predicate, low, high| store.borrow_mut().ite(self.precision.term(predicate), high, low);
        self.regions.fold(region, leaf, node)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::recheck::check;
    use crate::goal::{GoalId, Replay, Status};
    use crate::session::Memory;
    use crate::tests::random::{Loops, Program};
    use crate::tests::{contains_all_states, load, sessions};

    /// Both ways; the regions of a proof hold every state and are inductive, and no two nodes of a position share a valuation.
    #[test]
    fn it_decides_programs_of_few_states() {
        let (mut proofs, mut refined) = (0, 0);
        for seed in 0..150 {
            let program = Program::draw(seed, Loops::Any);
            let (cfa, truth) = (load(&program.text()), program.truth());
            let mut sessions = sessions(&cfa);
            let session = sessions.of(Memory::Abstracted);
            let (mut goals, mut cegar) = (Goals::every_error(&cfa), Cegar::new());
            cegar.run(session, &mut goals, &mut Replay, &mut ()).unwrap_or_else(|cause| panic!("{seed} {cause:?}"));
            refined += cegar.statistics.refinements;
            for position in cegar.arg.positions() {
                let nodes: Vec<NodeId> = cegar.arg.at(position).collect();
                for (at, one) in nodes.iter().enumerate() {
                    assert!(!cegar.regions.is_none(&cegar.arg.node(*one).region));
                    for other in &nodes[at + 1..] {
                        let (one, other) = (&cegar.arg.node(*one).region, &cegar.arg.node(*other).region);
                        assert!(cegar.regions.is_none(&cegar.regions.and(one, other)), "{seed}: covered twice");
                    }
                }
            }
            match &goals.get(GoalId(0)).status {
                Status::Safe(proof) => {
                    assert!(!truth.violated, "{seed}\n{}", program.text());
                    assert!(contains_all_states(session, &proof.invariants, &truth), "{seed}\n{}", program.text());
                    assert_eq!(check(session, &proof.invariants, &|_| true), Ok(()), "{seed}");
                    proofs += 1;
                }
                Status::Unsafe(_) => assert!(truth.violated, "{seed}\n{}", program.text()),
                other @ (Status::Open | Status::Unknown(_)) => panic!("{seed} {other:?}"),
            }
        }
        assert!((30..120).contains(&proofs) && refined > 50, "{proofs} proofs, {refined} refinements");
    }

    fn refinements(text: &str, growth: Growth) -> (Result<(), Cause>, u64, usize) {
        let cfa = load(text);
        let mut sessions = sessions(&cfa);
        let session = sessions.of(Memory::Abstracted);
        session.growth = growth;
        let (mut goals, mut cegar) = (Goals::every_error(&cfa), Cegar::new());
        let result = cegar.run(session, &mut goals, &mut Replay, &mut ());
        (result, cegar.statistics.refinements, cegar.predicates())
    }

    #[test]
    fn a_program_costs_as_many_refinements_as_its_loops_have_facts() {
        let no_loop = "int main(void) { unsigned x = __VERIFIER_nondet_uint(); if (x < 3 && x > 5) reach_error(); }";
        assert_eq!(refinements(no_loop, Growth::Refined), (Ok(()), 0, 0));
        let lock =
            "int main(void) { int held = 0; while (__VERIFIER_nondet_uint()) { if (held) reach_error(); held = 1; held = 0; } }";
        assert_eq!(refinements(lock, Growth::Refined), (Ok(()), 1, 1));
        let two = "int main(void) { int p = 0, q = 5; while (__VERIFIER_nondet_uint()) { if (p) reach_error(); p = q - 5; } }";
        assert_eq!(refinements(two, Growth::Refined), (Ok(()), 2, 2));
        // What was offered, which is nothing, is enough for the first only.
        assert_eq!(refinements(no_loop, Growth::Offered), (Ok(()), 0, 0));
        assert_eq!(refinements(lock, Growth::Offered), (Err(Stop::Interrupted.into()), 0, 0));
    }
}
