//! One enumeration of the valuations at an exit: what the solver is told and asked, and what its models say.
//!
//! Where the solver stays, a literal stands for each predicate, defined outside the level that is dropped at the end; else each
//! question goes to a fresh solver with all formulas.
//! Does not know when enough is known; see [`ExitQuery`].

use biodivine_lib_bdd::Bdd;
use rustc_hash::FxHashMap;
use smt::terms::{Assignment, Role};
use smt::{Answer, Mode, Reason, Sort, TermId, TermStore, Value};

use super::remembered::Remembered;
use super::{ExitQuery, Known, Plan, Workshop, region_term};
use crate::analyses::predicate::region::{PredicateIndex, Regions};

/// Models remembered per exit.
const POOL: usize = 64;

/// One enumeration: an open level of the solver, or the list of formulas for fresh solvers.
pub(super) struct Session<'s> {
    pub(super) query: &'s mut ExitQuery,
    pub(super) posts: FxHashMap<PredicateIndex, TermId>,
    pub(super) formulas: Vec<TermId>,
}

impl Session<'_> {
    /// Defines the literals of all predicates involved, outside the level that will be dropped.
    pub(super) fn define(&mut self, w: &mut Workshop, entry: &Bdd, plan: &Plan) {
        if self.query.solver.is_none() {
            return;
        }
        for predicate in w.regions.support(entry) {
            self.define_one(w, w.precision.term(predicate));
        }
        for predicate in &plan.open {
            let term = self.posts[predicate];
            self.define_one(w, term);
        }
    }

    fn define_one(&mut self, w: &mut Workshop, term: TermId) {
        let (atom, _) = w.store.without_not(term);
        if self.query.defined.insert(atom) {
            let literal = literal(w.store, atom);
            let definition = w.store.eq(literal, atom);
            if let Some(solver) = &mut self.query.solver {
                solver.assert(w.store, definition);
            }
        }
    }

    /// The term that stands for a formula in this session: its literal, or itself for fresh solvers.
    fn stand_in(&self, w: &mut Workshop, term: TermId) -> TermId {
        if self.query.solver.is_none() {
            return term;
        }
        let (atom, negated) = w.store.without_not(term);
        let literal = literal(w.store, atom);
        if negated { w.store.not(literal) } else { literal }
    }

    pub(super) fn region_before(&self, w: &mut Workshop, region: &Bdd) -> TermId {
        let stand_ins: FxHashMap<PredicateIndex, TermId> =
            w.regions.support(region).into_iter().map(|p| (p, self.stand_in(w, w.precision.term(p)))).collect();
        region_term(w, region, &stand_ins)
    }

    /// Restricts the valuations at the exit to a region over the open predicates.
    pub(super) fn restrict(&mut self, w: &mut Workshop, region: &Bdd) {
        let term = self.region_after(w, region);
        self.assert(w, term);
    }

    /// A region at the exit as a formula over the open predicates.
    fn region_after(&self, w: &mut Workshop, region: &Bdd) -> TermId {
        let constants: Vec<PredicateIndex> =
            w.regions.support(region).into_iter().filter(|p| !self.posts.contains_key(p)).collect();
        // Predicates that are settled or unrelated: any value of them will do.
        let region = w.regions.forget(region, &constants);
        let stand_ins: FxHashMap<PredicateIndex, TermId> =
            w.regions.support(&region).into_iter().map(|p| (p, self.stand_in(w, self.posts[&p]))).collect();
        region_term(w, &region, &stand_ins)
    }

    pub(super) fn assert(&mut self, w: &mut Workshop, formula: TermId) {
        match &mut self.query.solver {
            Some(solver) => solver.assert(w.store, formula),
            None => self.formulas.push(formula),
        }
    }

    pub(super) fn ask(&mut self, w: &mut Workshop, assumptions: &[TermId]) -> Answer {
        w.counts.queries += 1;
        w.counts.post_queries += 1;
        if let Some(solver) = &mut self.query.solver {
            return solver.check_assuming(w.store, assumptions);
        }
        let mut formulas = vec![self.query.guard];
        formulas.extend_from_slice(&self.formulas);
        formulas.extend_from_slice(assumptions);
        if formulas.contains(&w.store.ff()) {
            return Answer::Unsat(Vec::new());
        }
        let mut solver = w.backend.solver(w.store, Mode::Fresh, &formulas);
        solver.set_limits(w.limits);
        for formula in formulas {
            for conjunct in w.store.conjuncts(formula) {
                solver.assert(w.store, conjunct);
            }
        }
        solver.check(w.store)
    }

    /// Keeps a model and yields its valuation at the exit; `None` if it cannot be evaluated.
    pub(super) fn remember(&mut self, w: &mut Workshop, plan: &Plan, model: Assignment) -> Option<Bdd> {
        let wanted: Vec<(PredicateIndex, TermId)> = plan.open.iter().map(|p| (*p, self.posts[p])).collect();
        let mut literals = plan.fixed.clone();
        if self.query.solver.is_some() {
            literals.extend(self.valuation(w, &plan.open, &model)?);
        }
        let mut remembered = Remembered { model, before: FxHashMap::default(), after: FxHashMap::default() };
        if self.query.solver.is_none() {
            literals.extend(remembered.valuation(w.store, &wanted)?);
        }
        if self.query.pool.len() < POOL {
            self.query.pool.push(remembered);
        }
        Some(w.regions.cube(&literals))
    }

    /// Widens the bound to the conjunction of the single literals and the lemmas that hold at the exit. A candidate that a
    /// valuation found so far violates needs no question; a question that fails yields such a valuation.
    pub(super) fn by_candidates(
        &mut self,
        w: &mut Workshop,
        plan: &Plan,
        covered: &Bdd,
        known: &mut Known,
    ) -> Result<(), Reason> {
        w.counts.products += 1;
        known.product = Some(w.lemmas.len());
        let mut candidates: Vec<Bdd> = Vec::new();
        for &predicate in &plan.open {
            candidates.extend([true, false].map(|value| w.regions.literal((predicate, value))));
        }
        candidates.extend(w.lemmas.iter().cloned());
        let mut product = w.regions.cube(&plan.fixed);
        for candidate in candidates {
            let violated = w.regions.without(&product, &candidate);
            if w.regions.is_none(&violated) || !w.regions.entails(&known.inside, &candidate) {
                continue;
            }
            let formula = self.region_after(w, &violated);
            match self.model(w, &[formula])? {
                None => product = w.regions.and(&product, &candidate),
                Some(model) => {
                    let Some(cube) = self.valuation(w, &plan.open, &model) else { continue };
                    let mut cube = cube;
                    cube.extend_from_slice(&plan.fixed);
                    known.inside = w.regions.or(&known.inside, &w.regions.cube(&cube));
                }
            }
        }
        // What is covered was not asked about: it stays between the bounds.
        known.inside = w.regions.and(&known.bound, &product);
        known.bound = w.regions.and(&known.bound, &w.regions.or(&known.inside, covered));
        Ok(())
    }

    /// A model; a question without an answer counts as one with an unusable model.
    fn model(&mut self, w: &mut Workshop, assumptions: &[TermId]) -> Result<Option<Assignment>, Reason> {
        match self.ask(w, assumptions) {
            Answer::Sat(model) => Ok(Some(model)),
            Answer::Unsat(_) => Ok(None),
            Answer::Unknown(Reason::Interrupted) => {
                self.close(w);
                Err(Reason::Interrupted)
            }
            Answer::Unknown(_) => Ok(Some(Assignment::new())),
        }
    }

    /// The values of predicates in a model; `None` if it has none for them.
    fn valuation(
        &self,
        w: &mut Workshop,
        predicates: &[PredicateIndex],
        model: &Assignment,
    ) -> Option<Vec<(PredicateIndex, bool)>> {
        let mut cache = FxHashMap::default();
        let mut literals = Vec::with_capacity(predicates.len());
        for predicate in predicates {
            let (atom, negated) = w.store.without_not(self.posts[predicate]);
            let value = if self.query.solver.is_some() {
                let literal = literal(w.store, atom);
                model.get(literal).and_then(Value::as_bool)?
            } else if model.iter().next().is_some() {
                w.store.eval_with(atom, model, &mut cache).ok()?.as_bool()?
            } else {
                return None;
            };
            literals.push((*predicate, value != negated));
        }
        Some(literals)
    }

    pub(super) fn close(&mut self, _w: &mut Workshop) {
        if let Some(solver) = &mut self.query.solver {
            solver.pop();
        }
    }
}

/// The literal that stands for an atom, the same in all solvers.
fn literal(store: &mut TermStore, atom: TermId) -> TermId {
    store.fresh_variable(Role::Atom, atom.number(), Sort::Bool)
}
