//! Models of earlier answers, and what they say about a region and about predicates at the exit.
//!
//! Each predicate is evaluated once per model. Does not know the solver.

use biodivine_lib_bdd::Bdd;
use rustc_hash::FxHashMap;
use smt::terms::Assignment;
use smt::{TermId, TermStore};

use super::Workshop;
use crate::analyses::predicate::region::{PredicateIndex, Regions};

#[derive(Debug)]
pub(super) struct Remembered {
    pub(super) model: Assignment,
    pub(super) before: FxHashMap<PredicateIndex, Option<bool>>,
    pub(super) after: FxHashMap<PredicateIndex, Option<bool>>,
}

impl Remembered {
    pub(super) fn lies_in(&mut self, w: &Workshop, region: &Bdd) -> bool {
        for predicate in w.regions.support(region) {
            let model = &self.model;
            self.before.entry(predicate).or_insert_with(|| truth(w.store, w.precision.term(predicate), model));
        }
        let before = &self.before;
        w.regions.fold(
            region,
            |leaf| leaf,
            |predicate, low, high| match before.get(&predicate) {
                Some(Some(true)) => high,
                Some(Some(false)) => low,
                // Not evaluable: the model is not used.
                Some(None) | None => false,
            },
        )
    }

    pub(super) fn valuation(
        &mut self,
        store: &TermStore,
        wanted: &[(PredicateIndex, TermId)],
    ) -> Option<Vec<(PredicateIndex, bool)>> {
        let mut cache = FxHashMap::default();
        let mut literals = Vec::with_capacity(wanted.len());
        for &(predicate, term) in wanted {
            let model = &self.model;
            let value = *self
                .after
                .entry(predicate)
                .or_insert_with(|| store.eval_with(term, model, &mut cache).ok().and_then(|value| value.as_bool()));
            literals.push((predicate, value?));
        }
        Some(literals)
    }
}

pub(super) fn truth(store: &TermStore, term: TermId, model: &Assignment) -> Option<bool> {
    store.eval(term, model).ok().and_then(|value| value.as_bool())
}
