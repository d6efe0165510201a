//! A solver that searches over ranges before it asks another one.

use super::{Outcome, solve};
use crate::solver::{Answer, Limits, Mode, Model, Solver, Wanted};
use crate::terms::{TermId, TermStore};

/// Term evaluations spent on one question of many.
const SMALL_EFFORT: usize = 1_500_000;

/// Term evaluations spent on a question that is asked once.
const LARGE_EFFORT: usize = 15_000_000;

/// Puts questions about floats to the search over ranges, and what that does not settle, and all
/// others, to the inner solver.
pub(crate) struct RangesFirst<S> {
    inner: S,
    asserted: Vec<TermId>,
    levels: Vec<usize>,
    limits: Limits,
    effort: usize,
}

impl<S: Solver> RangesFirst<S> {
    pub(crate) fn new(inner: S, mode: Mode) -> RangesFirst<S> {
        let effort = match mode {
            Mode::Fresh => LARGE_EFFORT,
            Mode::Incremental => SMALL_EFFORT,
        };
        RangesFirst {
            inner,
            asserted: Vec::new(),
            levels: Vec::new(),
            limits: Limits::default(),
            effort,
        }
    }

    fn by_ranges(&self, store: &TermStore, assumptions: &[TermId], wanted: Wanted) -> Option<Answer> {
        let mut formulas = self.asserted.clone();
        formulas.extend_from_slice(assumptions);
        if !formulas.iter().any(|formula| store.features(*formula).floats) {
            return None;
        }
        let conjuncts: Vec<TermId> =
            formulas.iter().flat_map(|formula| store.conjuncts(*formula)).collect();
        match solve(store, &conjuncts, &self.limits, self.effort) {
            Outcome::Unknown => None,
            Outcome::Unsat => {
                let mut core = assumptions.to_vec();
                core.sort_unstable();
                core.dedup();
                Some(Answer::Unsat(core))
            }
            Outcome::Sat(model) => match wanted {
                Wanted::Nothing | Wanted::Variables => Some(Answer::Sat(model)),
                Wanted::Terms(terms) => {
                    let mut values = Model::new();
                    for term in terms {
                        values.set(*term, store.eval(*term, &model).ok()?);
                    }
                    Some(Answer::Sat(values))
                }
            },
        }
    }
}

impl<S: Solver> Solver for RangesFirst<S> {
    fn assert(&mut self, store: &TermStore, formula: TermId) {
        self.asserted.push(formula);
        self.inner.assert(store, formula);
    }

    fn push(&mut self) {
        self.levels.push(self.asserted.len());
        self.inner.push();
    }

    fn pop(&mut self) {
        if let Some(kept) = self.levels.pop() {
            self.asserted.truncate(kept);
            self.inner.pop();
        }
    }

    fn check_for(&mut self, store: &TermStore, assumptions: &[TermId], wanted: Wanted) -> Answer {
        match self.by_ranges(store, assumptions, wanted) {
            Some(answer) => answer,
            None => self.inner.check_for(store, assumptions, wanted),
        }
    }

    fn set_limits(&mut self, limits: &Limits) {
        self.limits = limits.clone();
        self.inner.set_limits(limits);
    }
}
