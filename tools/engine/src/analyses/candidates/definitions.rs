//! What is known where a loop is entered, as long as nothing changes it: what variables were made from, `bytes == 4 * n` behind
//! `bytes = n * sizeof *a`, and what had to hold to come there, `i < n` in the loop inside of one over `i`.
//!
//! A block says both in terms of inputs; a variable that holds the input says it later. Used for proposals only, so nothing rests on
//! it.

use std::collections::{BTreeMap, BTreeSet};

use indexmap::IndexSet;
use program::cfa::LocationId;
use smt::terms::Substitution;
use smt::{Op, TermId, TermStore};

use super::blocks::Entry;
use super::steps::{Lines, is_number};
use crate::block::Exit;
use crate::control::Target;

/// Definitions of one program, and conditions.
const MOST: usize = 12;

/// Variables of one exit that may hold an input.
const HOLDERS: usize = 16;

/// The longest formula, and the longest value that is part of one.
const SIZE: u32 = 40;
const WHOLE: u32 = 200;

/// Formulas for the heads of loops. What one block says is proposed at all: behind one loop comes the next.
pub(super) fn definitions(store: &mut TermStore, entries: &[Entry]) -> Lines {
    let (mut said, mut bounds) = (Said::default(), Lines::new());
    let mut heads: BTreeSet<LocationId> = BTreeSet::new();
    for (from, _, block) in entries {
        for exit in &block.exits {
            let Target::Head(to) = exit.target else { continue };
            heads.insert(to.location);
            let seen = Seen::new(store, exit);
            let definitions = seen.definitions(store);
            if to != *from {
                said.required.extend(seen.requirements(store, exit.guard));
                bounds.entry(to.location).or_default().extend(bounds_by(store, &definitions));
            }
            said.defined.extend(definitions.into_iter().map(|(of, value)| store.eq(of, value)));
        }
    }
    said.defined.truncate(MOST);
    said.required.truncate(MOST);
    said.defined.extend(said.required);
    let all = |head: LocationId| {
        let own = bounds.swap_remove(&head).unwrap_or_default();
        (head, said.defined.iter().copied().chain(own.into_iter().take(MOST)).collect())
    };
    heads.into_iter().map(all).collect()
}

/// What is said at all heads.
#[derive(Default)]
struct Said {
    defined: IndexSet<TermId>,
    required: IndexSet<TermId>,
}

/// A loop may move a variable away from what it begins with, in one direction.
fn bounds_by(store: &mut TermStore, definitions: &[(TermId, TermId)]) -> Vec<TermId> {
    definitions.iter().flat_map(|(of, value)| [store.sle(*of, *value), store.sle(*value, *of)]).collect()
}

/// What an exit of a block leaves in variables.
struct Seen {
    /// Those that are no constants, by the size of what they are.
    holders: Vec<(u32, TermId, TermId)>,
    changed: BTreeSet<TermId>,
}

impl Seen {
    fn new(store: &TermStore, exit: &Exit) -> Self {
        let changes = || exit.state.iter().filter(|(of, value)| of != value);
        let mut holders = Vec::new();
        for (of, value) in changes().filter(|(of, _)| is_number(store, *of)) {
            let size = store.tree_size(value);
            if size < WHOLE && store.as_bits(value).is_none() {
                holders.push((size, value, of));
            }
        }
        holders.sort_unstable();
        holders.truncate(HOLDERS);
        Self { holders, changed: changes().map(|(of, _)| of).collect() }
    }

    /// A term in terms of variables that are there behind the exit, of the first so many.
    fn later(&self, store: &mut TermStore, term: TermId, first: usize) -> Option<TermId> {
        if store.variables(term).iter().any(|part| self.changed.contains(part)) {
            return None;
        }
        // Of several that hold the same the first was there before the others, which may be there to be moved.
        let pairs: BTreeMap<TermId, TermId> = self.holders[..first].iter().rev().map(|(_, value, of)| (*value, *of)).collect();
        let pairs: Vec<(TermId, TermId)> = pairs.into_iter().collect();
        let later = Substitution::of(store, &pairs).apply(store, term);
        let is_over = store.as_bool(later).is_some() || store.variables(later).into_iter().any(|part| store.is_input(part));
        (!is_over && store.tree_size(later) < SIZE).then_some(later)
    }

    /// What variables are, in terms of others.
    fn definitions(&self, store: &mut TermStore) -> Vec<(TermId, TermId)> {
        let said = |(at, (_, value, of)): (usize, &(u32, TermId, TermId))| Some((*of, self.later(store, *value, at)?));
        self.holders.iter().enumerate().filter_map(said).collect()
    }

    /// What a guard says of variables.
    fn requirements(&self, store: &mut TermStore, guard: TermId) -> Vec<TermId> {
        let parts = if store.op(guard) == Op::And { store.args(guard).to_vec() } else { vec![guard] };
        let short: Vec<TermId> = parts.into_iter().filter(|part| store.tree_size(*part) < WHOLE).collect();
        short.into_iter().filter_map(|part| self.later(store, part, self.holders.len())).collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::portfolio::Kind;
    use crate::tests::answer;

    #[test]
    fn what_a_variable_was_made_from_is_known_behind_loops() {
        let text = |test: &str| {
            format!(
                "extern void reach_error(void); extern int __VERIFIER_nondet_int(void);\n\
                 int main(void) {{ int n = __VERIFIER_nondet_int(); if (n < 0) return 0; unsigned long bytes = (n + 1) * 4ul;\n\
                 int i = 0; while (i < n) i++; while (i > 0) i--; if ({test}) reach_error(); return 0; }}"
            )
        };
        let decided = |test: &str| answer(&text(test), &[Kind::Candidates], 8_000_000);
        assert_eq!(decided("bytes != (n + 1) * 4ul"), Some(true));
        assert_eq!(decided("bytes != (n + 2) * 4ul"), None);
    }
}
