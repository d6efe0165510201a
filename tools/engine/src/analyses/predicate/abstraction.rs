//! Abstract post over a block: which valuations of the predicates are possible at an exit.
//!
//! The valuations are enumerated by the solver with a literal for each predicate. What was found is kept per entry region
//! as two bounds, so that a later question about the same region asks only about what is still open. Before the solver is
//! asked, predicates are settled syntactically and by models of earlier answers.
//! Soundness: the result contains every valuation that some concrete state of the entry region leads to.

mod enumeration;
mod remembered;

use biodivine_lib_bdd::Bdd;
use indexmap::IndexMap;
use rustc_hash::{FxHashMap, FxHashSet};
use smt::terms::Substitution;
use smt::{Answer, Backend, Limits, Mode, Reason, Solver, TermId, TermStore};

use self::enumeration::Session;
use self::remembered::Remembered;
use super::precision::Precision;
use super::region::{BddRegions, PredicateIndex, Regions};
use crate::session::Counts;

/// Exits with more distinct subterms than this get a fresh solver for every question.
const INCREMENTAL_LIMIT: usize = 60_000;

/// What the abstraction needs to work with.
pub struct Workshop<'a> {
    /// All terms.
    pub store: &'a mut TermStore,
    /// Source of solvers.
    pub backend: &'a mut dyn Backend,
    /// Limits of each query.
    pub limits: &'a Limits,
    /// Operations on regions.
    pub regions: &'a BddRegions,
    /// The predicates.
    pub precision: &'a Precision,
    /// Counts.
    pub counts: &'a mut Counts,
    /// Valuations enumerated before the post becomes a conjunction of literals and lemmas.
    pub cap: usize,
    /// Clauses over predicates that may hold at the exit, from refinements.
    pub lemmas: &'a [Bdd],
}

/// What is known of the post of one region.
#[derive(Clone, Debug)]
struct Known {
    /// Valuations that are possible.
    inside: Bdd,
    /// All that can be possible.
    bound: Bdd,
    /// The bound is a conjunction of literals and lemmas; how many lemmas there were then.
    product: Option<usize>,
}

/// The questions about one exit of one block.
pub struct ExitQuery {
    guard: TermId,
    substitution: Substitution,
    posts: FxHashMap<PredicateIndex, TermId>,
    solver: Option<Box<dyn Solver>>,
    incremental: Option<bool>,
    defined: FxHashSet<TermId>,
    known: IndexMap<(Bdd, usize), Known>,
    pool: Vec<Remembered>,
    guard_variables: Option<FxHashSet<TermId>>,
}

impl std::fmt::Debug for ExitQuery {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ExitQuery").field("guard", &self.guard).finish_non_exhaustive()
    }
}

/// The predicates of one post, sorted by how they are settled.
struct Plan {
    /// Value known without the solver.
    fixed: Vec<(PredicateIndex, bool)>,
    /// To be enumerated, each with the literal or term that stands for it.
    open: Vec<PredicateIndex>,
}

impl ExitQuery {
    /// Prepares questions about an exit that is reached under `guard`, with these values of the variables.
    #[must_use]
    pub fn new(guard: TermId, substitution: Substitution) -> Self {
        Self {
            guard,
            substitution,
            posts: FxHashMap::default(),
            solver: None,
            incremental: None,
            defined: FxHashSet::default(),
            known: IndexMap::new(),
            pool: Vec::new(),
            guard_variables: None,
        }
    }

    /// The valuations of `predicates` at this exit for entry region `entry`, without those of `covered`.
    ///
    /// # Errors
    /// [`Reason::Interrupted`] if the run was stopped. A query without an answer widens the result instead.
    pub fn post(&mut self, w: &mut Workshop, entry: &Bdd, predicates: &[PredicateIndex], covered: &Bdd) -> Result<Bdd, Reason> {
        w.counts.posts += 1;
        let queries = w.counts.queries;
        let plan = self.plan(w, entry, predicates);
        let box_of_fixed = w.regions.cube(&plan.fixed);
        let key = (entry.clone(), predicates.len());
        let usable = |known: &&Known| known.product.is_none_or(|lemmas| lemmas == w.lemmas.len());
        let mut known = self.known.get(&key).filter(usable).cloned().unwrap_or_else(|| Known {
            inside: w.regions.none(),
            bound: box_of_fixed,
            product: None,
        });
        self.recall(w, entry, &plan, &mut known);
        let open_part = w.regions.without(&w.regions.without(&known.bound, &known.inside), covered);
        if !w.regions.is_none(&open_part)
            && let Err(reason) = self.enumerate(w, entry, &plan, covered, &mut known)
        {
            // Every valuation found is possible, and nothing was excluded yet.
            self.known.insert(key, known);
            return Err(reason);
        }
        if w.counts.queries == queries {
            w.counts.posts_without_query += 1;
        }
        // Either everything outside `inside` and `covered` was excluded, or the bound was widened to stay sound.
        let result = w.regions.without(&known.bound, covered);
        self.known.insert(key, known);
        Ok(result)
    }

    /// Whether the exit can be reached from a region.
    ///
    /// # Errors
    /// As [`Self::post`]; `None` if the solver does not know.
    pub fn feasible(&mut self, w: &mut Workshop, entry: &Bdd) -> Result<bool, Reason> {
        let none = w.regions.none();
        let result = self.post(w, entry, &[], &none)?;
        Ok(!w.regions.is_none(&result))
    }

    /// The value of a predicate at the exit, over the start of the block.
    fn post_term(&mut self, w: &mut Workshop, predicate: PredicateIndex) -> TermId {
        if let Some(&term) = self.posts.get(&predicate) {
            return term;
        }
        let term = self.substitution.apply(w.store, w.precision.term(predicate));
        self.posts.insert(predicate, term);
        term
    }

    fn plan(&mut self, w: &mut Workshop, entry: &Bdd, predicates: &[PredicateIndex]) -> Plan {
        let mut plan = Plan { fixed: Vec::new(), open: Vec::new() };
        let support = w.regions.support(entry);
        for &predicate in predicates {
            let term = self.post_term(w, predicate);
            if let Some(value) = w.store.as_bool(term) {
                plan.fixed.push((predicate, value));
                continue;
            }
            let (atom, negated) = w.store.without_not(term);
            let before = w.precision.index_of(atom);
            if let Some(before) = before {
                let decided =
                    [true, false].into_iter().find(|value| w.regions.entails(entry, &w.regions.literal((before, *value))));
                if let Some(value) = decided {
                    plan.fixed.push((predicate, value != negated));
                    continue;
                }
            }
            if before == Some(predicate) && !support.contains(&predicate) && self.unrelated(w, predicate, &support, predicates) {
                continue;
            }
            plan.open.push(predicate);
        }
        plan
    }

    /// Whether an unchanged predicate shares no variable with the guard, the entry region or another predicate's post:
    /// then nothing is known of it before and after.
    fn unrelated(
        &mut self,
        w: &mut Workshop,
        predicate: PredicateIndex,
        support: &[PredicateIndex],
        predicates: &[PredicateIndex],
    ) -> bool {
        let own = w.store.variables(w.precision.term(predicate));
        let guard = self.guard;
        let store = &*w.store;
        let in_guard = self.guard_variables.get_or_insert_with(|| store.variables(guard).into_iter().collect());
        if own.iter().any(|v| in_guard.contains(v)) {
            return false;
        }
        let shares = |store: &TermStore, term: TermId| store.variables(term).iter().any(|v| own.contains(v));
        if support.iter().any(|p| shares(w.store, w.precision.term(*p))) {
            return false;
        }
        for &other in predicates {
            if other != predicate {
                let term = self.post_term(w, other);
                if shares(w.store, term) {
                    return false;
                }
            }
        }
        true
    }

    /// Adds the valuations of remembered models that belong to the region.
    fn recall(&mut self, w: &mut Workshop, entry: &Bdd, plan: &Plan, known: &mut Known) {
        if self.pool.is_empty() || w.regions.is_none(entry) {
            return;
        }
        let wanted: Vec<(PredicateIndex, TermId)> = plan.open.iter().map(|p| (*p, self.post_term(w, *p))).collect();
        for remembered in &mut self.pool {
            if !remembered.lies_in(w, entry) {
                continue;
            }
            if let Some(cube) = remembered.valuation(w.store, &wanted) {
                let mut literals = plan.fixed.clone();
                literals.extend(cube);
                let cube = w.regions.cube(&literals);
                if !w.regions.entails(&cube, &known.inside) {
                    w.counts.reused_models += 1;
                    known.inside = w.regions.or(&known.inside, &cube);
                }
            }
        }
    }

    /// Asks for the valuations between the bounds that are not covered.
    fn enumerate(&mut self, w: &mut Workshop, entry: &Bdd, plan: &Plan, covered: &Bdd, known: &mut Known) -> Result<(), Reason> {
        let mut session = self.open_session(w, entry, plan);
        let still_open = w.regions.without(&w.regions.without(&known.bound, &known.inside), covered);
        session.restrict(w, &still_open);
        let mut found = 0usize;
        loop {
            match session.ask(w, &[]) {
                Answer::Unsat(_) => {
                    // Nothing beyond what is inside or covered.
                    known.bound = w.regions.and(&known.bound, &w.regions.or(&known.inside, covered));
                    break;
                }
                Answer::Unknown(Reason::Interrupted) => {
                    session.close(w);
                    return Err(Reason::Interrupted);
                }
                Answer::Unknown(_) => {
                    // The bound stays; the caller takes all of it, which is sound.
                    known.inside = known.bound.clone();
                    break;
                }
                Answer::Sat(model) => {
                    found += 1;
                    let Some(cube) = session.remember(w, plan, model) else {
                        known.inside = known.bound.clone();
                        break;
                    };
                    known.inside = w.regions.or(&known.inside, &cube);
                    if plan.open.is_empty() {
                        break;
                    }
                    if found >= w.cap {
                        session.by_candidates(w, plan, covered, known)?;
                        break;
                    }
                    let settled: Vec<PredicateIndex> = plan.fixed.iter().map(|(p, _)| *p).collect();
                    let found_now = w.regions.forget(&cube, &settled);
                    let rest = w.regions.without(&w.regions.all(), &found_now);
                    session.restrict(w, &rest);
                }
            }
        }
        session.close(w);
        Ok(())
    }

    fn open_session<'s>(&'s mut self, w: &mut Workshop, entry: &Bdd, plan: &Plan) -> Session<'s> {
        let posts: FxHashMap<PredicateIndex, TermId> = plan.open.iter().map(|p| (*p, self.post_term(w, *p))).collect();
        let incremental = *self.incremental.get_or_insert_with(|| {
            let mut roots: Vec<TermId> = posts.values().copied().collect();
            roots.push(self.guard);
            w.store.dag_size(&roots) <= INCREMENTAL_LIMIT
        });
        if incremental && self.solver.is_none() {
            let mut solver = w.backend.solver(w.store, Mode::Incremental, &[self.guard]);
            solver.set_limits(w.limits);
            solver.assert(w.store, self.guard);
            self.solver = Some(solver);
        }
        let mut session = Session { query: self, posts, formulas: Vec::new() };
        session.define(w, entry, plan);
        if let Some(solver) = &mut session.query.solver {
            solver.push();
        }
        let region = session.region_before(w, entry);
        session.assert(w, region);
        session
    }
}

/// A region as a formula over the terms that stand for its predicates.
pub fn region_term(w: &mut Workshop, region: &Bdd, stand_ins: &FxHashMap<PredicateIndex, TermId>) -> TermId {
    let regions = w.regions;
    let store = std::cell::RefCell::new(&mut *w.store);
    regions.fold(
        region,
        |leaf| store.borrow().bool(leaf),
        |predicate, low, high| {
            let mut store = store.borrow_mut();
            let condition = stand_ins.get(&predicate).copied().unwrap_or_else(|| store.tt());
            store.ite(condition, high, low)
        },
    )
}

#[cfg(test)]
mod tests {
    use super::remembered::truth;
    use super::*;
    use smt::terms::Assignment;
    use smt::z3::Z3;
    use smt::{Sort, Value};

    /// All valuations of the predicates behind an exit, by trying all states of two variables of three bits.
    fn tried(store: &mut TermStore, parts: &[TermId], guard: TermId, entry: TermId, after: &Substitution) -> Vec<u32> {
        let (x, y) = (store.variable("x", Sort::BitVec(3)), store.variable("y", Sort::BitVec(3)));
        let mut after = after.clone();
        let mut found = Vec::new();
        for state in 0..64u128 {
            let mut model = Assignment::new();
            model.set(x, Value::Bits { width: 3, value: state & 7 });
            model.set(y, Value::Bits { width: 3, value: state >> 3 });
            if truth(store, guard, &model) != Some(true) || truth(store, entry, &model) != Some(true) {
                continue;
            }
            let mut valuation = 0;
            for (at, part) in parts.iter().enumerate() {
                let behind = after.apply(store, *part);
                valuation |= u32::from(truth(store, behind, &model).unwrap()) << at;
            }
            found.push(valuation);
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The post has exactly the valuations that some state leads to, whatever was asked before and whatever is covered; where
    /// enumeration is cut short, it has at least those.
    #[test]
    fn the_post_is_what_states_lead_to() {
        let regions = BddRegions::new();
        for cap in [1000, 1] {
            let mut store = TermStore::new();
            let (x, y) = (store.variable("x", Sort::BitVec(3)), store.variable("y", Sort::BitVec(3)));
            let (one, three) = (store.bits(3, 1), store.bits(3, 3));
            let (next, sum) = (store.add(x, one), store.add(x, y));
            let predicates = [store.ult(x, y), store.eq(x, three), store.slt(y, x), store.ult(y, three)];
            let mut precision = Precision::default();
            let at = program::cfa::LocationId(0);
            for predicate in predicates {
                precision.add(&store, at, predicate);
            }
            let known: Vec<PredicateIndex> = precision.at(at).collect();
            let atoms: Vec<TermId> = known.iter().map(|index| precision.term(*index)).collect();
            let guards = [store.ult(x, three), store.tt(), store.eq(sum, three)];
            for (guard, values) in guards.into_iter().flat_map(|guard| [(guard, (next, y)), (guard, (y, sum))]) {
                let after = Substitution::of(&store, &[(x, values.0), (y, values.1)]);
                let mut exit = ExitQuery::new(guard, after.clone());
                let (mut backend, mut counts) = (Z3::new().unwrap(), Counts::default());
                let limits = Limits::default();
                for entry in [regions.all(), regions.literal((known[0], true)), regions.literal((known[1], false)), regions.all()]
                {
                    let covered = regions.literal((known[3], false));
                    for covered in [regions.none(), covered] {
                        let mut w = Workshop {
                            store: &mut store,
                            backend: &mut backend,
                            limits: &limits,
                            regions: &regions,
                            precision: &precision,
                            counts: &mut counts,
                            cap,
                            lemmas: &[],
                        };
                        let post = exit.post(&mut w, &entry, &known, &covered).unwrap();
                        let terms: FxHashMap<PredicateIndex, TermId> = known.iter().copied().zip(atoms.iter().copied()).collect();
                        let entered = region_term(&mut w, &entry, &terms);
                        let expected = tried(&mut store, &atoms, guard, entered, &after);
                        for valuation in 0..16u32 {
                            let literals: Vec<_> =
                                known.iter().enumerate().map(|(at, p)| (*p, valuation >> at & 1 == 1)).collect();
                            let cube = regions.cube(&literals);
                            let is_covered = regions.entails(&cube, &covered);
                            let wanted = expected.contains(&valuation) && !is_covered;
                            let has = regions.entails(&cube, &post);
                            assert!(!wanted || has, "{valuation:04b} is possible and missing");
                            assert!(cap == 1 || has == wanted, "{valuation:04b} is not possible");
                        }
                    }
                }
            }
        }
    }
}
