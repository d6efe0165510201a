//! Arrays taken apart: each element of an array variable becomes a variable.
//!
//! An array is as long as its object. A read outside yields any value and a write there is lost, so that every run of the
//! program stays one of the circuit: such an access is undefined, and a counterexample that needs it does not replay.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use rustc_hash::FxHashMap;
use smt::{Op, Sort, TermId, TermStore};

/// Elements of the longest array that is taken apart.
pub const LONGEST: u64 = 4096;

/// Why a term has no form without arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whole {
    /// Of this array variable it is not known how long it is, or it is too long.
    Length(TermId),
    /// Arrays are compared, or none of them is a variable.
    Use,
}

/// A variable that stands for an element of an array variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Element {
    /// The array variable.
    pub array: TermId,
    /// Which element.
    pub at: u64,
}

/// Array terms that have equally many elements, and how many those are.
#[derive(Debug, Default)]
pub struct Lengths {
    parents: FxHashMap<TermId, TermId>,
    lengths: FxHashMap<TermId, u64>,
}

impl Lengths {
    fn root(&mut self, term: TermId) -> TermId {
        let mut root = term;
        while let Some(&parent) = self.parents.get(&root) {
            root = parent;
        }
        if root != term {
            self.parents.insert(term, root);
        }
        root
    }

    /// Two arrays are as long as each other.
    pub fn join(&mut self, a: TermId, b: TermId) {
        let (a, b) = (self.root(a), self.root(b));
        if a != b {
            self.parents.insert(a, b);
            if let Some(length) = self.lengths.remove(&a) {
                self.at_least(b, length);
            }
        }
    }

    /// An array has so many elements or more.
    pub fn at_least(&mut self, array: TermId, length: u64) {
        let root = self.root(array);
        let known = self.lengths.entry(root).or_insert(0);
        *known = length.max(*known);
    }

    /// Takes up what terms say: what is stored to, and what is chosen from, is as long as the result.
    pub fn learn(&mut self, store: &TermStore, roots: &[TermId]) {
        let mut pairs = Vec::new();
        store.visit(roots, |term, op| {
            if matches!(store.sort(term), Sort::Array { .. }) {
                match (op, store.args(term)) {
                    (Op::Store, [inner, ..]) => pairs.push((term, *inner)),
                    (Op::Ite, [_, yes, no]) => pairs.extend([(term, *yes), (term, *no)]),
                    _ => {}
                }
            }
            store.features(term).arrays
        });
        pairs.into_iter().for_each(|(a, b)| self.join(a, b));
    }

    fn of(&mut self, array: TermId) -> Option<usize> {
        let root = self.root(array);
        let length = self.lengths.get(&root).copied();
        length.filter(|length| *length <= LONGEST).map(|length| length as usize)
    }
}

#[derive(Clone, Debug)]
enum Taken {
    Scalar(TermId),
    Array(Rc<[TermId]>),
}

/// Terms with their forms without arrays.
#[derive(Debug, Default)]
pub struct Apart {
    /// How long arrays are.
    pub lengths: Lengths,
    /// The variables that were made for elements.
    pub elements: BTreeMap<TermId, Element>,
    /// The variables that were made for what is read outside of arrays.
    pub outside: BTreeSet<TermId>,
    done: FxHashMap<TermId, Taken>,
}

impl Apart {
    /// The form of a scalar term, or the elements of an array.
    ///
    /// # Errors
    /// [`Whole`].
    pub fn of(&mut self, store: &mut TermStore, term: TermId) -> Result<Vec<TermId>, Whole> {
        if !store.features(term).arrays {
            return Ok(vec![term]);
        }
        for part in store.post_order(&[term], |part| self.done.contains_key(&part)) {
            let taken = self.one(store, part)?;
            self.done.insert(part, taken);
        }
        Ok(match self.done.get(&term) {
            Some(Taken::Array(elements)) => elements.to_vec(),
            Some(Taken::Scalar(scalar)) => vec![*scalar],
            None => Vec::new(),
        })
    }

    /// The form of a scalar term.
    ///
    /// # Errors
    /// [`Whole`].
    pub fn scalar(&mut self, store: &mut TermStore, term: TermId) -> Result<TermId, Whole> {
        Ok(self.of(store, term)?.first().copied().unwrap_or(term))
    }

    fn one(&mut self, store: &mut TermStore, term: TermId) -> Result<Taken, Whole> {
        if !store.features(term).arrays {
            return Ok(Taken::Scalar(term));
        }
        let args: Vec<Taken> = store.args(term).iter().filter_map(|arg| self.done.get(arg).cloned()).collect();
        let length = self.lengths.of(term);
        Ok(match (store.op(term), args.as_slice()) {
            (Op::Variable { .. }, _) => Taken::Array(self.variable(store, term)?),
            (Op::ConstArray, [Taken::Scalar(all)]) => Taken::Array(vec![*all; length.ok_or(Whole::Use)?].into()),
            (Op::Store, [Taken::Array(array), Taken::Scalar(index), Taken::Scalar(value)]) => {
                Taken::Array(stored(store, array, *index, *value))
            }
            (Op::Ite, [Taken::Scalar(condition), Taken::Array(yes), Taken::Array(no)]) => {
                Taken::Array(yes.iter().zip(no.iter()).map(|(yes, no)| store.ite(*condition, *yes, *no)).collect())
            }
            (Op::Select, [Taken::Array(array), Taken::Scalar(index)]) => Taken::Scalar(self.read(store, array, *index, term)),
            (_, args) => {
                let scalars: Option<Vec<TermId>> =
                    args.iter().map(|arg| if let Taken::Scalar(scalar) = arg { Some(*scalar) } else { None }).collect();
                Taken::Scalar(store.rebuild(term, &scalars.ok_or(Whole::Use)?))
            }
        })
    }

    fn variable(&mut self, store: &mut TermStore, array: TermId) -> Result<Rc<[TermId]>, Whole> {
        let (Some(length), Sort::Array { element, .. }) = (self.lengths.of(array), store.sort(array)) else {
            return Err(Whole::Length(array));
        };
        let name = store.as_variable(array).map(|(id, instance)| store.instance_name(id, instance)).unwrap_or_default();
        Ok((0..length as u64)
            .map(|at| {
                let variable = store.variable(&format!("{name}[{at}]"), Sort::BitVec(element));
                self.elements.insert(variable, Element { array, at });
                variable
            })
            .collect())
    }

    /// The element at an index: chosen by the bits of the index, lowest first.
    fn read(&mut self, store: &mut TermStore, array: &[TermId], index: TermId, read: TermId) -> TermId {
        let (width, length) = (store.width(index), array.len() as u64);
        if let Some(at) = store.as_bits(index).filter(|at| *at < u128::from(length)) {
            return array[at as usize];
        }
        let outside = store.variable(&format!("outside!{}", read.number()), store.sort(read));
        self.outside.insert(outside);
        let mut row = array.to_vec();
        let mut bit = 0;
        while row.len() > 1 && bit < width {
            let low = store.extract(index, bit, bit);
            let one = store.bits(1, 1);
            let odd = store.eq(low, one);
            row = row.chunks(2).map(|pair| store.ite(odd, pair.get(1).copied().unwrap_or(outside), pair[0])).collect();
            bit += 1;
        }
        let inside = if width < 64 && length >> width != 0 {
            store.tt()
        } else {
            let bound = store.bits(width, u128::from(length));
            store.ult(index, bound)
        };
        let inner = row.first().copied().unwrap_or(outside);
        store.ite(inside, inner, outside)
    }
}

fn stored(store: &mut TermStore, array: &[TermId], index: TermId, value: TermId) -> Rc<[TermId]> {
    let width = store.width(index);
    (0u128..)
        .zip(array)
        .map(|(at, old)| {
            if width < 128 && at >> width != 0 {
                return *old;
            }
            let here = store.bits(width, at);
            let here = store.eq(index, here);
            store.ite(here, value, *old)
        })
        .collect()
}
