//! Symbolic states: the value of every variable as a term over the values at the start of a block.
//!
//! A variable without an entry has its value of the start. Copies share their table until one of them is changed.
//! Does not know guards or edges.

use std::collections::BTreeMap;
use std::rc::Rc;

use smt::terms::Substitution;
use smt::{TermId, TermStore};

/// The values of variables. Keys are variable terms of the store without an SSA instance.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SymbolicState {
    values: Rc<BTreeMap<TermId, TermId>>,
}

impl SymbolicState {
    /// Every variable has its value of the start.
    #[must_use]
    pub fn unchanged() -> Self {
        Self::default()
    }

    /// The value of a variable.
    #[must_use]
    pub fn get(&self, variable: TermId) -> TermId {
        self.values.get(&variable).copied().unwrap_or(variable)
    }

    /// Gives a variable a value.
    pub fn set(&mut self, variable: TermId, value: TermId) {
        if self.get(variable) == value {
            return;
        }
        if value == variable {
            Rc::make_mut(&mut self.values).remove(&variable);
        } else {
            Rc::make_mut(&mut self.values).insert(variable, value);
        }
    }

    /// Forgets the values of variables that nobody reads any more.
    pub fn forget(&mut self, mut dead: impl FnMut(TermId) -> bool) {
        if self.values.keys().any(|v| dead(*v)) {
            Rc::make_mut(&mut self.values).retain(|v, _| !dead(*v));
        }
    }

    /// The changed variables with their values, oldest first.
    pub fn iter(&self) -> impl Iterator<Item = (TermId, TermId)> + '_ {
        self.values.iter().map(|(v, t)| (*v, *t))
    }

    /// How many variables changed.
    #[must_use]
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether no variable changed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// This state read as a simultaneous replacement of variables.
    #[must_use]
    pub fn substitution(&self, store: &TermStore) -> Substitution {
        let pairs: Vec<(TermId, TermId)> = self.iter().collect();
        Substitution::of(store, &pairs)
    }

    /// The state that is `first` where `condition` holds and `second` elsewhere.
    pub fn choose(store: &mut TermStore, condition: TermId, first: &Self, second: &Self) -> Self {
        if Rc::ptr_eq(&first.values, &second.values) {
            return first.clone();
        }
        let mut joined = first.clone();
        for (variable, value) in first.iter() {
            let other = second.get(variable);
            if other != value {
                let either = store.ite(condition, value, other);
                joined.set(variable, either);
            }
        }
        for (variable, value) in second.iter() {
            if !first.values.contains_key(&variable) {
                let either = store.ite(condition, variable, value);
                joined.set(variable, either);
            }
        }
        joined
    }
}
