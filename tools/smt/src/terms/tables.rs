//! Arrays that are known whole: tables of a program that nothing writes to.
//!
//! A table is an array with known elements at known indices, replaced in one whose elements are all known and equal. Most
//! tables of programs (classes of characters, capitals for small letters) have few runs of indices at which the element is the
//! same, or as far from the index. An element at an index that is not known is a choice among these runs, which says more than
//! the array with its hundreds of elements, and costs the solver less.
//! Does not know where the arrays come from.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::fold::mask;
use super::{Op, Sort, TermId, TermStore};

/// Elements up to which an array is looked at.
const ELEMENTS: usize = 1024;

/// Runs up to which an element is a choice among them; a table with more is none.
const RUNS: usize = 48;

/// What the elements from an index on are, up to where the next run begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Run {
    from: u128,
    elements: Elements,
}

/// Elements of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Elements {
    /// All the same.
    Same(u128),
    /// The index and so much, modulo the width of an element.
    Along(u128),
}

/// Runs of the arrays that were asked for; `None` for one that is no table.
#[derive(Debug, Default)]
pub(super) struct Tables(rustc_hash::FxHashMap<TermId, Option<Arc<[Run]>>>);

impl TermStore {
    /// Whether an array is known whole, and consists of few runs.
    pub fn is_table(&mut self, array: TermId) -> bool {
        self.runs(array).is_some()
    }

    /// The element of a table at any index; `None` if the array is none.
    pub(super) fn select_from_table(&mut self, array: TermId, index: TermId) -> Option<TermId> {
        let Sort::Array { element, .. } = self.sort(array) else { return None };
        let runs = self.runs(array)?;
        Some(self.choice(&runs, index, element))
    }

    /// A choice among runs by halves.
    fn choice(&mut self, runs: &[Run], index: TermId, width: u32) -> TermId {
        if let [run] = runs {
            return match run.elements {
                Elements::Same(value) => self.bits(width, value),
                Elements::Along(distance) => {
                    let (index, distance) = (self.resize_unsigned(index, width), self.bits(width, distance));
                    self.add(index, distance)
                }
            };
        }
        let (low, high) = runs.split_at(runs.len() / 2);
        let border = high.first().map_or(0, |run| run.from);
        let border = self.bits(self.width(index), border);
        let is_low = self.ult(index, border);
        let (low, high) = (self.choice(low, index, width), self.choice(high, index, width));
        self.ite(is_low, low, high)
    }

    fn runs(&mut self, array: TermId) -> Option<Arc<[Run]>> {
        if self.op(array) != Op::Store {
            return None;
        }
        if let Some(known) = self.tables.0.get(&array) {
            return known.clone();
        }
        let runs = self.runs_of(array);
        self.tables.0.insert(array, runs.clone());
        runs
    }

    fn runs_of(&self, array: TermId) -> Option<Arc<[Run]>> {
        let Sort::Array { index, element } = self.sort(array) else { return None };
        if index > 64 || element > 128 {
            return None;
        }
        let (mut elements, mut from) = (BTreeMap::new(), array);
        let all = loop {
            match (self.op(from), self.args(from)) {
                (Op::Store, &[inner, at, value]) if elements.len() < ELEMENTS => {
                    // What was stored last counts.
                    elements.entry(self.as_bits(at)?).or_insert(self.as_bits(value)?);
                    from = inner;
                }
                (Op::ConstArray, &[all]) => break self.as_bits(all)?,
                _ => return None,
            }
        };
        let mut runs = Runs { width: element, found: Vec::new(), last: None };
        let mut next = 0;
        for (at, value) in &elements {
            if *at > next {
                runs.gap(next, all);
            }
            runs.element(*at, *value);
            next = at + 1;
        }
        if next <= mask(index) {
            runs.gap(next, all);
        }
        (!runs.found.is_empty() && runs.found.len() <= RUNS).then(|| runs.found.into())
    }
}

/// Collects runs, from the lowest index on.
struct Runs {
    width: u32,
    found: Vec<Run>,
    /// The last element, if the last run has no other: it may be the first of either kind of run.
    last: Option<u128>,
}

impl Runs {
    fn element(&mut self, at: u128, value: u128) {
        let distance = value.wrapping_sub(at) & mask(self.width);
        let alone = self.last.take();
        if let Some(run) = self.found.last_mut() {
            if alone.is_some_and(|last| last != value && value.wrapping_sub(last) & mask(self.width) == 1) {
                run.elements = Elements::Along(distance);
                return;
            }
            if run.elements == Elements::Same(value) || run.elements == Elements::Along(distance) {
                return;
            }
        }
        self.found.push(Run { from: at, elements: Elements::Same(value) });
        self.last = Some(value);
    }

    /// Indices from one on that all have the same element.
    fn gap(&mut self, from: u128, value: u128) {
        self.last = None;
        if self.found.last().is_none_or(|run| run.elements != Elements::Same(value)) {
            self.found.push(Run { from, elements: Elements::Same(value) });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terms::{Assignment, Value};

    /// The array with these elements from an index on, 7 elsewhere.
    fn table(store: &mut TermStore, (index, width): (u32, u32), first: u128, elements: &[u128]) -> TermId {
        let all = store.bits(width, 7);
        let empty = store.const_array(index, all);
        elements.iter().zip(first..).fold(empty, |array, (element, at)| {
            let (at, element) = (store.bits(index, at), store.bits(width, *element));
            store.store(array, at, element)
        })
    }

    #[test]
    fn an_element_of_a_table_is_what_the_array_has() {
        let letters: Vec<u128> = (0..200).map(|c: u128| if (65..91).contains(&c) { c + 32 } else { c }).collect();
        let classes: Vec<u128> = (0..128).map(|c| u128::from(c == 32 || (9..14).contains(&c))).collect();
        let mixed = [7, 3, 3, 4, 5, 6, 6, 255, 0, 1, 7, 7];
        for (sorts, first, elements) in [
            ((8, 8), 0, letters.as_slice()),
            ((8, 8), 50, &letters),
            ((16, 8), 3, &mixed),
            ((8, 16), 250, &mixed[..6]),
            ((8, 8), 0, &mixed),
            ((64, 32), 128, &classes),
            ((8, 8), 255, &[9]),
        ] {
            let mut store = TermStore::new();
            let array = table(&mut store, sorts, first, elements);
            let index = store.variable("i", Sort::BitVec(sorts.0));
            let chosen = store.select(array, index);
            assert!(store.is_table(array) && !store.features(chosen).arrays, "{sorts:?} {first}");
            for at in (0..300).chain([mask(sorts.0)]).filter(|at| *at <= mask(sorts.0)) {
                let offset = at.checked_sub(first).and_then(|offset| usize::try_from(offset).ok());
                let expected = offset.and_then(|offset| elements.get(offset)).copied().unwrap_or(7);
                let mut values = Assignment::new();
                values.set(index, Value::Bits { width: sorts.0, value: at });
                assert_eq!(
                    store.eval(chosen, &values),
                    Ok(Value::Bits { width: sorts.1, value: expected }),
                    "{sorts:?} {first}: {at}"
                );
            }
        }
    }

    #[test]
    fn what_is_no_table_is_read_as_an_array() {
        let mut store = TermStore::new();
        let random: Vec<u128> = (0..200).map(|n: u128| n * n * 37 % 251).collect();
        let index = store.variable("i", Sort::BitVec(16));
        let known = table(&mut store, (16, 8), 0, &[1, 2, 3]);
        let (at, value) = (store.bits(16, 1), store.variable("x", Sort::BitVec(8)));
        let base = store.variable("a", Sort::Array { index: 16, element: 8 });
        let nine = store.bits(8, 9);
        for array in [
            table(&mut store, (16, 8), 0, &random),
            store.store(known, at, value),
            store.store(known, index, nine),
            store.store(base, at, nine),
        ] {
            assert!(!store.is_table(array));
            let other = store.variable("j", Sort::BitVec(16));
            let chosen = store.select(array, other);
            assert_eq!(store.op(chosen), Op::Select);
        }
        // What was stored last counts, and an element that is stored where it is changes nothing.
        let three = store.bits(8, 3);
        let again = store.store(known, at, three);
        let chosen = store.select(again, index);
        let mut values = Assignment::new();
        values.set(index, Value::Bits { width: 16, value: 1 });
        assert_eq!(store.eval(chosen, &values), Ok(Value::Bits { width: 8, value: 3 }));
        assert_eq!(store.store(again, index, chosen), again);
    }
}
