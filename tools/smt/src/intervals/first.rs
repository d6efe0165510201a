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
    /// What is asserted, and where levels begin.
    events: Vec<Event>,
    /// How many of them the inner solver knows: it is told when it is asked, because telling Z3 of
    /// floats alone can take seconds.
    told: usize,
    limits: Limits,
    effort: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Event {
    Push,
    Assert(TermId),
}

impl<S: Solver> RangesFirst<S> {
    pub(crate) fn new(inner: S, mode: Mode) -> RangesFirst<S> {
        let effort = match mode {
            Mode::Fresh => LARGE_EFFORT,
            Mode::Incremental => SMALL_EFFORT,
        };
        RangesFirst { inner, events: Vec::new(), told: 0, limits: Limits::default(), effort }
    }

    fn by_ranges(&self, store: &TermStore, assumptions: &[TermId], wanted: Wanted) -> Option<Answer> {
        let asserted = self.events.iter().filter_map(|event| match event {
            Event::Assert(formula) => Some(*formula),
            Event::Push => None,
        });
        let formulas: Vec<TermId> = asserted.chain(assumptions.iter().copied()).collect();
        if !formulas.iter().any(|formula| store.features(*formula).floats) {
            return None;
        }
        let conjuncts: Vec<TermId> = formulas.iter().flat_map(|formula| store.conjuncts(*formula)).collect();
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
    fn assert(&mut self, _: &TermStore, formula: TermId) {
        self.events.push(Event::Assert(formula));
    }

    fn push(&mut self) {
        self.events.push(Event::Push);
    }

    fn pop(&mut self) {
        let Some(start) = self.events.iter().rposition(|event| *event == Event::Push) else {
            return;
        };
        if self.told > start {
            self.inner.pop();
            self.told = start;
        }
        self.events.truncate(start);
    }

    fn check_for(&mut self, store: &TermStore, assumptions: &[TermId], wanted: Wanted) -> Answer {
        if let Some(answer) = self.by_ranges(store, assumptions, wanted) {
            return answer;
        }
        for event in &self.events[self.told..] {
            match event {
                Event::Push => self.inner.push(),
                Event::Assert(formula) => self.inner.assert(store, *formula),
            }
        }
        self.told = self.events.len();
        self.inner.check_for(store, assumptions, wanted)
    }

    fn set_limits(&mut self, limits: &Limits) {
        self.limits = limits.clone();
        self.inner.set_limits(limits);
    }
}
