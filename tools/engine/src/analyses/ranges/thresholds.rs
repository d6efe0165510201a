//! Thresholds: at which numbers a program tells the values of a variable apart.
//!
//! Between two of them all values of a variable pass the same comparisons with constants. What a variable is copied to
//! needs the thresholds of the copy as well.

use std::collections::{BTreeMap, BTreeSet};

use smt::{Op, Sort, TermId, TermStore};

use super::interval::Interval;
use crate::block::Block;

/// Thresholds of a variable at most.
const MOST: usize = 256;

/// Parts of a value that are looked at for copies.
const PARTS: usize = 2_000;

/// For each variable the numbers that begin a part of its values.
#[derive(Debug, Default)]
pub struct Thresholds {
    of: BTreeMap<TermId, BTreeSet<i128>>,
    /// What a variable is copied to.
    copies: BTreeSet<(TermId, TermId)>,
}

impl Thresholds {
    /// Takes up the comparisons and the copies of a block. Whether that changed anything.
    pub fn learn(&mut self, store: &TermStore, block: &Block) -> bool {
        let size = |all: &Self| all.of.values().map(BTreeSet::len).sum::<usize>();
        let before = size(self);
        let mut roots: Vec<TermId> = Vec::new();
        for exit in &block.exits {
            roots.push(exit.guard);
            for (variable, value) in exit.state.iter() {
                roots.push(value);
                self.copies(store, variable, value);
            }
        }
        store.visit(&roots, |term, op| {
            if let (Op::Eq | Op::SLt | Op::ULt, &[a, b]) = (op, store.args(term)) {
                self.compare(store, a, store.as_signed(b), Side::Left, op);
                self.compare(store, b, store.as_signed(a), Side::Right, op);
            }
            true
        });
        self.spread();
        size(self) > before
    }

    /// The parts of the values of a variable that an interval has something of; none if nothing tells values apart.
    #[must_use]
    pub fn parts(&self, store: &TermStore, variable: TermId, within: Interval) -> Vec<Interval> {
        let Some(all) = self.of.get(&variable).filter(|all| !all.is_empty() && all.len() <= MOST) else { return Vec::new() };
        let full = Interval::full(store.width(variable));
        let begins = std::iter::once(full.low).chain(all.iter().copied().filter(|begin| *begin > full.low));
        let ends = all.iter().copied().filter(|begin| *begin > full.low).map(|begin| begin - 1).chain([full.high]);
        let parts = begins.zip(ends).map(|(low, high)| Interval { low, high });
        parts.filter(|part| part.meet(within).is_some()).collect()
    }

    /// Tells the values within an interval apart from others. Whether that is new, and still of use.
    pub fn split(&mut self, store: &TermStore, variable: TermId, within: Interval) -> bool {
        let full = Interval::full(store.width(variable));
        let own = self.of.entry(variable).or_default();
        let before = own.len();
        own.extend([within.low, within.high + 1].into_iter().filter(|begin| full.meet(Interval::one(*begin)).is_some()));
        let is_new = own.len() > before;
        self.spread();
        is_new && self.of.get(&variable).is_some_and(|all| all.len() <= MOST)
    }

    /// What comparing a number with a constant says of a variable.
    fn compare(&mut self, store: &TermStore, number: TermId, constant: Option<i128>, side: Side, op: Op) {
        let (Some(constant), Some(variable)) = (constant, variable_in(store, number)) else { return };
        let begins = match (op, side) {
            (Op::Eq, _) => vec![constant, constant + 1],
            (_, Side::Left) => vec![constant],
            (_, Side::Right) => vec![constant + 1],
        };
        let full = Interval::full(store.width(variable));
        // Without a sign, negative numbers are the large ones.
        let zero = (op == Op::ULt).then_some(0);
        let begins = begins.into_iter().chain(zero).filter(|begin| full.meet(Interval::one(*begin)).is_some());
        self.of.entry(variable).or_default().extend(begins);
    }

    /// Notes which variables a value is a copy of, whatever decides between them.
    fn copies(&mut self, store: &TermStore, to: TermId, value: TermId) {
        let mut parts = 0;
        store.visit(&[value], |term, op| {
            parts += 1;
            if matches!(op, Op::Variable { .. }) && term != to && store.sort(term) == store.sort(to) && !store.is_input(term) {
                self.copies.insert((term, to));
            }
            matches!(op, Op::Ite) && parts < PARTS
        });
    }

    /// Gives thresholds of copies to what they are copies of.
    fn spread(&mut self) {
        loop {
            let mut changed = false;
            for (from, to) in &self.copies {
                let Some(wanted) = self.of.get(to).filter(|all| all.len() <= MOST).cloned() else { continue };
                let own = self.of.entry(*from).or_default();
                let before = own.len();
                own.extend(wanted);
                changed |= own.len() > before;
            }
            if !changed {
                return;
            }
        }
    }
}

/// On which side of a comparison a number stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Left,
    Right,
}

/// The variable that a number is, made wider or not.
fn variable_in(store: &TermStore, number: TermId) -> Option<TermId> {
    let is_wider = matches!(store.op(number), Op::ZeroExtend | Op::SignExtend);
    let inner = if is_wider { store.args(number)[0] } else { number };
    let is_number = matches!(store.sort(inner), Sort::BitVec(width) if width <= 64);
    (is_number && matches!(store.op(inner), Op::Variable { .. }) && !store.is_input(inner)).then_some(inner)
}
