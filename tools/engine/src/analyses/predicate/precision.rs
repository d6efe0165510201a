//! Precisions: which predicates are tracked at which location.
//!
//! A predicate is an atom over variables without SSA instance, in positive form. Precision belongs to a location and is
//! shared by all copies of it (call stacks, condition states). It only grows, so that a state can remember how much of it
//! was known when it was computed.

use biodivine_lib_bdd::Bdd;
use indexmap::{IndexMap, IndexSet};
use program::cfa::LocationId;
use smt::{TermId, TermStore};

use super::region::{BddRegions, PredicateIndex};

/// All predicates and the precision of every location.
#[derive(Debug, Default)]
pub struct Precision {
    predicates: IndexSet<TermId>,
    locations: IndexMap<LocationId, IndexSet<PredicateIndex>>,
    lemmas: IndexMap<LocationId, Vec<Bdd>>,
}

impl Precision {
    /// The predicates of a location, in the order in which they were found.
    pub fn at(&self, location: LocationId) -> impl Iterator<Item = PredicateIndex> + '_ {
        self.locations.get(&location).into_iter().flatten().copied()
    }

    /// How many predicates a location has.
    #[must_use]
    pub fn len_at(&self, location: LocationId) -> usize {
        self.locations.get(&location).map_or(0, IndexSet::len)
    }

    /// The place of a predicate among those of a location.
    #[must_use]
    pub fn position(&self, location: LocationId, predicate: TermId) -> Option<usize> {
        let index = self.predicates.get_index_of(&predicate)?;
        self.locations.get(&location)?.get_index_of(&index)
    }

    /// Adds a predicate to a location; whether it was new there. A full table takes no more.
    pub fn add(&mut self, store: &TermStore, location: LocationId, atom: TermId) -> bool {
        let (atom, _) = store.without_not(atom);
        if store.as_bool(atom).is_some() {
            return false;
        }
        if self.predicates.len() >= usize::from(BddRegions::CAPACITY) && !self.predicates.contains(&atom) {
            return false;
        }
        let (index, _) = self.predicates.insert_full(atom);
        self.locations.entry(location).or_default().insert(index)
    }

    /// Adds a lemma to a location: a clause over its predicates that may hold there. Its place among the lemmas.
    pub fn add_lemma(&mut self, location: LocationId, lemma: Bdd) -> usize {
        let lemmas = self.lemmas.entry(location).or_default();
        lemmas.iter().position(|known| *known == lemma).unwrap_or_else(|| {
            lemmas.push(lemma);
            lemmas.len() - 1
        })
    }

    /// The lemmas of a location, oldest first.
    #[must_use]
    pub fn lemmas_at(&self, location: LocationId) -> &[Bdd] {
        self.lemmas.get(&location).map_or(&[], Vec::as_slice)
    }

    /// The formula of a predicate.
    #[must_use]
    pub fn term(&self, predicate: PredicateIndex) -> TermId {
        self.predicates[predicate]
    }

    /// The formulas of all predicates, in the order in which they were found.
    pub fn terms(&self) -> impl Iterator<Item = TermId> + '_ {
        self.predicates.iter().copied()
    }

    /// The position of an atom in the table, if it is a predicate.
    #[must_use]
    pub fn index_of(&self, atom: TermId) -> Option<PredicateIndex> {
        self.predicates.get_index_of(&atom)
    }

    /// The number of predicates over all locations, each counted once.
    #[must_use]
    pub fn len(&self) -> usize {
        self.predicates.len()
    }

    /// Whether nothing is tracked anywhere.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.predicates.is_empty()
    }

    /// The locations with predicates and how many each has.
    pub fn locations(&self) -> impl Iterator<Item = (LocationId, usize)> + '_ {
        self.locations.iter().map(|(l, p)| (*l, p.len()))
    }
}
