//! Counterexample-guided abstraction refinement: the loop of abstractor and refiner.
//!
//! The abstractor grows the abstract reachability graph until an error is abstractly reachable or nothing is open. The
//! formula of an abstract path decides whether it is real; if not, the first refinement strategy with something new
//! extends the precision, the graph is cut where that matters, and the loop goes on. Every round adds a predicate to a
//! state of the path that lacked it, so no path is refuted twice with the same predicates.

use std::collections::BTreeSet;
use std::rc::Rc;

use indexmap::IndexMap;
use smt::{Answer, Reason, TermId};

use crate::arg::{Arg, NodeId, Parent};
use crate::block::build::build;
use crate::block::{Block, Obstacle, SymbolicState, Target};
use crate::counterexample::{Counterexample, extract};
use crate::explore::Stop;
use crate::invariant::{Invariant, invariants};
use crate::position::Position;
use crate::predicate::abstraction::{ExitQuery, Workshop};
use crate::predicate::region::{PredicateIndex, Regions};
use crate::refine::static_atoms::StaticAtoms;
use crate::refine::wp::WeakestPreconditions;
use crate::refine::{Lemma, PathFormula, Refinement, Refiner, border_location};
pub use crate::session::Session;

/// Valuations enumerated per abstract post before the post becomes a conjunction of literals and lemmas.
const VALUATIONS: usize = 150;

/// The verdict of an analysis, with what it rests on.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// The error cannot be reached.
    Safe(Vec<Invariant>),
    /// A feasible path to the error.
    Unsafe(Counterexample),
    /// Neither was found.
    Unknown(Cause),
}

/// Why there is no verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// Something that cannot be treated is reached.
    Obstacle(Obstacle),
    /// The exploration was ended.
    Stopped(Stop),
    /// The solver has no answer.
    Solver,
    /// No strategy has a new predicate.
    NoProgress,
}

impl From<Stop> for Cause {
    fn from(stop: Stop) -> Self {
        Cause::Stopped(stop)
    }
}

/// Watches the loop.
pub trait Observer {
    /// A round begins.
    fn round(&mut self, _refinements: usize, _nodes: usize, _predicates: usize) {}
}

impl Observer for () {}

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

struct Start {
    block: Rc<Block>,
    queries: Vec<ExitQuery>,
}

/// The predicate analysis of one program.
pub struct Cegar<'s, 'p> {
    session: &'s mut Session<'p>,
    arg: Arg,
    starts: IndexMap<(Position, bool), Start>,
    waitlist: BTreeSet<(usize, Vec<u32>, NodeId)>,
    strategies: Vec<Box<dyn Refiner>>,
    obstacle: Option<Obstacle>,
    /// Counts.
    pub statistics: Statistics,
}

impl std::fmt::Debug for Cegar<'_, '_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Cegar").field("statistics", &self.statistics).finish_non_exhaustive()
    }
}

/// An abstract path: nodes, and the exit of the last one's block.
struct AbstractPath {
    nodes: Vec<NodeId>,
    exit: usize,
}

impl<'s, 'p> Cegar<'s, 'p> {
    /// An analysis with the usual strategies.
    #[must_use]
    pub fn new(session: &'s mut Session<'p>) -> Self {
        Self {
            session,
            arg: Arg::default(),
            starts: IndexMap::new(),
            waitlist: BTreeSet::new(),
            strategies: vec![
                Box::new(WeakestPreconditions { lemmas: 8 }),
                Box::new(WeakestPreconditions { lemmas: 100 }),
                Box::new(StaticAtoms),
            ],
            obstacle: None,
            statistics: Statistics::default(),
        }
    }

    /// Runs until there is a verdict.
    pub fn run(&mut self, observer: &mut dyn Observer) -> Outcome {
        match self.rounds(observer) {
            Ok(outcome) => outcome,
            Err(cause) => Outcome::Unknown(self.obstacle.take().map_or(cause, Cause::Obstacle)),
        }
    }

    fn rounds(&mut self, observer: &mut dyn Observer) -> Result<Outcome, Cause> {
        let Some(start) = self.session.explorer.start() else { return Ok(Outcome::Safe(Vec::new())) };
        let everything = self.session.regions.all();
        let root = self.arg.add(start, everything, None, (0, 0));
        self.wait(root);
        loop {
            observer.round(
                usize::try_from(self.statistics.refinements).unwrap_or(usize::MAX),
                self.arg.len(),
                self.session.precision.len(),
            );
            let Some(path) = self.explore()? else {
                return match self.obstacle.take() {
                    Some(obstacle) => Ok(Outcome::Unknown(Cause::Obstacle(obstacle))),
                    None => Ok(Outcome::Safe(invariants(self.session, &self.arg))),
                };
            };
            let formula = self.formula(&path);
            match self.session.check(&formula.parts)? {
                Answer::Sat(model) => match &formula.exit(formula.len() - 1).target {
                    Target::Obstacle(_, obstacle) => self.obstacle = Some(obstacle.clone()),
                    Target::Error(_) | Target::Head(_) => {
                        return Ok(Outcome::Unsafe(extract(self.session, &formula, &model)?));
                    }
                },
                Answer::Unsat(_) => self.refine(&path, &formula)?,
                Answer::Unknown(_) => return Err(Cause::Solver),
            }
        }
    }

    /// Expands open nodes until an error or an obstacle is abstractly reachable.
    fn explore(&mut self) -> Result<Option<AbstractPath>, Cause> {
        while let Some((depth, order, node)) = self.waitlist.pop_first() {
            if !self.arg.is_live(node) {
                continue;
            }
            self.session.explorer.check_limits(0)?;
            if let Some(exit) = self.expand(node)? {
                self.waitlist.insert((depth, order, node));
                return Ok(Some(AbstractPath { nodes: self.arg.path_to(node), exit }));
            }
        }
        Ok(None)
    }

    /// Adds the successors of a node; the exit to an error or obstacle that its region may reach, if there is one.
    fn expand(&mut self, node: NodeId) -> Result<Option<usize>, Cause> {
        let (position, initial) = (self.arg.node(node).position, self.arg.node(node).initial);
        let region = self.arg.node(node).region.clone();
        let block = self.start((position, initial))?;
        for (at, exit) in block.exits.iter().enumerate() {
            match &exit.target {
                Target::Obstacle(..) if self.obstacle.is_some() => {}
                Target::Error(_) | Target::Obstacle(..) => {
                    let none = self.session.regions.none();
                    let reached = self.post((position, initial), at, &region, (&[], None), &none)?;
                    if !self.session.regions.is_none(&reached) {
                        return Ok(Some(at));
                    }
                }
                Target::Head(next) => self.add_successor(node, (position, initial), at, &region, *next)?,
            }
        }
        self.arg.set_expanded(node);
        Ok(None)
    }

    fn add_successor(
        &mut self,
        node: NodeId,
        key: (Position, bool),
        exit: usize,
        region: &biodivine_lib_bdd::Bdd,
        next: Position,
    ) -> Result<(), Cause> {
        let predicates = self.alive_predicates(next);
        let precision = &self.session.precision;
        let known = (precision.len_at(next.location), precision.lemmas_at(next.location).len());
        let mut covered = self.session.regions.none();
        for other in self.arg.at(next) {
            covered = self.session.regions.or(&covered, &self.arg.node(other).region);
        }
        let new = self.post(key, exit, region, (&predicates, Some(next)), &covered)?;
        if !self.session.regions.is_none(&new) {
            let child = self.arg.add(next, new, Some(Parent { node, exit }), known);
            self.statistics.nodes += 1;
            self.wait(child);
        }
        Ok(())
    }

    /// The predicates of a position's location that speak of variables that exist there.
    fn alive_predicates(&self, position: Position) -> Vec<PredicateIndex> {
        let Session { explorer, store, precision, .. } = &*self.session;
        let exists = |predicate: &PredicateIndex| {
            let variables = store.variables(precision.term(*predicate));
            variables.into_iter().all(|variable| explorer.exists_at(store, position, variable))
        };
        precision.at(position.location).filter(exists).collect()
    }

    fn post(
        &mut self,
        key: (Position, bool),
        exit: usize,
        region: &biodivine_lib_bdd::Bdd,
        (predicates, next): (&[PredicateIndex], Option<Position>),
        covered: &biodivine_lib_bdd::Bdd,
    ) -> Result<biodivine_lib_bdd::Bdd, Cause> {
        let session = &mut *self.session;
        let lemmas = next.map_or(&[][..], |next| session.precision.lemmas_at(next.location));
        let mut workshop = Workshop {
            store: &mut session.store,
            backend: &mut session.backend,
            limits: &session.limits,
            regions: &session.regions,
            precision: &session.precision,
            counts: &mut session.counts,
            cap: VALUATIONS,
            lemmas,
        };
        let Some(start) = self.starts.get_mut(&key) else { return Ok(session.regions.all()) };
        start.queries[exit]
            .post(&mut workshop, region, predicates, covered)
            .map_err(|reason| if reason == Reason::Interrupted { Cause::Stopped(Stop::Interrupted) } else { Cause::Solver })
    }

    /// The block from a position, at the beginning of the program or not, encoded on first use.
    fn start(&mut self, (position, initial): (Position, bool)) -> Result<Rc<Block>, Cause> {
        if let Some(start) = self.starts.get(&(position, initial)) {
            return Ok(Rc::clone(&start.block));
        }
        let session = &mut *self.session;
        let state = if initial {
            session.explorer.initial_state(&mut session.store).map_err(|unsupported| {
                Cause::Obstacle(Obstacle::Initializer { construct: unsupported.construct, span: unsupported.span })
            })?
        } else {
            SymbolicState::unchanged()
        };
        let block = Rc::new(build(&mut session.explorer, &mut session.store, position, state)?);
        self.statistics.blocks += 1;
        self.statistics.edges += u64::try_from(block.edges).unwrap_or(u64::MAX);
        let queries = block.exits.iter().map(|exit| ExitQuery::new(&session.store, exit)).collect();
        self.starts.insert((position, initial), Start { block: Rc::clone(&block), queries });
        Ok(block)
    }

    fn formula(&mut self, path: &AbstractPath) -> PathFormula {
        let mut blocks = Vec::with_capacity(path.nodes.len());
        let mut exits = Vec::with_capacity(path.nodes.len());
        for (at, id) in path.nodes.iter().enumerate() {
            let node = self.arg.node(*id);
            if let Some(start) = self.starts.get(&(node.position, node.initial)) {
                blocks.push(Rc::clone(&start.block));
            }
            let exit = match path.nodes.get(at + 1) {
                Some(next) => self.arg.node(*next).parent.map_or(0, |p| p.exit),
                None => path.exit,
            };
            exits.push(exit);
        }
        let regions = path.nodes.iter().map(|id| region_formula(self.session, &self.arg.node(*id).region)).collect();
        PathFormula::new(&mut self.session.store, blocks, exits, regions)
    }

    /// Extends the precision so that the path is excluded, and cuts the graph.
    fn refine(&mut self, path: &AbstractPath, formula: &PathFormula) -> Result<(), Cause> {
        self.statistics.refinements += 1;
        for at in 0..self.strategies.len() {
            let Refinement::Candidates(candidates, lemmas) = self.strategies[at].refine(self.session, formula)? else {
                continue;
            };
            let mut first: Option<usize> = None;
            let mut note = |border: usize| first = Some(first.map_or(border, |f: usize| f.min(border)));
            for candidate in candidates {
                let location = border_location(formula, candidate.border);
                self.session.precision.add(&self.session.store, location, candidate.atom);
                let known = self.arg.node(path.nodes[candidate.border]).precision;
                if self.session.precision.position(location, candidate.atom).is_some_and(|place| place >= known) {
                    note(candidate.border);
                }
            }
            for lemma in lemmas {
                let location = border_location(formula, lemma.border);
                let Some(clause) = self.clause(&lemma) else { continue };
                let known = self.arg.node(path.nodes[lemma.border]).lemmas;
                if self.session.precision.add_lemma(location, clause) >= known {
                    note(lemma.border);
                }
            }
            if let Some(border) = first {
                self.cut(path.nodes[border]);
                return Ok(());
            }
        }
        Err(Cause::NoProgress)
    }

    /// A lemma as a region; `None` if one of its atoms is no predicate.
    fn clause(&self, lemma: &Lemma) -> Option<biodivine_lib_bdd::Bdd> {
        let Session { regions, precision, .. } = &*self.session;
        let mut clause = regions.none();
        for (atom, value) in &lemma.literals {
            clause = regions.or(&clause, &regions.literal((precision.index_of(*atom)?, *value)));
        }
        Some(clause)
    }

    /// Removes a node and what is below it; its parent and everything that relied on removed nodes is opened again.
    fn cut(&mut self, node: NodeId) {
        let starts = &self.starts;
        let reopened = self.arg.remove(node, |other, position| {
            starts
                .get(&(other.position, other.initial))
                .is_some_and(|start| start.block.exits.iter().any(|exit| exit.target == Target::Head(position)))
        });
        for id in reopened {
            self.wait(id);
        }
    }

    fn wait(&mut self, node: NodeId) {
        let (depth, position) = (self.arg.node(node).depth, self.arg.node(node).position);
        let order = self.session.explorer.order(position);
        self.waitlist.insert((depth, order, node));
    }
}

/// A conjunction of terms, for the modules that render regions.
pub(crate) fn region_formula(session: &mut Session, region: &biodivine_lib_bdd::Bdd) -> TermId {
    let regions = &session.regions;
    let precision = &session.precision;
    let store = std::cell::RefCell::new(&mut session.store);
    regions.fold(
        region,
        |leaf| store.borrow().bool(leaf),
        |predicate, low, high| store.borrow_mut().ite(precision.term(predicate), high, low),
    )
}
