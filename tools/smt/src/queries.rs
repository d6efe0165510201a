//! Questions above single solver calls: closed queries with a cache, minimal cores, and all
//! models over a set of predicates.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::solver::{Answer, Backend, Limits, Mode, Model, Reason, Solver, Statistics, Wanted};
use crate::terms::{Role, TermId, TermStore, Value};
use crate::z3::{Z3, Z3Error};

/// Models with more values than this are not kept in the cache.
const KEPT_MODEL: usize = 256;

/// Block formulas with more distinct subterms than this get a fresh solver for every question:
/// the incremental engine is hopeless on them.
const INCREMENTAL_LIMIT: usize = 1500;

/// Why a question about several queries has no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum QueryError {
    /// The formula of which a core was asked has a model.
    #[error("a core was asked of a satisfiable formula")]
    Satisfiable(Model),
    /// The solver gave up.
    #[error(transparent)]
    Unknown(#[from] Reason),
}

/// The solver as the rest of the tools use it: counts, caches, and chooses the mode.
pub struct Queries {
    backend: Box<dyn Backend>,
    limits: Limits,
    cache: FxHashMap<Rc<[TermId]>, Answer>,
    statistics: Statistics,
}

impl std::fmt::Debug for Queries {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Queries").field("statistics", &self.statistics).finish_non_exhaustive()
    }
}

impl Queries {
    /// Questions to Z3. All terms must come from one store.
    ///
    /// # Errors
    /// [`Z3Error`] if the linked library cannot be used.
    pub fn z3(limits: Limits) -> Result<Queries, Z3Error> {
        Ok(Queries::new(Box::new(Z3::new()?), limits))
    }

    /// Questions to some back end.
    #[must_use]
    pub fn new(backend: Box<dyn Backend>, limits: Limits) -> Queries {
        Queries { backend, limits, cache: FxHashMap::default(), statistics: Statistics::default() }
    }

    /// Limits of each query from now on.
    pub fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
    }

    /// The limits in force.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Numbers of queries so far.
    #[must_use]
    pub fn statistics(&self) -> Statistics {
        self.statistics
    }

    /// Whether the formulas hold together, with values of all their variables; asked of a fresh
    /// solver. Answers are cached, `Unknown` is not.
    pub fn check(&mut self, store: &TermStore, formulas: &[TermId]) -> Answer {
        let mut conjuncts: Vec<TermId> = formulas.iter().flat_map(|formula| store.conjuncts(*formula)).collect();
        let mut key = conjuncts.clone();
        key.sort_unstable();
        key.dedup();
        if key.binary_search(&store.ff()).is_ok() {
            self.statistics.saved += 1;
            return Answer::Unsat(Vec::new());
        }
        if key.is_empty() {
            self.statistics.saved += 1;
            return Answer::Sat(Model::new());
        }
        if let Some(known) = self.cache.get(key.as_slice()) {
            self.statistics.saved += 1;
            return known.clone();
        }
        conjuncts.dedup();
        let answer = self.ask_once(store, &conjuncts);
        let keep = match &answer {
            Answer::Sat(model) => model.iter().count() <= KEPT_MODEL,
            Answer::Unsat(_) => true,
            Answer::Unknown(_) => false,
        };
        if keep {
            self.cache.insert(key.into(), answer.clone());
        }
        answer
    }

    /// Asks a fresh solver.
    fn ask_once(&mut self, store: &TermStore, conjuncts: &[TermId]) -> Answer {
        let mut solver = self.backend.solver(store, Mode::Fresh, conjuncts);
        solver.set_limits(&self.limits);
        for conjunct in conjuncts {
            solver.assert(store, *conjunct);
        }
        let answer = solver.check(store);
        self.statistics.count(&answer);
        answer
    }

    /// Whether `premise` implies `conclusion`; the solver is asked if no example says that it does not.
    ///
    /// # Errors
    /// The reason if the solver gave up.
    pub fn entails(&mut self, store: &mut TermStore, premise: TermId, conclusion: TermId) -> Result<bool, Reason> {
        if store.is_refuted(premise, conclusion) {
            self.statistics.saved += 1;
            return Ok(false);
        }
        let not = store.not(conclusion);
        match self.check(store, &[premise, not]) {
            Answer::Sat(_) => Ok(false),
            Answer::Unsat(_) => Ok(true),
            Answer::Unknown(reason) => Err(reason),
        }
    }

    /// A subset of `soft` that is unsatisfiable with `hard` and loses that with any element;
    /// positions in `soft`, ascending. Earlier elements are preferred for removal last.
    ///
    /// Source: U. Junker, QuickXplain, AAAI 2004; every question goes to a fresh solver.
    ///
    /// # Errors
    /// [`QueryError::Satisfiable`] if there is a model; [`QueryError::Unknown`] if the solver
    /// gave up on the whole. Where it gives up on a part, that part stays in the core.
    pub fn minimal_core(&mut self, store: &TermStore, hard: &[TermId], soft: &[TermId]) -> Result<Vec<usize>, QueryError> {
        let mut all = hard.to_vec();
        all.extend_from_slice(soft);
        match self.check(store, &all) {
            Answer::Sat(model) => return Err(QueryError::Satisfiable(model)),
            Answer::Unknown(reason) => return Err(QueryError::Unknown(reason)),
            Answer::Unsat(_) => {}
        }
        let positions: Vec<usize> = (0..soft.len()).collect();
        let mut background = hard.to_vec();
        let mut core = self.explain_if_needed(store, &mut background, soft, &positions);
        core.sort_unstable();
        Ok(core)
    }

    /// Nothing if the background suffices, else a core of the open conjuncts.
    fn explain_if_needed(
        &mut self,
        store: &TermStore,
        background: &mut Vec<TermId>,
        soft: &[TermId],
        open: &[usize],
    ) -> Vec<usize> {
        if matches!(self.check(store, background), Answer::Unsat(_)) {
            return Vec::new();
        }
        self.explain(store, background, soft, open)
    }

    /// Junker's recursion, on a background that does not suffice; its depth is logarithmic.
    fn explain(&mut self, store: &TermStore, background: &mut Vec<TermId>, soft: &[TermId], open: &[usize]) -> Vec<usize> {
        if open.len() <= 1 {
            return open.to_vec();
        }
        let (first, second) = open.split_at(open.len() / 2);
        let mark = background.len();
        background.extend(first.iter().map(|at| soft[*at]));
        let needed_second = self.explain_if_needed(store, background, soft, second);
        background.truncate(mark);
        background.extend(needed_second.iter().map(|at| soft[*at]));
        // Without a need for the second half the first one is known not to be superfluous.
        let mut needed = if needed_second.is_empty() {
            self.explain(store, background, soft, first)
        } else {
            self.explain_if_needed(store, background, soft, first)
        };
        background.truncate(mark);
        needed.extend(needed_second);
        needed
    }

    /// Opens the questions about which of the predicates follow from a formula.
    pub fn predicates<'q>(&'q mut self, store: &mut TermStore, formula: TermId, predicates: &[TermId]) -> PredicateQuery<'q> {
        let mut roots = predicates.to_vec();
        roots.push(formula);
        let solver = (store.dag_size(&roots) <= INCREMENTAL_LIMIT).then(|| {
            let mut solver = self.backend.solver(store, Mode::Incremental, &roots);
            solver.set_limits(&self.limits);
            solver.assert(store, formula);
            solver
        });
        let literals = match solver {
            Some(_) => (0..predicates.len()).map(|at| literal(store, at)).collect(),
            None => predicates.to_vec(),
        };
        let mut query = PredicateQuery {
            queries: self,
            formula,
            predicates: predicates.to_vec(),
            literals,
            solver,
            blocked: Vec::new(),
            seen: Vec::new(),
        };
        query.define_literals(store);
        query
    }
}

/// The literal that stands for the predicate at a position; the same in every query.
fn literal(store: &mut TermStore, at: usize) -> TermId {
    let number = formats::dense(at);
    store.fresh_variable(Role::Predicate, number, crate::terms::Sort::Bool)
}

/// The models of a formula over predicates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AllSat {
    /// One truth value per asked predicate, for each model found.
    pub models: Vec<Vec<bool>>,
    /// Whether these are all.
    pub complete: bool,
}

/// Questions about predicates under one formula. See [`Queries::predicates`].
///
/// Keeps every valuation it has seen: most questions are answered by one of them.
pub struct PredicateQuery<'q> {
    queries: &'q mut Queries,
    formula: TermId,
    predicates: Vec<TermId>,
    literals: Vec<TermId>,
    /// `None`: every question goes to a fresh solver.
    solver: Option<Box<dyn Solver>>,
    blocked: Vec<TermId>,
    seen: Vec<Vec<bool>>,
}

impl std::fmt::Debug for PredicateQuery<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("PredicateQuery").field("seen", &self.seen).finish_non_exhaustive()
    }
}

impl PredicateQuery<'_> {
    /// Whether the formula has a model at all.
    ///
    /// # Errors
    /// The reason if the solver gave up.
    pub fn feasible(&mut self, store: &TermStore) -> Result<bool, Reason> {
        if !self.seen.is_empty() {
            return Ok(true);
        }
        Ok(self.ask(store, &[])?.is_some())
    }

    /// `Some(b)` if the predicate at this position is `b` in every model, `None` if it varies.
    /// Of an infeasible formula everything holds.
    ///
    /// # Errors
    /// The reason if the solver gave up.
    pub fn decide(&mut self, store: &mut TermStore, at: usize) -> Result<Option<bool>, Reason> {
        if !self.feasible(store)? {
            return Ok(Some(true));
        }
        for value in [true, false] {
            if self.seen.iter().any(|valuation| valuation[at] != value) {
                continue;
            }
            let literal = self.literals[at];
            let other = if value { store.not(literal) } else { literal };
            if self.ask(store, &[other])?.is_none() {
                return Ok(Some(value));
            }
        }
        Ok(None)
    }

    /// All valuations of the predicates at these positions, at most `cap`.
    /// Call it last: it excludes what it finds from later answers.
    ///
    /// # Errors
    /// The reason if the solver gave up.
    pub fn all_sat(&mut self, store: &mut TermStore, positions: &[usize], cap: usize) -> Result<AllSat, Reason> {
        let project = |valuation: &Vec<bool>| positions.iter().map(|at| valuation[*at]).collect::<Vec<_>>();
        let mut models: Vec<Vec<bool>> = Vec::new();
        let mut pending: Vec<Vec<bool>> = self.seen.iter().map(project).collect();
        pending.sort();
        pending.dedup();
        loop {
            for model in pending.drain(..) {
                self.block(store, positions, &model);
                models.push(model);
            }
            if models.len() >= cap {
                models.sort();
                return Ok(AllSat { models, complete: false });
            }
            match self.ask(store, &[])? {
                Some(valuation) => pending.push(project(&valuation)),
                None => {
                    models.sort();
                    return Ok(AllSat { models, complete: true });
                }
            }
        }
    }

    fn define_literals(&mut self, store: &mut TermStore) {
        if let Some(solver) = &mut self.solver {
            for (literal, predicate) in self.literals.iter().zip(&self.predicates) {
                let definition = store.eq(*literal, *predicate);
                solver.assert(store, definition);
            }
        }
    }

    fn block(&mut self, store: &mut TermStore, positions: &[usize], model: &[bool]) {
        let differs: Vec<TermId> = positions
            .iter()
            .zip(model)
            .map(|(at, value)| if *value { store.not(self.literals[*at]) } else { self.literals[*at] })
            .collect();
        let clause = store.or(&differs);
        match &mut self.solver {
            Some(solver) => solver.assert(store, clause),
            None => self.blocked.push(clause),
        }
    }

    /// A new valuation of the predicates under some literals, remembered; `None` if there is none.
    fn ask(&mut self, store: &TermStore, assumptions: &[TermId]) -> Result<Option<Vec<bool>>, Reason> {
        let answer = match &mut self.solver {
            Some(solver) => {
                let answer = solver.check_for(store, assumptions, Wanted::Terms(&self.literals));
                self.queries.statistics.count(&answer);
                answer
            }
            None => {
                let mut formulas = vec![self.formula];
                formulas.extend_from_slice(&self.blocked);
                formulas.extend_from_slice(assumptions);
                self.queries.check(store, &formulas)
            }
        };
        let model = match answer {
            Answer::Sat(model) => model,
            Answer::Unsat(_) => return Ok(None),
            Answer::Unknown(reason) => return Err(reason),
        };
        let mut cache = FxHashMap::default();
        let mut valuation = Vec::with_capacity(self.literals.len());
        for literal in &self.literals {
            let value = match model.get(*literal) {
                Some(value) => Ok(value.clone()),
                None => store.eval_with(*literal, &model, &mut cache),
            };
            match value {
                Ok(Value::Bool(value)) => valuation.push(value),
                Ok(Value::Bits { .. } | Value::Array(_)) | Err(_) => {
                    return Err(Reason::UnreadableModel);
                }
            }
        }
        self.seen.push(valuation.clone());
        Ok(Some(valuation))
    }
}
