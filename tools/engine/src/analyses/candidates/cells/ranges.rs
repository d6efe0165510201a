//! The formulas that are proposed: statements about a cell, for a range of indices.
//!
//! Ranges lie between the places of a loop and the bounds of conditions.
//! Does not know where statements come from.

use indexmap::IndexSet;
use program::cfa::LocationId;
use smt::{TermId, TermStore};

use super::{CONDITIONAL, Found, MOST, PLACES, UNLIKELY, reads};
use crate::evidence::instances;

/// Statements for ranges.
fn within(store: &mut TermStore, ranges: &[TermId], statements: &IndexSet<TermId>) -> Vec<TermId> {
    let mut all = Vec::with_capacity(ranges.len() * statements.len());
    for range in ranges {
        let outside = store.not(*range);
        for said in statements {
            all.push(store.or(&[outside, *said]));
        }
    }
    all
}

/// At most so many of these in their order: those that come first, and then others.
fn keep(all: Vec<TermId>, first: &IndexSet<TermId>, most: usize) -> Vec<TermId> {
    let mut others = most.saturating_sub(all.iter().filter(|formula| first.contains(*formula)).count());
    let mut kept = all;
    kept.retain(|formula| {
        let is_first = first.contains(formula);
        let has_room = is_first || others > 0;
        others -= usize::from(has_room && !is_first);
        has_room
    });
    kept.truncate(most);
    kept
}

/// The symbol for any index, and that it is not negative.
fn natural(store: &mut TermStore) -> (TermId, TermId) {
    let any = instances::symbol(store);
    let zero = store.bits(store.width(any), 0);
    let negative = store.slt(any, zero);
    (any, store.not(negative))
}

/// The places of a loop that ranges begin and end at.
fn few(store: &TermStore, places: &IndexSet<TermId>) -> Vec<TermId> {
    places.iter().copied().filter(|place| !reads(store, *place)).take(PLACES).collect()
}

impl Found {
    /// Formulas for a location with these places.
    pub(super) fn formulas(&self, store: &mut TermStore, at: LocationId, places: &IndexSet<TermId>) -> Vec<TermId> {
        let ranges = self.ranges(store, places);
        let constants = self.constants.get(&at).into_iter().flatten();
        let mut all: IndexSet<TermId> = constants.chain(&self.plain).copied().collect();
        all.extend(self.statements.iter().copied());
        let done = self.done(store, places);
        let first: IndexSet<TermId> = within(store, &done, &self.statements).into_iter().collect();
        all.extend(within(store, &ranges, &self.statements));
        let mut unlikely: IndexSet<TermId> = self.lines.get(&at).into_iter().flatten().copied().collect();
        let first_of_less: IndexSet<TermId> = within(store, &done, &self.less).into_iter().collect();
        unlikely.extend(within(store, &ranges, &self.less));
        let open = |formula: &TermId| store.as_bool(*formula).is_none();
        let likely = keep(all.into_iter().filter(open).collect(), &first, MOST);
        let unlikely = keep(unlikely.into_iter().filter(open).collect(), &first_of_less, UNLIKELY);
        likely.into_iter().chain(unlikely).collect()
    }

    /// Formulas for a location with these places that hold or not as a flag says.
    pub(super) fn under_conditions(&self, store: &mut TermStore, places: &IndexSet<TermId>) -> Vec<TermId> {
        if self.flags.is_empty() {
            return Vec::new();
        }
        let (ranges, done) = (self.ranges(store, places), self.done(store, places));
        let first = self.on_flags(store, &done);
        let mut all = self.on_flags(store, &ranges);
        all.retain(|formula| store.as_bool(*formula).is_none());
        keep(all.into_iter().collect(), &first, CONDITIONAL)
    }

    /// Statements for ranges, each where a flag is set and where it is not.
    fn on_flags(&self, store: &mut TermStore, ranges: &[TermId]) -> IndexSet<TermId> {
        let mut all: IndexSet<TermId> = IndexSet::new();
        for range in ranges {
            let outside = store.not(*range);
            for said in &self.statements {
                for flag in &self.flags {
                    let not = store.not(*flag);
                    all.insert(store.or(&[*flag, outside, *said]));
                    all.insert(store.or(&[not, outside, *said]));
                }
            }
        }
        all
    }

    /// The indices that a loop has been at, and those that one before it has been at.
    fn done(&self, store: &mut TermStore, places: &IndexSet<TermId>) -> Vec<TermId> {
        let (any, natural) = natural(store);
        let mut ends: Vec<TermId> = Vec::new();
        for place in few(store, places) {
            ends.push(store.slt(any, place));
        }
        ends.extend(&self.bounds);
        ends.into_iter().map(|end| store.and(&[natural, end])).collect()
    }

    /// Ranges of indices: before a place, behind it, between two, up to a bound.
    fn ranges(&self, store: &mut TermStore, places: &IndexSet<TermId>) -> Vec<TermId> {
        let (any, natural) = natural(store);
        let places = few(store, places);
        let mut parts: Vec<TermId> = Vec::new();
        let (mut below, mut above) = (Vec::new(), Vec::new());
        for place in &places {
            let (before, behind) = (store.slt(any, *place), store.slt(*place, any));
            let from = store.not(before);
            parts.extend([before, behind, from]);
            below.push(before);
            above.push(behind);
        }
        for (at, before) in below.iter().enumerate() {
            for (_, behind) in above.iter().enumerate().filter(|(other, _)| *other != at) {
                parts.push(store.or(&[*before, *behind]));
            }
        }
        let mut ranges: IndexSet<TermId> = IndexSet::new();
        for part in parts.iter().copied().chain([store.tt()]) {
            ranges.insert(store.and(&[natural, part]));
        }
        for bound in &self.bounds {
            let not = store.not(*bound);
            for part in parts.iter().copied().chain([store.tt()]) {
                ranges.insert(store.and(&[natural, *bound, part]));
            }
            ranges.insert(store.and(&[natural, not]));
            for other in self.bounds.iter().filter(|other| *other != bound) {
                ranges.insert(store.and(&[natural, not, *other]));
            }
        }
        ranges.into_iter().collect()
    }
}
