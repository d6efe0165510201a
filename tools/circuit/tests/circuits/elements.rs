//! Arrays taken apart against whole ones.

use std::collections::BTreeMap;

use engine::circuit::arrays::{Apart, Element, LONGEST, Whole};
use smt::Value;
use smt::terms::{ArrayValue, Assignment};
use smt::{Sort, TermId, TermStore};

/// Reads and writes at all indices inside, of several lengths, have the values that whole arrays have.
#[test]
fn reads_behind_writes_are_those_of_whole_arrays() {
    for length in 1..7u64 {
        let mut store = TermStore::new();
        let array = store.variable("a", Sort::Array { index: 8, element: 4 });
        let [i, j, v] = [("i", 8), ("j", 8), ("v", 4)].map(|(name, width)| store.variable(name, Sort::BitVec(width)));
        let written = store.store(array, i, v);
        let c = store.variable("c", Sort::Bool);
        let either = store.ite(c, written, array);
        let read = store.select(either, j);
        let mut apart = Apart::default();
        apart.lengths.at_least(array, length);
        apart.lengths.learn(&store, &[read]);
        let form = apart.scalar(&mut store, read).unwrap();
        assert!(!store.features(form).arrays);
        for (at_i, at_j) in (0..length).flat_map(|i| (0..length).map(move |j| (i, j))) {
            let mut values = Assignment::new();
            let entries: BTreeMap<u128, u128> = (0..u128::from(length)).map(|at| (at, at + 3)).collect();
            let elements: Vec<(TermId, Element)> = apart.elements.iter().map(|(v, e)| (*v, *e)).collect();
            for (variable, element) in elements {
                let value = entries[&u128::from(element.at)];
                values.set(variable, Value::Bits { width: 4, value });
            }
            values.set(array, Value::Array(ArrayValue { index: 8, element: 4, default: 0, entries }));
            for (variable, value, width) in [(i, at_i, 8), (j, at_j, 8), (v, 15, 4)] {
                values.set(variable, Value::Bits { width, value: u128::from(value) });
            }
            values.set(c, Value::Bool(at_i != 2));
            let (whole, apart) = (store.eval(read, &values), store.eval(form, &values));
            assert_eq!(whole, apart, "{length} {at_i} {at_j}");
        }
    }
}

#[test]
fn arrays_of_unknown_length_stay_whole() {
    let mut store = TermStore::new();
    let array = store.variable("a", Sort::Array { index: 8, element: 4 });
    let i = store.variable("i", Sort::BitVec(8));
    let read = store.select(array, i);
    assert_eq!(Apart::default().scalar(&mut store, read), Err(Whole::Length(array)));
    let mut apart = Apart::default();
    apart.lengths.at_least(array, LONGEST + 1);
    assert_eq!(apart.scalar(&mut store, read), Err(Whole::Length(array)));
}

/// A read outside yields what nobody says, whatever was written where.
#[test]
fn reads_outside_yield_any_value() {
    for length in 1..7u64 {
        let mut store = TermStore::new();
        let array = store.variable("a", Sort::Array { index: 8, element: 4 });
        let [i, j] = ["i", "j"].map(|name| store.variable(name, Sort::BitVec(8)));
        let one = store.bits(4, 1);
        let written = store.store(array, i, one);
        let read = store.select(written, j);
        let mut apart = Apart::default();
        apart.lengths.at_least(array, length);
        apart.lengths.learn(&store, &[read]);
        let form = apart.scalar(&mut store, read).unwrap();
        let [outside] = apart.outside.iter().copied().collect::<Vec<_>>()[..] else { panic!("{:?}", apart.outside) };
        for at in length..256 {
            let mut values = Assignment::new();
            for index in [i, j] {
                values.set(index, Value::Bits { width: 8, value: u128::from(at) });
            }
            values.set(outside, Value::Bits { width: 4, value: 9 });
            assert_eq!(store.eval(form, &values).unwrap().as_bits(), Some(9), "{length} {at}");
        }
    }
}
